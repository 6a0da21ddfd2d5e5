import type { Instance, InstanceRow } from '@sendroom/contract/instances'
import { useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect, useState } from 'react'
import { Failure } from '../../api/failure.ts'
import { useRead } from '../../api/queries.ts'

const POLL_MS = 3000

/**
 * `connected`: the instance was linked while the dialog was open, so the server reads its groups now. `already`: the
 * instance was linked before, so nothing changes. `gone`: the instance was deleted or is no longer assigned to this
 * user.
 */
export type Link = 'open' | 'connected' | 'already' | 'gone'

/**
 * Polls the state of linking an instance every three seconds until it ends, whoever links it. The status in the first
 * answer may be an hour old. So `Connected` counts only once the server has confirmed it again, or once the provider
 * has answered a request for a code with it, in which case the caller calls `onConnected`.
 */
export function useLink({ id, status }: Pick<InstanceRow, 'id' | 'status'>): {
  link: Link
  onConnected: () => void
} {
  const queryClient = useQueryClient()
  const [first, setFirst] = useState<Instance>()
  const [isConnected, setConnected] = useState(false)
  const [wasUnlinked, setWasUnlinked] = useState(status !== 'Connected')
  const { data, error } = useRead(
    'GET /instances/:id',
    { params: { id } },
    {
      refetchInterval: ({ state }) => !isConnected && linkOf(state, first) === 'open' && POLL_MS,
      // No cache, because an answer from before the dialog opened may be stale.
      gcTime: 0,
      meta: { isQuiet: true },
    },
  )
  if (data && !first) setFirst(data)
  if (data && data.status !== 'Connected' && !wasUnlinked) setWasUnlinked(true)
  const state = isConnected ? 'connected' : linkOf({ data, error }, first)
  const link = state === 'connected' && !wasUnlinked ? 'already' : state
  useEffect(() => {
    if (link !== 'open') queryClient.invalidateQueries({ queryKey: ['instances', 'list'] })
  }, [link, queryClient])
  return { link, onConnected: useCallback(() => setConnected(true), []) }
}

/** Whether the provider refused a code because the instance is already connected. */
export const isAlreadyConnected = (error: unknown) =>
  error instanceof Failure && error.code === 'already_connected'

type Answer = { data: Instance | undefined; error: unknown }

function linkOf({ data, error }: Answer, first: Instance | undefined): Link {
  if (error instanceof Failure && error.status === 404) return 'gone'
  const isConfirmedAgain = first !== undefined && data?.statusSeenAt !== first.statusSeenAt
  return isConfirmedAgain && data?.status === 'Connected' ? 'connected' : 'open'
}
