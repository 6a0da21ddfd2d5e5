import type { ContactList, ListFilter } from '@sendroom/contract/lists'
import { type Difference, differenceOf, sorted } from '../../forms/differences.tsx'
import { enumerated, labelled } from '../../i18n/punctuation.ts'

export type ListValues = {
  name: string
  kind: ContactList['kind']
  /** Kept while the kind is `fixed`, so that nothing typed is lost. */
  filter: ListFilter
  isForAll: boolean
  userIds: number[]
}

export const blank: ListValues = {
  name: '',
  kind: 'fixed',
  filter: { search: '', tagIds: [], fields: [] },
  isForAll: false,
  userIds: [],
}

export const valuesOf = ({ name, kind, filter, isForAll, users }: ContactList): ListValues => ({
  name,
  kind,
  filter: filter ?? blank.filter,
  isForAll,
  userIds: users.map(({ id }) => id),
})

export const bodyOf = ({ kind, filter, ...values }: ListValues) => ({
  ...values,
  filter: kind === 'filter' ? filter : null,
})

export function compareList(mine: ListValues, list: ContactList): Difference[] {
  const theirs = valuesOf(list)
  const nameOf = new Map(list.users.map(({ id, name }) => [id, name]))
  const showUsers = (ids: number[]) => enumerated(ids.map((id) => nameOf.get(id) ?? `#${id}`))
  return [
    ...differenceOf('LIST.NAME', mine.name, theirs.name),
    ...differenceOf('LIST.FILTER', mine.filter, theirs.filter, showFilter),
    ...differenceOf('LIST.IS_FOR_ALL', mine.isForAll, theirs.isForAll),
    ...differenceOf('LIST.SHARED', sorted(mine.userIds), sorted(theirs.userIds), showUsers),
  ]
}

const showFilter = ({ search, tagIds, fields }: ListFilter) =>
  enumerated([
    search,
    ...tagIds.map((id) => `#${id}`),
    ...fields.map(({ key, value }) => labelled(key, String(value))),
  ])
