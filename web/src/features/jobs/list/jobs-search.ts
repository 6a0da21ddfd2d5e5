import { type JobFilter, jobFilters } from '@sendroom/contract/list-filters'
import { type ListSearch, readListSearch } from '../../../lists/list-search.ts'

/** The list of jobs in its address. `only` is what the list is limited to. */
export type JobsSearch = ListSearch & { only?: JobFilter }

/** Reads it. Invalid values are dropped. */
export function readJobsSearch(raw: Record<string, unknown>): JobsSearch {
  const only = jobFilters.find((known) => known === raw.only)
  return { ...readListSearch(raw), ...(only && { only }) }
}
