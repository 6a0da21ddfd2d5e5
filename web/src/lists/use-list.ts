import { limits } from '@sendroom/contract/limits'
import type { Page } from '@sendroom/contract/paging'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { usePolling } from '../api/live.ts'
import { type ListSearch, readListSearch, type SortDirection } from './list-search.ts'
import { usePageEnd } from './use-page-end.ts'

export type ListQuery<Sort extends string> = {
  page: number
  pageSize: number
  search: string
  sortBy: Sort | undefined
  sortDirection: SortDirection
}

type Options<Row, Sort extends string> = {
  /** What an action refreshes: `jobs`. */
  feature: string
  /** Fields the server can sort by. The first is the usual one. */
  sortFields: readonly [Sort, ...Sort[]]
  /** Null where none of them is: the server's own order. */
  usualSort?: null
  sortDirection: SortDirection
  load: (query: ListQuery<Sort>, signal: AbortSignal) => Promise<Page<Row>>
  /** How often to ask again while the server does not tell by itself what changes. */
  pollEvery?: (rows: Row[]) => number | false
  /** What a failure says: a key, where the global table's words are not the screen's. */
  words?: string
}

/**
 * The state of a list page. Page, size, search and sort live in the address; old rows stay while new ones load;
 * only rows on the page can be selected.
 */
export function useList<Row extends { id: number }, Sort extends string>(options: Options<Row, Sort>) {
  const { feature, sortFields, load, pollEvery, words } = options
  const usual = options.usualSort === null ? undefined : sortFields[0]
  const address: ListSearch = useSearch({ strict: false })
  const navigate = useNavigate()
  const query = {
    page: address.page ?? 1,
    pageSize: address.pageSize ?? limits.pageSize,
    search: address.search ?? '',
    sortBy: sortFields.find((field) => field === address.sortBy) ?? usual,
    sortDirection: address.sortDirection ?? options.sortDirection,
  }
  const polling = usePolling()
  const result = useQuery({
    queryKey: [feature, 'list', query],
    queryFn: ({ signal }) => load(query, signal),
    placeholderData: keepPreviousData,
    refetchInterval: (running) => polling(pollEvery?.(running.state.data?.data ?? []) ?? false),
    ...(words !== undefined && { meta: { words } }),
  })
  const rows = result.data?.data ?? []
  const pagination = result.data?.pagination

  const go = (change: ListSearch, replace = false) => {
    const search = readListSearch({ ...address, ...change })
    // The router asks for the search of one known page; this kit serves every list.
    navigate({ to: '.', search: search as never, replace })
  }

  usePageEnd(result, query.page, (page) => go({ page }, true))

  return {
    rows,
    pagination,
    query,
    sortFields: sortFields as readonly string[],
    isLoading: result.isPending,
    isRefreshing: result.isPlaceholderData,
    hasFailed: result.isError && result.data === undefined,
    retry: () => {
      result.refetch()
    },
    setPage: (page: number) => go({ page }),
    setPageSize: (pageSize: number) => go({ pageSize, page: 1 }),
    setSearch: (search: string) => go({ search, page: 1 }),
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

/** Derived from the rows on the page, so that a bulk action never carries an id nobody can see. */
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
