import { useRead } from './queries.ts'
import { mayDo, useCurrentUser } from './session.ts'

/** No event says that a message has arrived. */
const REFRESH_MS = 30_000

/** The number of messages that wait for a decision. Undefined while it loads, and for users who may not decide. */
export function usePossibleOptOuts(): number | undefined {
  const enabled = mayDo('canManageContacts', useCurrentUser())
  const { data } = useRead(
    'GET /possible-opt-outs',
    { query: { pageSize: 1 } },
    { enabled, refetchInterval: REFRESH_MS, meta: { isQuiet: true } },
  )
  return data?.pagination.totalCount
}
