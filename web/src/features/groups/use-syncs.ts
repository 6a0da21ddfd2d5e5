import type { InstanceRow } from '@sendroom/contract/instances'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { call } from '../../api/client.ts'
import { reportFailure } from '../../api/failure.ts'
import { useInstances } from '../../forms/use-choices.ts'

export const PAGE_SIZE = 1000
const POLL_MS = 1500
/** Syncs are queued on the server. After this time without a start, the page stops waiting for one. */
const START_WITHIN_MS = 30_000

/** `waits`: the sync was requested but has not started in time. */
type Ended = { id: number; how: 'whole' | 'failed' | 'waits' }

/** The syncs of all visible instances: the running ones, the newest result, and a function to start one. */
export function useSyncs() {
  const queryClient = useQueryClient()
  const [requested, setRequested] = useState<number | null>(null)
  const [ended, setEnded] = useState<Ended | null>(null)
  const { data: instances } = useInstances(
    PAGE_SIZE,
    undefined,
    (rows) => (requested !== null || rows.some(({ isSyncing }) => isSyncing)) && POLL_MS,
  )

  // Compares each answer with the previous one. Adjusting the state while rendering avoids an intermediate render.
  const [known, setKnown] = useState(instances)
  if (instances !== known) {
    setKnown(instances)
    for (const { now, was } of pairs(instances, known)) {
      const hasEnded = !now.isSyncing && now.syncEndedAt !== was.syncEndedAt
      if (hasEnded) setEnded({ id: now.id, how: now.lastSyncAt === was.lastSyncAt ? 'failed' : 'whole' })
      if (now.id === requested && (now.isSyncing || hasEnded)) setRequested(null)
    }
  }

  useEffect(() => {
    if (ended) queryClient.invalidateQueries({ queryKey: ['groups'] })
  }, [ended, queryClient])

  useEffect(() => {
    if (requested === null) return
    const timer = setTimeout(() => {
      setRequested(null)
      setEnded({ id: requested, how: 'waits' })
    }, START_WITHIN_MS)
    return () => clearTimeout(timer)
  }, [requested])

  const start = useMutation({
    mutationFn: (id: number) => call('POST /instances/:id/sync', { params: { id } }),
    onMutate: setRequested,
    onSuccess: () => queryClient.invalidateQueries({ queryKey: ['instances', 'all'] }),
    onError: (error) => {
      setRequested(null)
      reportFailure(error)
    },
  })

  const running = instances?.filter(({ id, isSyncing }) => isSyncing || id === requested) ?? []
  const instance = instances?.find(({ id }) => id === ended?.id)
  return {
    instances,
    running,
    isRequested: requested !== null,
    ended: ended && instance ? { instance, how: ended.how } : null,
    start: start.mutate,
  }
}

export type Syncs = ReturnType<typeof useSyncs>

function pairs(after: InstanceRow[] = [], before: InstanceRow[] = []) {
  const byId = new Map(before.map((instance) => [instance.id, instance]))
  return after.flatMap((now) => {
    const was = byId.get(now.id)
    return was ? [{ now, was }] : []
  })
}
