import { type GroupKind, groupKinds } from '@sendroom/contract/list-filters'
import { type LimitedSearch, readLimitedSearch } from '../../lists/list-search.ts'

/** The list of groups in its address. */
export type GroupsSearch = LimitedSearch<GroupKind>
export const readGroupsSearch = readLimitedSearch(groupKinds)
