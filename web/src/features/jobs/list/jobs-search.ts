import { type JobFilter, jobFilters } from '@sendroom/contract/list-filters'
import { type LimitedSearch, readLimitedSearch } from '../../../lists/list-search.ts'

/** The list of jobs in its address. */
export type JobsSearch = LimitedSearch<JobFilter>
export const readJobsSearch = readLimitedSearch(jobFilters)
