import type { Reason } from '@sendroom/contract/values'
import type { Db } from '../platform/database/connection.ts'
import { isUniqueViolation } from '../platform/database/errors.ts'
import { identifier, json, type Sql, sql } from '../platform/database/sql.ts'
import { type AccountChange, type Consequence, type Note, reason } from './consequence.ts'
import type { Work } from './intent.ts'
import { type Locking, lockAccounts } from './lock.ts'
import { isRunning } from './pace.ts'
import { hasQueuedDelivery } from './queue.ts'
import { accountWaits } from './waits.ts'

/** Single recipients that a job's log tells about; the rest is in the list of recipients. */
const NOTES = 1000

/** What became of an attempt, and what follows from it. */
export type Result = { work: Work; after: Consequence }

export type Settled = {
  /** The account is still ours and may go on at once. */
  isHeld: boolean
  /** The job may have ended with this. */
  mayBeOver: boolean
}

export type SettledRow = Settled & { instanceId: number }

/**
 * Writes what became of attempts, of each account one. A result may come late and it may come twice: only the delivery
 * that still carries this very intent is settled. The provider's word that it was sent is taken even after the look-ups
 * had given up on it; anything else only while it is open. An account that is missing in the answer was passed over,
 * since somebody holds its lock. Rejects (see `isTaken`) when another delivery is credited with a provider's id.
 */
export function writeResults(db: Db, results: Result[], locking: Locking) {
  const of = <T>(value: (result: Result) => T) => results.map(value)
  const ofAccount = <T>(value: (account: AccountChange) => T) =>
    results.map(({ after }) => value(after.account))
  return db.many<SettledRow>(sql`
    with mine as materialized (
      select r.*, i.next_due_at, i.waiting_since, i.waiting is not null as is_waiting, i.webhook_base, i.is_test
      from unnest(${of(({ work }) => work.id)}::bigint[], ${of(({ work }) => work.intent)}::uuid[],
        ${of(({ work }) => work.instanceId)}::bigint[], ${of(({ work }) => work.jobType)}::text[],
        ${of(({ after }) => after.status)}::text[], ${of(({ after }) => jsonText(after.reason))}::text[],
        ${of(({ after }) => after.providerMessageId)}::text[],
        ${of(({ after }) => Math.ceil(after.retryInMs))}::bigint[],
        ${of(({ after }) => String(after.refund))}::text[], ${of(({ after }) => after.note?.level ?? null)}::text[],
        ${of(({ after }) => jsonText(after.note?.reason))}::text[],
        ${ofAccount((account) => account.failuresInARow)}::int[],
        ${ofAccount((account) => account.busyInARow)}::int[], ${ofAccount((account) => jsonText(account.busy))}::text[],
        ${ofAccount((account) => Math.ceil(account.holdMs))}::bigint[],
        ${ofAccount((account) => jsonText(account.waiting))}::text[], ${ofAccount((account) => account.status)}::text[])
        as r (id, intent, instance_id, job_type, status, reason, provider_message_id, retry_ms, refund,
          note_level, note_reason, failures_in_a_row, busy_in_a_row, busy, hold_ms, waiting, account_status)
        join instances i on i.id = r.instance_id
      ${lockAccounts(locking)}
    ), settled as (
      update deliveries d
      set status = r.status, reason = r.reason::jsonb,
        provider_message_id = r.provider_message_id,
        sent_at = case when r.status = 'sent' then clock_now() end,
        ask_at = case when r.status = 'sent' then ${firstAsk('r')} end,
        intent = case when r.status = 'queued' then null else d.intent end,
        not_before = case when r.status = 'queued' then clock_now() + r.retry_ms * interval '1 ms' else 'epoch' end,
        doubt_since = case when r.status = 'doubt' then coalesce(d.doubt_since, clock_now()) end,
        next_look_at = case when r.status = 'doubt' then coalesce(d.next_look_at, clock_now()) end,
        look_fails_since = case when r.status = 'doubt' then d.look_fails_since end,
        not_found_at = case when r.status = 'doubt' then d.not_found_at end,
        doubts = d.doubts + case when r.status = 'doubt' and d.status = 'sending' then 1 else 0 end
      from mine r
      where d.id = r.id and d.intent = r.intent
        and (d.status in ('sending', 'doubt') or (r.status = 'sent' and d.provider_message_id is null))
      returning d.job_id, d.intent_at, r.*,
        -- The pause counts from the end of the send: a slow one must not shorten it.
        greatest(r.next_due_at + (clock_now() - d.intent_at), clock_now() + r.hold_ms * interval '1 ms') as due_at
    ), credited as (
      ${creditMessages}
    ), changed as (
      update instances i
      set in_flight = null, next_due_at = r.due_at,
        claim = case when ${goesOn} then i.claim end,
        lease_until = case when ${goesOn} then i.lease_until end,
        sent_by_hour = case when r.refund::boolean
          then spend(i.sent_by_hour, chat_kind(r.job_type), r.intent_at, -1) else i.sent_by_hour end,
        ${setAccount(sql`r.status = 'sent'`)}
      from settled r
      where i.id = r.instance_id and i.in_flight = r.id
      returning i.id, i.claim is not null as is_held, ${newTrouble} as new_trouble
    ), note as (
      select job_id, note_level as level, note_reason::jsonb as reason from settled where note_reason is not null
    ), noted as (
      ${countNotes}
    ), told as (
      -- In one insert: a trouble stands behind the failure that caused it.
      insert into job_logs (job_id, log_level, reason)
      ${notesWithin} union all ${troubles} union all ${recoveries}
    )
    -- Each is asked by a hash: joined, they would cost the square of the results.
    select r.instance_id,
      r.instance_id in (select id from changed where is_held) as is_held,
      r.id in (
        select s.id from settled s join jobs j on j.id = s.job_id
        where s.status <> 'doubt' and (j.status <> 'Running' or not ${hasQueuedDelivery})) as may_be_over
    from mine r`)
}

