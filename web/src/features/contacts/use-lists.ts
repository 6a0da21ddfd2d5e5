import type { ContactList } from '@sendroom/contract/lists'
import { call } from '../../api/client.ts'
import { useAll } from '../../api/use-all.ts'
import type { Choices } from '../../forms/named-select.tsx'

/** The lists of contacts by name: all, or those that contacts can be added to. */
export function useLists(kind?: ContactList['kind']): Choices {
  const { data, isError, refetch } = useAll(
    ['lists', kind ?? 'named'],
    { pageSize: 1000, words: 'CONTACT.LISTS_FAILED' },
    (page, signal) =>
      call('GET /lists', { query: { ...page, sortBy: 'name', sortDirection: 'asc', kind } }, signal),
  )
  return { options: data, hasFailed: isError, retry: refetch }
}
