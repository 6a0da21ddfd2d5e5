import { type InstanceFilter, instanceFilters } from '@sendroom/contract/list-filters'
import { idOf } from '../../address.ts'
import { type LimitedSearch, readLimitedSearch } from '../../lists/list-search.ts'

/**
 * The list of instances in its address. `only` is what the list is limited to, `scan` the instance whose QR code is
 * opened.
 */
export type InstancesSearch = LimitedSearch<InstanceFilter> & { scan?: number }

const readLimited = readLimitedSearch(instanceFilters)

/** Reads it. Invalid values are dropped. */
export function readInstancesSearch(raw: Record<string, unknown>): InstancesSearch {
  const scan = idOf({ id: String(raw.scan) })
  return { ...readLimited(raw), ...(scan && { scan }) }
}
