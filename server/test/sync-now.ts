import { type SyncDeps, syncDueGroups } from '../src/features/groups/sync.ts'
import { requestSync } from '../src/features/instances/instances.queries.ts'
import { sql } from '../src/platform/database/sql.ts'
import { until } from './until.ts'

export { requestSync }

const log = { warn() {} }

/** Asks for a sync of the instance's groups, as a user does, and syncs what is due, as a worker does. */
export async function syncNow(
  deps: Omit<SyncDeps, 'log'>,
  instanceId: number,
  signal = new AbortController().signal,
) {
  await requestSync(deps.db, instanceId)
  const countWaiting = () =>
    deps.db.run(sql`
      select from instances
      where id = ${instanceId} and is_active and sync_due_at <= clock_now()
        and coalesce(syncing_until, 'epoch') <= clock_now()`)
  // A worker passes over an instance that somebody has locked at that moment.
  await until('the sync begins', async () => {
    await syncDueGroups({ log, ...deps }, signal)
    return signal.aborted || (await countWaiting()) === 0
  })
}
