import { pageSizes } from '@sendroom/contract/limits'
import { type RecipientOutcome, recipientOutcomes } from '@sendroom/contract/recipient-outcomes'
import { type ListSearch, readListSearch } from '../../../lists/list-search.ts'

/** Which recipients of a job its page shows, in the page's address. Default values are omitted. */
export type JobSearch = Pick<ListSearch, 'page' | 'pageSize' | 'search'> & { outcome?: RecipientOutcome }

export const RECIPIENTS_PER_PAGE = 25

/** Reads the page's state from its address. Invalid values are dropped. */
export function readJobSearch(raw: Record<string, unknown>): JobSearch {
  const { page, search } = readListSearch(raw)
  const pageSize = pageSizes.find((size) => size === Number(raw.pageSize) && size !== RECIPIENTS_PER_PAGE)
  const outcome = recipientOutcomes.find((known) => known === raw.outcome)
  return {
    ...(page && { page }),
    ...(pageSize && { pageSize }),
    ...(search && { search }),
    ...(outcome && { outcome }),
  }
}
