import { limits } from '@sendroom/contract/limits'
import { LOCKS, lock, tryLock } from '../../platform/database/advisory-lock.ts'
import type { Db, Pool } from '../../platform/database/connection.ts'
import { asInstant, json, type Sql, sql } from '../../platform/database/sql.ts'

/** Bounds the rows of one transaction. */
const SLICE = 5000
/** Longer than a batch takes. A worker that dies leaves its events to the others after this time. */
const LEASE = sql`interval '30 seconds'`
/** The events that are sent to a receiver at the same time. */
const BATCH = 10
const GIVEN_UP_AFTER = sql`interval '1 day'`
/** From 10 s after the first attempt, doubled each time, to an hour. */
const RETRY_IN = sql`least(power(2, least(attempts, 10)) * interval '10 seconds', interval '1 hour')`
/** How long a receiver rests after a batch that failed as a whole: from 5 s to five minutes. */
const REST = sql`least(power(2, least(failures, 10)) * interval '5 seconds', interval '5 minutes')`

/** Held while events are added to queues, so that no queue grows beyond its limit. */
const lockQueues = (tx: Db) => lock(tx, LOCKS.webhookQueues)

/** Whether there is anything to distribute, to send or to give up. Most looks end here. */
export async function hasWork(db: Db): Promise<boolean> {
  const { isAny } = await db.one<{ isAny: boolean }>(sql`
    select exists (select from webhook_events) or exists (select from webhook_queue)
      or exists (select from webhook_receivers where dropped > 0 and is_active) as is_any`)
  return isAny
}

/** Moves the new events into the queues, gives up old ones, and queues the news of those that were dropped. */
export async function distributeEvents(db: Pool): Promise<void> {
  let isMore = true
  while (isMore)
    isMore = await db.begin(async (tx) => {
      if (!(await mayDistribute(tx))) return false
      await giveUp(tx)
      const moved = await queueNewEvents(tx)
      await queueDropped(tx)
      return moved === SLICE
    })
}

/** Lets a single worker distribute, and after a promotion none before its era has begun: `NUMBER` could go back. */
async function mayDistribute(tx: Db): Promise<boolean> {
  if (!(await tryLock(tx, LOCKS.webhookQueues))) return false
  const { isOurs } = await tx.one<{ isOurs: boolean }>(
    sql`select timeline = current_timeline() as is_ours from heartbeat`,
  )
  return isOurs
}

/**
 * The number that receivers see. A standby that lagged, or a restored backup, gives sequences again that were sent
 * already. Its new era begins later by more microseconds than events can have been sent since, so the sum never goes
 * back.
 */
const NUMBER = sql`(
  select extract(epoch from history_complete_at) * 1000000 from heartbeat
)::bigint + sequence`

/** Returns the number of events that were moved. Those beyond a receiver's limit are only counted. */
async function queueNewEvents(tx: Db): Promise<number> {
  const { moved } = await tx.one<{ moved: number }>(sql`
    with new as materialized (
      delete from webhook_events
      where sequence in (select sequence from webhook_events order by sequence limit ${SLICE}) returning *
    ), receivers as materialized (
      select r.id, r.topics, (select count(*) from webhook_queue q
        where q.receiver_id = r.id and q.type <> 'events_dropped') as waiting
      from webhook_receivers r where r.is_active and exists (select from new) for key share of r
    ), addressed as materialized (
      select r.id as receiver_id, e.*, r.waiting + row_number() over (partition by r.id order by e.sequence) as place
      from receivers r join new e on split_part(e.type, '.', 1) = any(r.topics)
    ), queued as (
      insert into webhook_queue (receiver_id, event_id, type, body)
      select receiver_id, id, type, ${bodyOf(sql`id`, sql`type`, sql`at`, sql`'sequence', ${NUMBER}, 'data', data`)}
      from addressed where place <= ${limits.waitingEvents} order by sequence
    ), dropped as (
      update webhook_receivers r set dropped = r.dropped + d.n
      from (select receiver_id, count(*) as n from addressed where place > ${limits.waitingEvents} group by 1) d
      where r.id = d.receiver_id
    )
    select count(*) as moved from new`)
  return moved
}

