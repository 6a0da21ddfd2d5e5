import { type ListSearch, readListSearch } from '../../lists/list-search.ts'
import { idOf } from '../../paths.ts'

/** The list of instances in its address. `scan` is the instance whose QR code is opened. */
export type InstancesSearch = ListSearch & { scan?: number }

/** Reads it. Invalid values are dropped. */
export function readInstancesSearch(raw: Record<string, unknown>): InstancesSearch {
  const scan = idOf({ id: String(raw.scan) })
  return { ...readListSearch(raw), ...(scan && { scan }) }
}
