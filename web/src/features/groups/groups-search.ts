import type { Group } from '@sendroom/contract/groups'
import { type ListSearch, readListSearch } from '../../lists/list-search.ts'

/** The list of groups in its address. `kind` is what the list is limited to. */
export type GroupsSearch = ListSearch & { kind?: Group['kind'] }

/** Reads it. Invalid values are dropped. */
export function readGroupsSearch(raw: Record<string, unknown>): GroupsSearch {
  const { kind } = raw
  return { ...readListSearch(raw), ...((kind === 'group' || kind === 'channel') && { kind }) }
}