/** Locks the receivers first, as everything that changes their queues: otherwise two transactions could deadlock. */
async function giveUp(tx: Db): Promise<void> {
  const isOld = sql`q.queued_at < clock_now() - ${GIVEN_UP_AFTER}`
  await tx.run(sql`
    with late as materialized (
      select id from webhook_receivers where id in (select receiver_id from webhook_queue q where ${isOld})
      for no key update
    ), old as (
      delete from webhook_queue where id in (
        select q.id from late join webhook_queue q on q.receiver_id = late.id where ${isOld} limit ${SLICE})
      returning receiver_id, case type when 'events_dropped' then (body::json->'data'->>'count')::bigint else 1 end as n
    )
    update webhook_receivers r set dropped = r.dropped + d.n
    from (select receiver_id, sum(n) as n from old group by 1) d where r.id = d.receiver_id`)
}

/** Queues an event with the number of dropped ones, unless one waits. The next one counts those dropped meanwhile. */
async function queueDropped(tx: Db): Promise<void> {
  const event = sql`jsonb_build_object('count', r.dropped)`
  await tx.run(sql`
    with due as (
      select r.id as receiver_id, gen_random_uuid() as id, ${event} as data from webhook_receivers r
      where r.dropped > 0 and r.is_active and not exists (
        select from webhook_queue q where q.receiver_id = r.id and q.type = 'events_dropped')
      for no key update
    ), counted as (
      update webhook_receivers r set dropped = 0 from due where r.id = due.receiver_id
    )
    insert into webhook_queue (receiver_id, event_id, type, body)
    select receiver_id, id, 'events_dropped', ${bodyOf(sql`id`, sql`'events_dropped'`, sql`clock_now()`, sql`'data', data`)}
    from due`)
}

/** The JSON of an event. */
const bodyOf = (id: Sql, type: Sql, at: Sql, rest: Sql) => sql`
  json_build_object('id', ${id}, 'type', ${type},
    'timestamp', ${asInstant(at)}, ${rest})::text`

/** A person waits for the attempt, so the event leaves before all others: it has been due since the epoch. */
export async function queueTest(tx: Db, receiverId: number): Promise<'queued' | 'full'> {
  await lockQueues(tx)
  await wake(tx, receiverId)
  const count = await tx.run(sql`
    insert into webhook_queue (receiver_id, event_id, type, body, due_at)
    select ${receiverId}, id, 'test', ${bodyOf(sql`id`, sql`'test'`, sql`clock_now()`, sql`'data', '{}'::json`)}, 'epoch'
    from (select gen_random_uuid() as id) event where ${hasRoom(receiverId)}`)
  return count > 0 ? 'queued' : 'full'
}

/** Queues the event of an attempt in the same way, whether it still waits, has arrived or was given up. */
export async function queueAgain(
  tx: Db,
  attempt: { receiverId: number; eventId: string; type: string; body: string },
): Promise<'queued' | 'full'> {
  const { receiverId, eventId, type, body } = attempt
  await lockQueues(tx)
  await wake(tx, receiverId)
  const count = await tx.run(sql`
    insert into webhook_queue (receiver_id, event_id, type, body, due_at)
    select ${receiverId}::bigint, ${eventId}::uuid, ${type}::text, ${body}::text, 'epoch'
    where ${hasRoom(receiverId)} or ${isQueued(receiverId, eventId)}
    on conflict (receiver_id, event_id) do update set due_at = 'epoch'`)
  return count > 0 ? 'queued' : 'full'
}

const isQueued = (receiverId: number, eventId: string) => sql`exists (
  select from webhook_queue where receiver_id = ${receiverId} and event_id = ${eventId}::uuid)`

const hasRoom = (receiverId: number) => sql`
  (select count(*) from webhook_queue where receiver_id = ${receiverId}) < ${limits.waitingEvents}`

