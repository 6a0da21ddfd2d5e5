import type { Page } from '@sendroom/contract/paging'
import { useQuery } from '@tanstack/react-query'
import { usePolling } from './live.ts'

type LoadPage<Row> = (page: { page: number; pageSize: number }, signal: AbortSignal) => Promise<Page<Row>>

/**
 * All rows for a picker, page after page: nothing is cut off at the first one.
 * `of` names the feature and what sets these rows apart; `words` is the key of a failure's words.
 */
export function useAll<Row>(
  of: readonly [feature: string, ...rest: unknown[]],
  options: {
    pageSize: number
    words: string
    enabled?: boolean
    /** How often to ask again while the server does not tell by itself what changes. */
    pollEvery?: (rows: Row[]) => number | false
  },
  load: LoadPage<Row>,
) {
  const { pageSize, words, enabled = true, pollEvery } = options
  const polling = usePolling()
  return useQuery({
    queryKey: [of[0], 'all', ...of.slice(1)],
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
