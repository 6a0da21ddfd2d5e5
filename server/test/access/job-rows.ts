import type { contract } from '@sendroom/contract'
import type { Row } from './rows.ts'

/** A job that is created together with its message. */
export const jobWithMessage: Row<typeof contract.jobs.create> = [
  [401, 401, 400, 403, 201, 201],
  ({ instanceId, group }) => ({
    body: { message: { textContent: 'Hello' }, instanceId, groupIds: [group.id] },
  }),
]
