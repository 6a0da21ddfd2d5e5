import { useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { Failure } from '../../api/failure.ts'
import { useRead } from '../../api/queries.ts'

const POLL_MS = 3000

/** `gone`: somebody has deleted the account, or taken it away from this user. */
export type Link = 'open' | 'connected' | 'gone'

/** How far the linking of an account is; asks every three seconds until it is over, wherever that was done. */
export function useLink(id: number): Link {
  const queryClient = useQueryClient()
  const { data, error } = useRead(
    'GET /instances/:id',
    { params: { id } },
    {
      refetchInterval: ({ state }) => linkOf(state) === 'open' && POLL_MS,
      // What was known before this dialog opened may be out of date.
      gcTime: 0,
      meta: { isQuiet: true },
    },
  )
  const link = linkOf({ data, error })
  useEffect(() => {
    if (link !== 'open') queryClient.invalidateQueries({ queryKey: ['instances', 'list'] })
  }, [link, queryClient])
  return link
}

function linkOf({ data, error }: { data: { status: string } | undefined; error: unknown }): Link {
  if (error instanceof Failure && error.status === 404) return 'gone'
  return data?.status === 'Connected' ? 'connected' : 'open'
}
