import { limits, pageSizes } from '@sendroom/contract/limits'

export type SortDirection = 'asc' | 'desc'

/** A list's state in its address. Default values are omitted. */
export type ListSearch = {
  page?: number
  pageSize?: number
  search?: string
  sortBy?: string
  sortDirection?: SortDirection
}

/** Reads a list's state from its address. Invalid values are dropped, since anybody can type an address. */
export function readListSearch(raw: Record<string, unknown>): ListSearch {
  const page = Number(raw.page)
  const pageSize = Number(raw.pageSize)
  const search = String(raw.search ?? '').slice(0, limits.search)
  const { sortBy, sortDirection } = raw
  return {
    ...(Number.isSafeInteger(page) && page > 1 && page <= 1_000_000 && { page }),
    ...(pageSizes.some((size) => size === pageSize) && pageSize !== limits.pageSize && { pageSize }),
    ...(search !== '' && { search }),
    ...(typeof sortBy === 'string' && sortBy !== '' && { sortBy }),
    ...((sortDirection === 'asc' || sortDirection === 'desc') && { sortDirection }),
  }
}

/** A list's state, with `only`: what the list is limited to. */
export type LimitedSearch<Only extends string> = ListSearch & { only?: Only }

/** Reads the state of a list that its address may limit to one of these values. */
export const readLimitedSearch =
  <Only extends string>(values: readonly Only[]) =>
  (raw: Record<string, unknown>): LimitedSearch<Only> => {
    const only = values.find((known) => known === raw.only)
    return { ...readListSearch(raw), ...(only && { only }) }
  }
