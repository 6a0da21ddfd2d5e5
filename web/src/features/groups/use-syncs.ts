import type { InstanceRow } from '@sendroom/contract/instances'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { call } from '../../api/client.ts'
import { reportFailure } from '../../api/failure.ts'
import { useInstances } from '../../forms/use-instances.ts'

export const PAGE_SIZE = 1000
const POLL_MS = 1500
/** A sync waits its turn in the background; one that has not begun by now is no longer waited for. */
const BEGINS_WITHIN_MS = 30_000

/** `waits`: it was asked for, and has not begun yet. */
type Ended = { id: number; how: 'whole' | 'failed' | 'waits' }

/** The syncs of the accounts one sees, whoever began them: which run, how the newest ended, and how to start one. */
export function useSyncs() {
  const queryClient = useQueryClient()
  const [asked, setAsked] = useState<number | null>(null)
  const [ended, setEnded] = useState<Ended | null>(null)
  const { data: instances } = useInstances(
    PAGE_SIZE,
    undefined,
    (rows) => (asked !== null || rows.some(({ isSyncing }) => isSyncing)) && POLL_MS,
  )

  // What an answer tells that the one before it did not: adjusted while rendering, so that nothing is drawn between.
  const [known, setKnown] = useState(instances)
  if (instances !== known) {
    setKnown(instances)
    for (const { now, was } of pairs(instances, known)) {
      const hasEnded = !now.isSyncing && now.syncEndedAt !== was.syncEndedAt
      if (hasEnded) setEnded({ id: now.id, how: now.lastSyncAt === was.lastSyncAt ? 'failed' : 'whole' })
      if (now.id === asked && (now.isSyncing || hasEnded)) setAsked(null)
    }
  }

  useEffect(() => {
    if (ended) queryClient.invalidateQueries({ queryKey: ['groups'] })
  }, [ended, queryClient])

  useEffect(() => {
    if (asked === null) return
    const timer = setTimeout(() => {
      setAsked(null)
      setEnded({ id: asked, how: 'waits' })
    }, BEGINS_WITHIN_MS)
    return () => clearTimeout(timer)
  }, [asked])

  const start = useMutation({
    mutationFn: (id: number) => call('POST /instances/:id/sync', { params: { id } }),
    onMutate: setAsked,
    onSuccess: () => queryClient.invalidateQueries({ queryKey: ['instances', 'all'] }),
    onError: (error) => {
      setAsked(null)
      reportFailure(error)
    },
  })

  const running = instances?.filter(({ id, isSyncing }) => isSyncing || id === asked) ?? []
  const instance = instances?.find(({ id }) => id === ended?.id)
  return {
    instances,
    running,
    isAsked: asked !== null,
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
