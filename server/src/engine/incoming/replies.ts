import type { Db, Pool, Tx } from '../../platform/database/connection.ts'
import { sql } from '../../platform/database/sql.ts'
import type { Said } from './said.ts'

/** Somebody has answered. */
type Reply = { instanceId: number; phone: string; saidAt: string }

/** Replies that are applied in one transaction. */
const SLICE = 1_000

/** The first message of each person who has not answered the instance yet. */
export async function findNewReplies(db: Db, said: readonly Said[]): Promise<Reply[]> {
  const replies = said.flatMap(({ phone, likelyPhone, ...one }) => {
    const sender = phone ?? likelyPhone
    return sender === null ? [] : [{ ...one, phone: sender }]
  })
  if (replies.length === 0) return []
  return await db.many<Reply>(sql`
    select distinct on (r.instance_id, r.phone) r.instance_id, r.phone, r.said_at
    from ${listed(replies)}
    where not exists (
      select from instance_people p
      where p.instance_id = r.instance_id and p.phone = r.phone and p.replied_at is not null)
    order by r.instance_id, r.phone, r.said_at`)
}

const listed = (replies: readonly Reply[]) => sql`
  unnest(${replies.map(({ instanceId }) => instanceId)}::bigint[], ${replies.map(({ phone }) => phone)}::text[],
    ${replies.map(({ saidAt }) => saidAt)}::timestamptz[]) r (instance_id, phone, said_at)`

/**
 * Whoever writes `instance_people` locks the instance first (shared/private-pace.ts). A webhook call waits for no such
 * lock. While somebody has it, the replies are stored for `applyDueReplies`.
 */
export async function recordReplies(tx: Tx, replies: readonly Reply[]): Promise<void> {
  if (replies.length === 0) return
  const free = await tx.many<{ id: number }>(sql`
    select i.id from instances i where i.id = any(${replies.map(({ instanceId }) => instanceId)})
    for no key update of i skip locked`)
  const locked = new Set(free.map(({ id }) => id))
  await apply(
    tx,
    replies.filter(({ instanceId }) => locked.has(instanceId)),
  )
  const due = replies.filter(({ instanceId }) => !locked.has(instanceId))
  if (due.length > 0)
    await tx.run(sql`
      insert into due_replies (instance_id, phone, said_at)
      select r.instance_id, r.phone, r.said_at
      from ${listed(due)} join instances i on i.id = r.instance_id
      order by 1, 2
      on conflict do nothing`)
}

/** Recurring work: applies replies that came while somebody had the lock of their instance. Returns how many. */
export async function applyDueReplies(db: Pool): Promise<number> {
  const isDue = await db.run(sql`select from due_replies limit 1`)
  if (isDue === 0) return 0
  return db.begin(async (tx) => {
    const free = await tx.many<{ id: number }>(sql`
      select i.id from instances i where i.id in (select instance_id from due_replies)
      for no key update of i skip locked`)
    const due = await tx.many<Reply>(sql`
      delete from due_replies where (instance_id, phone) in (
        select instance_id, phone from due_replies where instance_id = any(${free.map(({ id }) => id)}) limit ${SLICE})
      returning instance_id, phone, said_at`)
    await apply(tx, due)
    return due.length
  })
}

/**
 * Under the locks of the instances. Somebody who has answered is new no more. The first answer gives the instance back
 * one of the new people that it may write to (`countPrivate` has counted them by the day of the first message).
 */
async function apply(tx: Tx, replies: readonly Reply[]): Promise<void> {
  if (replies.length === 0) return
  await tx.run(sql`
    with answered as (
      insert into instance_people as p (instance_id, phone, replied_at)
      select r.instance_id, r.phone, r.said_at from ${listed(replies)}
      on conflict (instance_id, phone) do update set replied_at = excluded.replied_at where p.replied_at is null
      returning p.instance_id, p.first_sent_at
    ), given_back as (
      select i.id, array_agg('n' || local_day(a.first_sent_at, i.time_zone)) as entries
      from answered a join instances i on i.id = a.instance_id
      where a.first_sent_at > clock_now() - interval '30 days'
      group by i.id
    )
    update instances i
    set new_people_left = i.new_people_left + cardinality(g.entries), sent_by_day = take_back(i.sent_by_day, g.entries)
    from given_back g where g.id = i.id`)
}
