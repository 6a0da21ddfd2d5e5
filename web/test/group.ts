import type { Group } from '@sendroom/contract/groups'

/** An open group of the instance in `instance.ts`. */
export const group: Group = {
  id: 1,
  name: 'Family',
  kind: 'group',
  participantCount: 3,
  lastSyncAt: null,
  hasLeft: false,
  isClosed: false,
  instance: { id: 1, name: 'Shop' },
}
