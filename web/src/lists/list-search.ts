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
