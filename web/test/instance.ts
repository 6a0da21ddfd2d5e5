import type { Instance, InstanceRow } from '@sendroom/contract/instances'
import { advisedPace } from '@sendroom/contract/pace'

/** An account that is well. */
export const instance: InstanceRow = {
  id: 1,
  name: 'Shop',
  whatsAppNumber: '84901234567',
  isActive: true,
  isTest: true,
  createdAt: '2026-11-20T18:30:00.000Z',
  expiredTime: null,
  status: 'Connected',
  statusSeenAt: null,
  waiting: null,
  lastSyncAt: null,
  isSyncing: false,
  syncEndedAt: null,
  syncProblem: null,
}

/** The same as its form gets it. */
export const wholeInstance: Instance = {
  ...instance,
  whapiToken: 'test_shop',
  ...advisedPace,
  quietHours: null,
  timeZone: 'Asia/Ho_Chi_Minh',
}
