import type { Page } from '@sendroom/contract/paging'
import { useQuery } from '@tanstack/react-query'
import { usePolling } from './event-stream.ts'

type LoadPage<Row> = (page: { page: number; pageSize: number }, signal: AbortSignal) => Promise<Page<Row>>

/**
 * Reads all pages of a list, for a picker. `scope` becomes part of the query key: the feature, and whatever
 * distinguishes these rows from the feature's others.
 */
export function useAll<Row>(
  scope: readonly [feature: string, ...rest: unknown[]],
  options: {
    pageSize: number
    /** Translation key of a failure's toast. */
    words: string
    enabled?: boolean
    /** Milliseconds between two reads while no events arrive; false for none. */
    pollEvery?: (rows: Row[]) => number | false
  },
  load: LoadPage<Row>,
) {
  const { pageSize, words, enabled = true, pollEvery } = options
  const polling = usePolling()
  return useQuery({
    queryKey: [scope[0], 'all', ...scope.slice(1)],
    queryFn: async ({ signal }) => {
      const rows: Row[] = []
      for (let page = 1, hasNext = true; hasNext; page += 1) {
        const answer = await load({ page, pageSize }, signal)
        rows.push(...answer.data)
        hasNext = answer.pagination.hasNext
      }
      return rows
    },
    meta: { words },
    refetchInterval: ({ state }) => polling(pollEvery?.(state.data ?? []) ?? false),
    enabled,
  })
}
