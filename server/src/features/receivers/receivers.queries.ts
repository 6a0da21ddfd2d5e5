import { limits } from '@sendroom/contract/limits'
import type { Attempt, Receiver, ReceiverForm } from '@sendroom/contract/receivers'
import type { Db } from '../../platform/database/connection.ts'
import { assignments, sql, values } from '../../platform/database/sql.ts'

const rows = sql`
  select r.id, r.name, r.url, r.topics, r.is_active, r.allows_own_network, r.created_at,
    (select count(*) from webhook_queue q where q.receiver_id = r.id) as waiting,
    (select max(a.at) from webhook_attempts a where a.receiver_id = r.id and a.has_arrived) as arrived_at,
    (select max(a.at) from webhook_attempts a where a.receiver_id = r.id and not a.has_arrived) as failed_at
  from webhook_receivers r`

export const listReceivers = (db: Db) => db.many<Receiver>(sql`${rows} order by r.name, r.id`)

export async function findReceiver(db: Db, id: number): Promise<Receiver | null> {
  return (await db.maybeOne<Receiver>(sql`${rows} where r.id = ${id}`)) ?? null
}

export const listAttempts = (db: Db, receiverId: number) =>
  db.many<Attempt>(sql`
    select a.id, a.event_id, a.type, a.at, a.duration_ms, a.has_arrived, a.status, a.error, a.body,
      exists (select from webhook_queue q where q.receiver_id = a.receiver_id and q.event_id = a.event_id) as is_waiting
    from webhook_attempts a where a.receiver_id = ${receiverId} order by a.id desc limit ${2 * limits.attempts}`)

type StoredAttempt = { receiverId: number; eventId: string; type: string; body: string }

export async function findAttempt(db: Db, receiverId: number, id: number): Promise<StoredAttempt | null> {
  const attempt = await db.maybeOne<StoredAttempt>(sql`
    select receiver_id, event_id, type, body from webhook_attempts
    where id = ${id} and receiver_id = ${receiverId}`)
  return attempt ?? null
}

/** Locks the table against other new receivers, so that their number stays within the limit. Returns null beyond it. */
export async function insertReceiver(
  tx: Db,
  receiver: ReceiverForm & { secretCipher: Buffer },
): Promise<number | null> {
  await tx.run(sql`select pg_advisory_xact_lock(hashtext('sendroom receivers'))`)
  const { count } = await tx.one<{ count: number }>(sql`select count(*) as count from webhook_receivers`)
  if (count >= limits.receivers) return null
  const { id } = await tx.one<{ id: number }>(
    sql`insert into webhook_receivers ${values(receiver)} returning id`,
  )
  return id
}

/** A changed receiver need not rest. One without failures does not: a worker may be sending to it. */
export const updateReceiver = (tx: Db, id: number, form: ReceiverForm) =>
  tx.run(sql`
    update webhook_receivers set ${assignments(form)}, failures = 0,
      try_at = case when failures > 0 then clock_now() else try_at end
    where id = ${id}`)

export const deleteReceiver = (tx: Db, id: number) =>
  tx.run(sql`delete from webhook_receivers where id = ${id}`)
