import type { ContactFilter } from '@sendroom/contract/contacts'
import { useLocation, useNavigate } from '@tanstack/react-router'
import { useCurrentUser } from '../../api/session.ts'
import { readListSearch } from '../../lists/list-search.ts'

const NONE: ContactFilter = { search: '', tagIds: [], fields: [] }

/** A part of the state of an entry of the browser's history. The router does not know what a state has. */
type State = { contactFilter?: ContactFilter; filteredBy?: number | undefined }

/**
 * The search and the filters of the list of contacts. Names and numbers must not stand in an address, so the
 * browser's history keeps the filter beside it. The back button and a reload find it there, but not for the next user
 * who signs in.
 */
export function useContactFilter() {
  const userId = useCurrentUser()?.id
  const { contactFilter = NONE, filteredBy = userId } = useLocation({ select: ({ state }) => state as State })
  const filter = filteredBy === userId ? contactFilter : NONE
  const address = useLocation({ select: ({ search }) => search })
  const navigate = useNavigate()
  const setFilter = (change: Partial<ContactFilter>) => {
    const state: State = { contactFilter: { ...filter, ...change }, filteredBy: userId }
    // The router wants the search of one known page.
    navigate({ to: '.', search: readListSearch({ ...address, page: 1 }) as never, state: state as never })
  }
  const { search, tagIds, fields, listId, importId, isOptedOut, onWhatsapp } = filter
  const isFiltered =
    search !== '' ||
    tagIds.length > 0 ||
    fields.length > 0 ||
    (listId ?? importId ?? isOptedOut ?? onWhatsapp) !== undefined
  return {
    filter,
    setFilter,
    isFiltered,
    clear: () =>
      setFilter({
        ...NONE,
        listId: undefined,
        importId: undefined,
        isOptedOut: undefined,
        onWhatsapp: undefined,
      }),
  }
}
