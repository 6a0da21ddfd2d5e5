import type { EndpointName } from '@sendroom/contract'
import { QueryCache, QueryClient, type UseQueryOptions, useQuery } from '@tanstack/react-query'
import { call, type InputOf, type OutputOf } from './client.ts'
import { Failure, reportFailure } from './failure.ts'

/** `words`: the screen's own words for a failure, a key; `isQuiet`: the screen shows it itself, and it is only logged. */
type FailureMeta = { words?: string; isQuiet?: boolean }

declare module '@tanstack/react-query' {
  interface Register {
    queryMeta: FailureMeta
  }
}

const isNotReady = (error: unknown) => error instanceof Failure && error.status === 503

export const createQueryClient = () =>
  new QueryClient({
    queryCache: new QueryCache({
      onError: (error, { meta, state }) => {
        // A refresh that fails leaves the screen as it is; one that is repeated would fill it with toasts.
        // biome-ignore lint/suspicious/noConsole: what nobody is told is at least logged
        if (meta?.isQuiet) console.warn(error)
        else if (state.data === undefined) reportFailure(error, meta?.words)
      },
    }),
    defaultOptions: {
      // Without a network a write fails at once, instead of happening later when nobody expects it.
      mutations: { networkMode: 'always' },
      queries: { retry: (count, error) => isNotReady(error) && count < 3, refetchOnWindowFocus: false },
    },
  })

/** Answers of one feature share a key, so that an action can refresh them: `GET /jobs/:id` belongs to `jobs`. */
export const featureOf = (name: EndpointName) => name.split('/')[1] ?? name

type ReadOptions<T> = Pick<
  UseQueryOptions<T>,
  'enabled' | 'refetchInterval' | 'meta' | 'staleTime' | 'gcTime'
>

/** An answer for a screen: `useRead('GET /jobs/:id', { params: { id } })`. A failure makes its toast by itself. */
export function useRead<N extends EndpointName>(
  name: N,
  input: InputOf<N>,
  options: ReadOptions<OutputOf<N>> = {},
) {
  return useQuery<OutputOf<N>>({
    queryKey: [featureOf(name), name, input],
    queryFn: ({ signal }) => call(name, input, signal),
    ...options,
  })
}
