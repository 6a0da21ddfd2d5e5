import type { EndpointName } from '@sendroom/contract'
import { QueryCache, QueryClient, type UseQueryOptions, useQuery } from '@tanstack/react-query'
import { call, type InputOf, type OutputOf, urlOf } from './client.ts'
import { takeEarlyData } from './early.ts'
import { Failure, reportFailure } from './failure.ts'

type FailureMeta = {
  /** Translation key of the failure's toast. */
  words?: string
  /** The screen shows the failure itself, so it is only logged. */
  isQuiet?: boolean
}

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
        // A failed refresh keeps the data on the screen. Repeated refreshes would fill the screen with toasts.
        // biome-ignore lint/suspicious/noConsole: a quiet failure is logged instead of shown
        if (meta?.isQuiet) console.warn(error)
        else if (state.data === undefined) reportFailure(error, meta?.words)
      },
    }),
    defaultOptions: {
      // Offline, a write fails at once. By default it would wait and happen later, unexpectedly.
      mutations: { networkMode: 'always' },
      queries: { retry: (count, error) => isNotReady(error) && count < 3, refetchOnWindowFocus: false },
    },
  })

/** The first part of a query key, by which an action refreshes all answers of a feature: `jobs` for `GET /jobs/:id`. */
export const featureOf = (name: EndpointName) => name.split('/')[1] ?? name

type ReadOptions<T> = Pick<
  UseQueryOptions<T>,
  'enabled' | 'refetchInterval' | 'meta' | 'staleTime' | 'gcTime'
>

/** Reads an endpoint: `useRead('GET /jobs/:id', { params: { id } })`. Failures are shown as a toast. */
export function useRead<N extends EndpointName>(
  name: N,
  input: InputOf<N>,
  options: ReadOptions<OutputOf<N>> = {},
) {
  return useQuery<OutputOf<N>>({
    queryKey: [featureOf(name), name, input],
    queryFn: ({ signal }) => call(name, input, signal),
    initialData: () => takeEarlyData(urlOf(name, input)) as OutputOf<N> | undefined,
    // Otherwise the query would read at once what it begins with.
    staleTime: ({ state }) => (state.data !== undefined && state.dataUpdateCount === 0 ? Infinity : 0),
    ...options,
  })
}
