import type { InstanceRow } from '@sendroom/contract/instances'

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
  syncProblem: null,
}
