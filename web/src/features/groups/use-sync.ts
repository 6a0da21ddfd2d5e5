import type { Instance } from '@sendroom/contract/instances'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { call } from '../../api/client.ts'
import { reportFailure } from '../../api/failure.ts'

const POLL_MS = 1500
/** A sync waits its turn in the background; one that has not begun by now is no longer watched. */
const BEGINS_WITHIN_MS = 30_000

/** How a sync went: whole, with a `syncProblem`, or not begun yet. */
type SyncResult = { instance: Instance; isWhole: boolean }

/** Starts a sync of an account's groups and follows it to its end. */
export function useSync() {
  const queryClient = useQueryClient()
  return useMutation({
    mutationFn: syncGroups,
    onSuccess: () => queryClient.invalidateQueries({ queryKey: ['groups'] }),
    onError: (error) => reportFailure(error),
  })
}

async function syncGroups(id: number): Promise<SyncResult> {
  const input = { params: { id } }
  const before = await call('GET /instances/:id', input)
  await call('POST /instances/:id/sync', input)
  let hasBegun = false
  for (let waitedMs = 0; ; waitedMs += POLL_MS) {
    const instance = await call('GET /instances/:id', input)
    const isWhole = instance.lastSyncAt !== before.lastSyncAt
    hasBegun ||= instance.isSyncing || isWhole
    if (!instance.isSyncing && (hasBegun || waitedMs >= BEGINS_WITHIN_MS)) return { instance, isWhole }
    await new Promise((resolve) => setTimeout(resolve, POLL_MS))
  }
}

export type Sync = ReturnType<typeof useSync>
