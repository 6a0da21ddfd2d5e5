import type { InstanceStatus } from '@sendroom/contract/instance-status'
import type { Reason } from '@sendroom/contract/values'
import type { Db, Pool } from '../platform/database/connection.ts'
import { json, sql } from '../platform/database/sql.ts'
import { reason } from './consequence.ts'
import { failQueued } from './life.ts'
import { nudge } from './nudge.ts'
import { type EngineParts, reach } from './parts.ts'
import { hasQueuedDelivery } from './queue.ts'
import { checkRestriction } from './restriction.ts'
import { newTrouble, nextCheckAt, tellTrouble } from './settle.ts'

/**
 * A status check saw the account connected: it sends again at once. The guard of ten failures stays: that one
 * is a person's to lift. `waiting_since` stays too: only a message that goes out proves the account well, and
 * an unpaid account that looks connected must still come to the end of ACCOUNT_WAIT.
 */
export async function accountIsWell(db: Pool, instanceId: number): Promise<void> {
  const count = await db.run(sql`
    update instances set waiting = null
    where id = ${instanceId} and waiting is not null and waiting->>'code' <> 'account_failures'`)
  if (count > 0) await nudge(db)
}

/** The provider has told by itself that the account can't send: its jobs wait from now on, and say why. */
export async function accountHasTrouble(db: Pool, instanceId: number, status: InstanceStatus): Promise<void> {
  const trouble = troubleOf(status)
  if (!trouble) return
  await db.run(sql`
    with changed as (
      update instances i
      set waiting = ${json(trouble)}, waiting_since = clock_now(), try_again_at = ${nextCheckAt}
      where i.id = ${instanceId} and i.waiting is null
      returning i.id, ${newTrouble} as new_trouble
    )
    ${tellTrouble}`)
}

/** A person looked into the account and lets it go on, whatever it waits for. */
export async function resumeAccount(db: Pool, instanceId: number, byName: string): Promise<void> {
  const told = reason('account_resumed_by', { user: byName })
  await db.run(sql`
    with resumed as (
      update instances set waiting = null, waiting_since = null, failures_in_a_row = 0, restricted_until = null
      where id = ${instanceId} and (waiting is not null or restricted_until > clock_now())
      returning id
    )
    insert into job_logs (job_id, log_level, reason)
    select j.id, 'Info', ${json(told)} from resumed join jobs j on j.instance_id = resumed.id and j.status = 'Running'`)
  await nudge(db)
}

/** An account that was inactive is back: while it was, nobody could end its trouble, and that time does not count. */
export const accountIsActive = (db: Db, instanceId: number) =>
  db.run(sql`
  update instances set waiting_since = clock_now() where id = ${instanceId} and waiting_since is not null`)

export type WaitingAccount = { id: number; tokenCipher: Buffer; isTest: boolean }

/** Waiting accounts whose turn it is to be asked how they are; each is given to one worker. */
export const claimChecks = (db: Pool, limit: number) =>
  db.many<WaitingAccount>(sql`
  with live as materialized (
    select distinct instance_id from jobs where status = 'Running'
  ), due as materialized (
    select i.id from live join instances i on i.id = live.instance_id
    where i.waiting is not null and i.waiting->>'code' <> 'account_failures'
      and i.is_active and i.try_again_at <= clock_now()
    order by i.try_again_at
    limit ${limit}
    for no key update of i skip locked
  )
  update instances i set try_again_at = ${nextCheckAt}
  from due where i.id = due.id
  returning i.id, i.token_cipher, i.is_test`)

/** Asks how a waiting account is, and lets it go on when it is well. A provider that can't say changes nothing. */
export async function checkAccount(parts: EngineParts, waiting: WaitingAccount): Promise<void> {
  const way = reach(parts, waiting)
  // Waking it costs nothing more, and a sleeping account would look disconnected for ever.
  const state = await way?.provider.status(way.account, { wake: true }).catch(() => null)
  if (!way || !state) return
  const { status } = state
  await parts.db.run(sql`
    update instances
    set status = ${status}, status_seen_at = clock_now(),
      waiting = case when waiting->>'code' = 'account_failures' then waiting
        else coalesce(${json(troubleOf(status))}, waiting) end
    where id = ${waiting.id} and waiting is not null`)
  if (!canSend(status)) return
  await checkRestriction(parts.db, way, waiting.id)
  await accountIsWell(parts.db, waiting.id)
}

/** Degraded can't read, but it can send. */
const canSend = (status: InstanceStatus) => status === 'Connected' || status === 'Degraded'

function troubleOf(status: InstanceStatus): Reason | null {
  if (status === 'NeedsLogin') return reason('account_not_linked')
  if (status === 'BadToken') return reason('account_bad_token')
  if (status === 'Unpaid') return reason('account_unpaid')
  return null
}

/**
 * Gives up on what has been due for `accountWaitMs` while its account was in trouble. Counted from the start of
 * the job, or since it goes on, at the earliest: former trouble is not held against it. Neither the guard nor a
 * paused job has an end of its own, nor a job of an inactive account: they wait for a person.
 */
export async function failOverdue(db: Pool, accountWaitMs: number): Promise<void> {
  const overdue = await db.many<{ id: number; waiting: Reason }>(sql`
    select j.id, i.waiting from jobs j join instances i on i.id = j.instance_id
    where j.status = 'Running' and j.paused_at is null and i.waiting is not null and i.waiting->>'code' <> 'account_failures'
      and i.is_active and greatest(i.waiting_since, j.started_at, j.resumed_at) + ${accountWaitMs} * interval '1 ms' <= clock_now()
      and ${hasQueuedDelivery}`)
  for (const { id, waiting } of overdue)
    await failQueued(db, id, reason('account_wait_over', { ...waiting.params, why: waiting.code }))
}
