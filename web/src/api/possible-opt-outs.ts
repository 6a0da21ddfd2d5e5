import { useQuery } from '@tanstack/react-query'
import { idle } from '../ui/idle.ts'
import { call } from './client.ts'
import { mayDo, useCurrentUser } from './session.ts'

/** No event says that a message has arrived. */
const REFRESH_MS = 30_000

/** The number of messages that wait for a decision. Undefined while it loads, and for users who may not decide. */
export function usePossibleOptOuts(): number | undefined {
  const enabled = mayDo('canManageContacts', useCurrentUser())
  const query = { pageSize: 1 }
  const { data } = useQuery({
    queryKey: ['possible-opt-outs', 'GET /possible-opt-outs', { query }],
    // The page's own requests go first.
    queryFn: ({ signal }) => idle().then(() => call('GET /possible-opt-outs', { query }, signal)),
    enabled,
    refetchInterval: REFRESH_MS,
    meta: { isQuiet: true },
  })
  return data?.pagination.totalCount
}
