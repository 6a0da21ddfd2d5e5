import { limits, pageSizes } from '@sendroom/contract/limits'

export type SortDirection = 'asc' | 'desc'

/** What a list's address says; what is as usual is left out of it. */
export type ListSearch = {
  page?: number
  pageSize?: number
  search?: string
  sortBy?: string
  sortDirection?: SortDirection
}

/** Reads an address that anybody may have typed. */
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
