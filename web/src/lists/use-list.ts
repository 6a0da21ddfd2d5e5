import { limits } from '@sendroom/contract/limits'
import type { Page } from '@sendroom/contract/paging'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { usePolling } from '../api/event-stream.ts'
import { type ListSearch, readListSearch, type SortDirection } from './list-search.ts'

export type ListQuery<Sort extends string> = {
  page: number
  pageSize: number
  /** Left out without a search, so that the call carries none. */
  search?: string
  sortBy: Sort | undefined
  sortDirection: SortDirection
}

type Options<Row, Sort extends string> = {
  /** The first part of the query key, such as `jobs`. Actions refresh by it. */
  feature: string
  /** Fields that the server can sort by. The first one is the default. */
  sortFields: readonly [Sort, ...Sort[]]
  /** Null leaves the default order to the server. */
  defaultSort?: null
  sortDirection: SortDirection
  /** Further filters that the page keeps in the address and adds to the call in `load`. */
  filters?: Record<string, string>
  /** A search that stays out of the address, because it names people. The key has it with all other filters. */
  hidden?: { key: object; search: string; setSearch: (search: string) => void }
  load: (query: ListQuery<Sort>, signal: AbortSignal) => Promise<Page<Row>>
  /** Milliseconds between two reads while no events arrive; false for none. */
  pollEvery?: (rows: Row[]) => number | false
  /** Translation key of a failure's toast. By default the toast says what `failureText` says. */
  words?: string
}

/**
 * The state of a list page. Page, size, search and sort are stored in the address. The old rows stay while new ones
 * load. Only rows of the current page can be selected.
 */
export function useList<Row extends { id: number }, Sort extends string>(options: Options<Row, Sort>) {
  const { feature, sortFields, filters, hidden, load, pollEvery, words } = options
  const defaultField = options.defaultSort === null ? undefined : sortFields[0]
  const address: ListSearch = useSearch({ strict: false })
  const navigate = useNavigate()
  const query = {
    page: address.page ?? 1,
    pageSize: address.pageSize ?? limits.pageSize,
    search: (hidden ? hidden.search : address.search) ?? '',
    sortBy: sortFields.find((field) => field === address.sortBy) ?? defaultField,
    sortDirection: address.sortDirection ?? options.sortDirection,
  }
  const { search: _, ...unsearched } = query
  const callQuery = query.search === '' ? unsearched : query
  const polling = usePolling()
  const result = useQuery({
    queryKey: [feature, 'list', { ...query, ...filters, ...hidden?.key }],
    queryFn: ({ signal }) => load(callQuery, signal),
    placeholderData: keepPreviousData,
    refetchInterval: (running) => polling(pollEvery?.(running.state.data?.data ?? []) ?? false),
    ...(words !== undefined && { meta: { words } }),
  })
  const rows = result.data?.data ?? []
  const pagination = result.data?.pagination

  const go = (change: ListSearch, replace = false) => {
    const search = { ...readListSearch({ ...address, ...change }), ...filters }
    // The router wants the search type of one known page, but this hook serves every list.
    // The state has hidden filters.
    navigate({ to: '.', search: search as never, replace, state: true })
  }

  useClampPage(result, query.page, (page) => go({ page }, true))

  return {
    rows,
    pagination,
    query,
    isLoading: result.isPending,
    isRefreshing: result.isPlaceholderData,
    hasFailed: result.isError && result.data === undefined,
    retry: () => {
      result.refetch()
    },
    setPage: (page: number) => go({ page }),
    setPageSize: (pageSize: number) => go({ pageSize, page: 1 }),
    setSearch: hidden?.setSearch ?? ((search: string) => go({ search, page: 1 })),
    setSort: (sortBy: string, sortDirection: SortDirection) => go({ sortBy, sortDirection, page: 1 }),
    ...useSelection(rows),
  }
}

export type List<Row> = Omit<
  ReturnType<typeof useList<Row & { id: number }, string>>,
  'rows' | 'selected'
> & {
  rows: Row[]
  selected: Row[]
}

/** The selection is derived from the visible rows, so that a bulk action never includes an invisible one. */
function useSelection<Row extends { id: number }>(rows: Row[]) {
  const [ids, setIds] = useState<ReadonlySet<number>>(new Set())
  const selected = rows.filter((row) => ids.has(row.id))
  const isAllSelected = rows.length > 0 && selected.length === rows.length
  return {
    selected,
    isAllSelected,
    toggle: (id: number) => setIds(ids.has(id) ? without(ids, id) : new Set([...ids, id])),
    toggleAll: () => setIds(new Set(isAllSelected ? [] : rows.map((row) => row.id))),
  }
}

const without = (ids: ReadonlySet<number>, id: number) => new Set([...ids].filter((other) => other !== id))

type PagedResult = { data: Page<unknown> | undefined; isPlaceholderData: boolean }

/** Goes to the last page when the current one lies beyond it, because such a page would offer no way back. */
export function useClampPage(
  { data, isPlaceholderData }: PagedResult,
  page: number,
  setPage: (page: number) => void,
) {
  useEffect(() => {
    if (isPlaceholderData || !data) return
    const { totalCount, totalPages } = data.pagination
    if (data.data.length === 0 && totalCount > 0 && page > totalPages) setPage(totalPages)
  })
}
