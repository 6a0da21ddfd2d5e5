import type { Contact, ContactFilter, ContactSelection } from '@sendroom/contract/contacts'
import { useState } from 'react'
import type { List } from '../../lists/use-list.ts'

export type Chosen = {
  selection: ContactSelection
  count: number
  /** Whether all that match are chosen, and not only those of the page. */
  areAll: boolean
  chooseAll: () => void
}

/** The chosen contacts. All that match are chosen for one filter, and as long as the page's rows stay selected. */
export function useChosen(list: List<Contact>, filter: ContactFilter): Chosen {
  const [allOf, setAllOf] = useState<ContactFilter | null>(null)
  const areAll = allOf === filter && list.isAllSelected
  return {
    selection: areAll ? { filter } : { ids: list.selected.map(({ id }) => id) },
    count: areAll ? (list.pagination?.totalCount ?? 0) : list.selected.length,
    areAll,
    chooseAll: () => setAllOf(filter),
  }
}
