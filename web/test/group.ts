import type { Group } from '@sendroom/contract/groups'

/** A group one may write to, of the account in `instance.ts`. */
export const group: Group = {
  id: 1,
  name: 'Family',
  participantCount: 3,
  lastSyncAt: null,
  hasLeft: false,
  isClosed: false,
  instance: { id: 1, name: 'Shop' },
}
