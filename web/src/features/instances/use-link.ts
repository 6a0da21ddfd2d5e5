import type { Instance } from '@sendroom/contract/instances'
import { useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect, useState } from 'react'
import { Failure } from '../../api/failure.ts'
import { useRead } from '../../api/queries.ts'

const POLL_MS = 3000

/** `gone`: somebody has deleted the account, or taken it away from this user. */
export type Link = 'open' | 'connected' | 'gone'

/**
 * How far the linking of an account is; asks every three seconds until it is over, wherever that was done. What the
 * first answer knows may be an hour old: that the account is connected is believed once the server has seen it anew,
 * or the provider has said it to whoever asked for a code, who calls `onConnected`.
 */
export function useLink(id: number): { link: Link; onConnected: () => void } {
  const queryClient = useQueryClient()
  const [first, setFirst] = useState<Instance>()
  const [isConnected, setConnected] = useState(false)
  const { data, error } = useRead(
    'GET /instances/:id',
    { params: { id } },
    {
      refetchInterval: ({ state }) => !isConnected && linkOf(state, first) === 'open' && POLL_MS,
      // What was known before this dialog opened may be out of date.
      gcTime: 0,
      meta: { isQuiet: true },
    },
  )
  if (data && !first) setFirst(data)
  const link = isConnected ? 'connected' : linkOf({ data, error }, first)
  useEffect(() => {
    if (link !== 'open') queryClient.invalidateQueries({ queryKey: ['instances', 'list'] })
  }, [link, queryClient])
  return { link, onConnected: useCallback(() => setConnected(true), []) }
}

/** An answer to whoever asked for a code. */
export const isAlreadyConnected = (error: unknown) =>
  error instanceof Failure && error.code === 'already_connected'

type Answer = { data: Instance | undefined; error: unknown }

function linkOf({ data, error }: Answer, first: Instance | undefined): Link {
  if (error instanceof Failure && error.status === 404) return 'gone'
  const isNews = first !== undefined && data?.statusSeenAt !== first.statusSeenAt
  return isNews && data?.status === 'Connected' ? 'connected' : 'open'
}
