import { call } from '../api/client.ts'
import { useAll } from '../api/use-all.ts'

/** All groups of an account, by name; 0 is no account and has none. */
export const useGroups = (instanceId: number, pageSize: number) =>
  useAll(
    ['groups', 'of', instanceId],
    { pageSize, words: 'FORM.GROUPS_FAILED', enabled: instanceId !== 0 },
    (page, signal) =>
      call(
        'POST /groups/search',
        { body: { ...page, sortBy: 'name', sortDirection: 'asc', instanceIds: [instanceId] } },
        signal,
      ),
  )