/**
 * A person waits for the attempt, so the receiver need not rest. One without failures does not rest: if it is claimed,
 * a worker is sending to it, and another one would send the same events.
 */
const wake = (tx: Db, receiverId: number) =>
  tx.run(sql`update webhook_receivers set try_at = clock_now() where id = ${receiverId} and failures > 0`)

export type DueReceiver = {
  id: number
  url: string
  urlCipher: Buffer | null
  secretCipher: Buffer
  allowsOwnNetwork: boolean
  failures: number
}

/** Claims a receiver that has due events and does not rest. Until its `try_at` no other worker serves it. */
export async function claimReceiver(db: Pool): Promise<DueReceiver | null> {
  const due = await db.maybeOne<DueReceiver>(sql`
    update webhook_receivers set try_at = clock_now() + ${LEASE}
    where id = (
      select r.id from webhook_receivers r
      where r.is_active and r.try_at <= clock_now() and exists (
        select from webhook_queue q where q.receiver_id = r.id and q.due_at <= clock_now())
      order by r.try_at limit 1 for update skip locked)
    returning id, url, url_cipher, secret_cipher, allows_own_network, failures`)
  return due ?? null
}

export type DueEvent = { id: number; eventId: string; type: string; body: string }

/** A receiver that failed gets one event, to find out whether it is back. */
export const findDueEvents = (db: Db, { id, failures }: DueReceiver) =>
  db.many<DueEvent>(sql`
    select id, event_id, type, body from webhook_queue
    where receiver_id = ${id} and due_at <= clock_now()
    order by due_at, id limit ${failures > 0 ? 1 : BATCH}`)

/** The result of an attempt. Exactly one of `status` and `error` is set. */
export type Outcome = { durationMs: number; status: number | null; error: string | null }

const hasArrived = ({ status }: Outcome): boolean => status !== null && status >= 200 && status < 300

export type Attempted = { event: DueEvent; outcome: Outcome }

/** Saves what became of a batch, and ends the claim. */
export async function settleBatch(db: Pool, receiverId: number, attempted: Attempted[]): Promise<void> {
  const idsOf = (arrived: boolean) =>
    attempted.filter(({ outcome }) => hasArrived(outcome) === arrived).map(({ event }) => event.id)
  const [arrived, failed] = [idsOf(true), idsOf(false)]
  await db.begin(async (tx) => {
    await tx.run(
      arrived.length > 0 || failed.length === 0
        ? sql`update webhook_receivers set failures = 0, try_at = clock_now() where id = ${receiverId}`
        : sql`
          update webhook_receivers set failures = failures + 1, try_at = clock_now() + ${REST}
          where id = ${receiverId}`,
    )
    await tx.run(sql`delete from webhook_queue where id = any(${arrived}::bigint[])`)
    await tx.run(sql`
      update webhook_queue set attempts = attempts + 1, due_at = clock_now() + ${RETRY_IN}
      where id = any(${failed}::bigint[])`)
    await saveAttempts(tx, receiverId, attempted)
  })
}

async function saveAttempts(tx: Db, receiverId: number, attempted: Attempted[]) {
  const rows = attempted.map(({ event, outcome }) => ({
    event_id: event.eventId,
    type: event.type,
    body: event.body,
    duration_ms: outcome.durationMs,
    has_arrived: hasArrived(outcome),
    status: outcome.status,
    error: outcome.error,
  }))
  await tx.run(sql`
    insert into webhook_attempts (receiver_id, event_id, type, body, duration_ms, has_arrived, status, error)
    select r.id, a.* from webhook_receivers r, jsonb_to_recordset(${json(rows)}) as a (
      event_id uuid, type text, body text, duration_ms int, has_arrived boolean, status int, error text)
    where r.id = ${receiverId}`)
  await tx.run(sql`
    delete from webhook_attempts where id in (
      select id from (
        select id, row_number() over (partition by has_arrived order by id desc) as place
        from webhook_attempts where receiver_id = ${receiverId}) ranked
      where place > ${limits.attempts})`)
}
