import { type InstanceFilter, instanceFilters } from '@sendroom/contract/list-filters'
import { idOf } from '../../address.ts'
import { type ListSearch, readListSearch } from '../../lists/list-search.ts'

/**
 * The list of instances in its address. `only` is what the list is limited to, `scan` the instance whose QR code is
 * opened.
 */
export type InstancesSearch = ListSearch & { only?: InstanceFilter; scan?: number }

/** Reads it. Invalid values are dropped. */
export function readInstancesSearch(raw: Record<string, unknown>): InstancesSearch {
  const only = instanceFilters.find((known) => known === raw.only)
  const scan = idOf({ id: String(raw.scan) })
  return { ...readListSearch(raw), ...(only && { only }), ...(scan && { scan }) }
}
