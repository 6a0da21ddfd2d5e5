import type { InstanceStatus } from '@sendroom/contract/instance-status'
import type { Reason } from '@sendroom/contract/values'
import type { Db, Pool } from '../../platform/database/connection.ts'
import { json, sql } from '../../platform/database/sql.ts'
import { knowsContent } from '../../platform/message-content.ts'
import { type EngineDeps, resolveProvider } from '../context.ts'
import { newTrouble, nextCheckAt, stoppedByFailures } from '../shared/instance-change.ts'
import { insertLogLines, reason, troubleLines } from '../shared/job-log.ts'
import { underLock } from '../shared/lock.ts'
import { wakeWorkers } from '../wake.ts'
import { readLimitsThatMatter, saveLimits } from './whatsapp-limits.ts'

/**
 * A status check saw the instance connected: sending resumes at once. An instance stopped by failures stays stopped,
 * since only a person resumes it. `waiting_since` stays as well: only a sent message proves the instance healthy, and
 * an unpaid one that looks connected must still reach the end of ACCOUNT_WAIT.
 */
export async function markInstanceHealthy(db: Db, instanceId: number): Promise<void> {
  const count = await db.run(sql`
    update instances i set waiting = null
    where i.id = ${instanceId} and i.waiting is not null and not ${stoppedByFailures('i')}`)
  if (count > 0) await wakeWorkers(db)
}

/** The provider reported that the instance can't send: its jobs wait from now on, and their logs say why. */
export async function markInstanceTrouble(db: Db, instanceId: number, status: InstanceStatus): Promise<void> {
  const trouble = troubleOf(status)
  if (!trouble) return
  await db.run(sql`
    with changed as (
      update instances i
      set waiting = ${json(trouble)}, waiting_since = clock_now(), try_again_at = ${nextCheckAt}
      where i.id = ${instanceId} and i.waiting is null
      returning i.id, ${newTrouble} as new_trouble
    )
    ${insertLogLines(troubleLines('changed'))}`)
}

/**
 * Nobody knows what the instance has sent, because its chat history can't be read. It waits as with any other trouble;
 * each check that finds it connected lets the history be read again. A person may resume it without that
 * (`resumeSending`).
 */
export const markHistoryUnreadable = (db: Db, instanceId: number) =>
  db.run(sql`
    with changed as (
      update instances i
      set waiting = ${json(reason('history_unreadable'))}, try_again_at = ${nextCheckAt},
        waiting_since = case when i.try_again_at > clock_now() - interval '1 day'
          then coalesce(i.waiting_since, clock_now()) else clock_now() end
      where i.id = ${instanceId} and i.waiting is null
      returning i.id, ${newTrouble} as new_trouble
    )
    ${insertLogLines(troubleLines('changed'))}`)

/** A person resumes sending, whatever the instance waits for. */
export async function resumeSending(db: Db, instanceId: number, byName: string): Promise<void> {
  await db.run(sql`
    with resumed as (
      update instances
      set waiting = null, waiting_since = null, failures_in_a_row = 0, restricted_until = null, capped_until = null,
        checked_era = case when waiting->>'code' = 'history_unreadable' then current_era() else checked_era end
      where id = ${instanceId} and (waiting is not null or greatest(restricted_until, capped_until) > clock_now())
        and ${knowsContent}
      returning id
    )
    ${insertLogLines(sql`
      select j.id, 'Info', ${json(reason('account_resumed_by', { user: byName }))}
      from resumed join jobs j on j.instance_id = resumed.id and j.status = 'Running'`)}`)
  await wakeWorkers(db)
}

/**
 * An inactive instance was activated. Its wait begins anew, because nobody could end its trouble while it was inactive.
 */
export const markInstanceActive = (db: Db, instanceId: number) =>
  db.run(sql`
    update instances set waiting_since = clock_now() where id = ${instanceId} and waiting_since is not null`)

export type WaitingInstance = { id: number; tokenCipher: Buffer; isTest: boolean }

/** Takes waiting instances whose status check is due. Each is taken by one worker. */
export const claimChecks = (db: Pool, limit: number) =>
  db.many<WaitingInstance>(sql`
    with running as materialized (
      select distinct instance_id from jobs where status = 'Running'
    ), due as materialized (
      select i.id from running join instances i on i.id = running.instance_id
      where i.waiting is not null and not ${stoppedByFailures('i')}
        and i.is_active and i.try_again_at <= clock_now()
      order by i.try_again_at
      limit ${limit}
      for no key update of i skip locked
    )
    update instances i set try_again_at = ${nextCheckAt}
    from due where i.id = due.id
    returning i.id, i.token_cipher, i.is_test`)

/**
 * Reads a waiting instance's status, and resumes sending when it is healthy. Without an answer nothing changes.
 *
 * @throws an error for `isLockTimedOut` if the instance is still locked when `isGivingUp`
 */
export async function checkInstance(
  deps: EngineDeps,
  waiting: WaitingInstance,
  isGivingUp: () => boolean,
): Promise<void> {
  const connection = resolveProvider(deps, { instanceId: waiting.id, ...waiting })
  if (!connection) return
  const { provider, credentials } = connection
  // Waking costs no extra call, and a sleeping channel would look disconnected for ever.
  const state = await provider.status(credentials, { wake: true }).catch(() => null)
  if (!state) return
  const { status } = state
  const write = <T>(work: (tx: Db) => Promise<T>) => underLock(deps.db, waiting.id, isGivingUp, work)
  await write((tx) =>
    tx.run(sql`
    update instances i
    set status = ${status}, status_seen_at = clock_now(),
      waiting = case when ${stoppedByFailures('i')} then i.waiting
        else coalesce(${json(troubleOf(status))}, i.waiting) end
    where i.id = ${waiting.id} and i.waiting is not null`),
  )
  if (!canSend(status)) return
  const limits = await readLimitsThatMatter(deps.db, connection, waiting.id)
  await write(async (tx) => {
    if (limits) await saveLimits(tx, waiting.id, limits)
    await markInstanceHealthy(tx, waiting.id)
  })
}

/** A Degraded instance can't read, but it can send. */
const canSend = (status: InstanceStatus) => status === 'Connected' || status === 'Degraded'

function troubleOf(status: InstanceStatus): Reason | null {
  if (status === 'NeedsLogin') return reason('account_not_linked')
  if (status === 'BadToken') return reason('account_bad_token')
  if (status === 'Unpaid') return reason('account_unpaid')
  return null
}