/** Whether a message was credited to another delivery already: each is to one at most. */
export const isTaken = (error: unknown) => isUniqueViolation(error, 'credited_messages_pkey')

/** Remembers which deliveries the provider's ids belong to. Reads the CTE `settled`. */
export const creditMessages = sql`
  insert into credited_messages (instance_id, provider_message_id, delivery_id)
  select instance_id, provider_message_id, id from settled where status = 'sent'`

/**
 * In an update that makes a delivery of `account` sent: when to ask first what became of it, where no webhook tells
 * (see ask.ts). Test-mode accounts have theirs.
 */
export const firstAsk = (account: string) => sql`
  case when ${identifier(account)}.webhook_base is null and not ${identifier(account)}.is_test then clock_now() + interval '15 seconds' end`

/** A line about one recipient, unless the job's log tells about enough of them. */
export async function tellDelivery(db: Db, jobId: number, { level, reason }: Note): Promise<void> {
  await db.run(sql`
    with note as (
      select ${jobId}::bigint as job_id, ${level}::text as level, ${json(reason)} as reason
    ), noted as (
      ${countNotes}
    )
    insert into job_logs (job_id, log_level, reason) ${notesWithin}`)
}

/** Reads the CTE `note`, which has one line of a job at most. */
const countNotes = sql`
  update jobs j set noted = j.noted + 1 from note where j.id = note.job_id and j.noted <= ${NOTES}
  returning j.id, j.noted, note.level, note.reason`

/** Lines of the log: those counted in the CTE `noted`, as long as there are not too many of the job. */
const notesWithin = sql`
  select id, level, case when noted <= ${NOTES} then reason else ${json(reason('log_full'))} end from noted`

/** Whether the account goes on at once; else it is free for whoever finds it due first. */
const goesOn = sql`(r.due_at <= clock_now() and r.waiting is null)`

/**
 * The account's own columns, of the row `i`, by the row `r`. A trouble that comes back within a day is still the same
 * trouble: an account that looks well and refuses each message must come to the end of ACCOUNT_WAIT. A message that was
 * on its way when the provider told of a trouble proves nothing: it went out before.
 */
export const setAccount = (isProvenWell: Sql) => sql`
  failures_in_a_row = r.failures_in_a_row,
  busy_in_a_row = r.busy_in_a_row,
  busy = r.busy::jsonb,
  waiting = coalesce(r.waiting::jsonb, i.waiting),
  waiting_since = case
    when ${isProvenWell} and i.waiting is null then null
    when r.waiting is null or i.try_again_at > clock_now() - interval '1 day'
      then coalesce(i.waiting_since, case when r.waiting is not null then clock_now() end)
    else clock_now()
  end,
  try_again_at = case when r.waiting is null then i.try_again_at else ${nextCheckAt} end,
  status = coalesce(r.account_status, i.status),
  status_seen_at = case when r.account_status is null then i.status_seen_at else clock_now() end`

/** A waiting account is asked after 30 s, then each time after as long as it has waited, at most 10 minutes. */
export const nextCheckAt = sql`
  clock_now() + greatest(interval '30 seconds', least(interval '10 minutes', clock_now() - coalesce(i.waiting_since, clock_now())))`

/** In `returning`, after `setAccount`: why the account waits, if that has just begun. */
export const newTrouble = sql`
  case when i.waiting_since = clock_now() or i.waiting->>'code' = 'account_failures' then i.waiting end`

const troubles = sql`
  select j.id, 'Warning', ${accountWaits(sql`changed.new_trouble`)}
  from changed join jobs j on j.instance_id = changed.id and ${isRunning}
  where changed.new_trouble is not null`

/** Tells the running jobs of the account that it waits, once for each trouble. Reads the CTE `changed`. */
export const tellTrouble = sql`insert into job_logs (job_id, log_level, reason) ${troubles}`

/** Lines of the log of all running jobs whose account has proven well after a trouble. Reads the CTE `settled`. */
const recoveries = sql`
  select j.id, 'Info', ${json(reason('account_resumed'))}
  from settled join jobs j on j.instance_id = settled.instance_id and ${isRunning}
  where settled.status = 'sent' and settled.waiting_since is not null and not settled.is_waiting`

const jsonText = (value: Reason | null | undefined) => (value ? JSON.stringify(value) : null)
