import type { Instance, InstanceRow } from '@sendroom/contract/instances'
import { advisedPace } from '@sendroom/contract/pace'

/** A connected instance without problems, as lists show it. */
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
  holds: { people: null, groups: null },
  lastSyncAt: null,
  isSyncing: false,
  syncEndedAt: null,
  syncProblem: null,
}

/** The same instance with the fields of its form. */
export const wholeInstance: Instance = {
  ...instance,
  whapiToken: '••••shop',
  ...advisedPace,
  warmUpStep: null,
  quietHours: null,
  timeZone: 'Asia/Ho_Chi_Minh',
  approval: 'never',
  approvalAbove: 100,
  approverCount: 2,
  warmUp: null,
  version: 1,
}
