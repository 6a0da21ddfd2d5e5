import type { Reason } from '@sendroom/contract/values'
import { type Db, isUniqueViolation, type Sql } from '../platform/database/connection.ts'
import {
  type AccountChange,
  type Attempt,
  type Consequence,
  consequenceOf,
  type Note,
  reason,
} from './consequence.ts'
import type { Work } from './intent.ts'
import { hasQueuedDelivery } from './queue.ts'
import { accountWaits } from './waits.ts'

/** Single recipients that a job's log tells about; the rest is in the list of recipients. */
const NOTES = 1000

export type Settled = {
  /** The account is still ours and may go on at once. */
  isHeld: boolean
  /** The job may have ended with this. */
  mayBeOver: boolean
}

/**
 * Writes what became of an attempt. It may come late and it may come twice: only the delivery that still
 * carries this very intent is settled. The provider's word that it was sent is taken even after the look-ups
 * had given up on it; anything else only while it is open.
 */
export async function settle(sql: Sql, work: Work, outcome: Attempt): Promise<Settled> {
  if (outcome.kind === 'media_gone')
    await sql`update jobs set media_id = null where id = ${work.jobId} and media_id = ${work.mediaId}`
  try {
    return await write(sql, work, consequenceOf(work, outcome, Math.random()))
  } catch (error) {
    if (!isUniqueViolation(error, 'deliveries_provider_message')) throw error
    // Another delivery has this id already: no proof that ours went out, and none that it did not.
    const doubtful: Attempt = { kind: 'unknown', reason: reason('provider_unreadable') }
    return write(sql, work, consequenceOf(work, doubtful, Math.random()))
  }
}

async function write(sql: Sql, work: Work, after: Consequence): Promise<Settled> {
  const { status, account } = after
  const [settled] = await sql<(Settled & { isHeld: boolean | null })[]>`
    with account as materialized (
      select i.id, i.next_due_at, i.waiting_since, i.webhook_base, i.is_test from instances i where i.id = ${work.instanceId} for no key update
    ), settled as (
      update deliveries d
      set status = ${status}, reason = ${json(sql, after.reason)},
        provider_message_id = ${after.providerMessageId},
        sent_at = case when ${status} = 'sent' then clock_now() end,
        ask_at = case when ${status} = 'sent' then ${firstAsk(sql)} end,
        intent = case when ${status} = 'queued' then null else d.intent end,
        not_before = case when ${status} = 'queued'
          then clock_now() + ${after.retryInMs} * interval '1 ms' else 'epoch' end,
        doubt_since = case when ${status} = 'doubt' then coalesce(d.doubt_since, clock_now()) end,
        next_look_at = case when ${status} = 'doubt' then coalesce(d.next_look_at, clock_now()) end,
        look_fails_since = case when ${status} = 'doubt' then d.look_fails_since end,
        not_found_at = case when ${status} = 'doubt' then d.not_found_at end,
        doubts = d.doubts + case when ${status} = 'doubt' and d.status = 'sending' then 1 else 0 end
      from account
      where d.id = ${work.id} and d.intent = ${work.intent}
        and (d.status in ('sending', 'doubt') or (${status} = 'sent' and d.provider_message_id is null))
      returning d.id, d.job_id, d.intent_at
    ), due as (
      -- The pause counts from the end of the send: a slow one must not shorten it.
      select settled.id, settled.intent_at, greatest(
        account.next_due_at + (clock_now() - settled.intent_at),
        clock_now() + ${account.holdMs} * interval '1 ms') as at
      from settled cross join account
    ), changed as (
      update instances i
      set in_flight = null, next_due_at = due.at,
        claim = case when ${goesOn(sql, account)} then i.claim end,
        lease_until = case when ${goesOn(sql, account)} then i.lease_until end,
        sent_by_hour = case when ${after.refund}
          then spend(i.sent_by_hour, chat_kind(${work.jobType}), due.intent_at, -1) else i.sent_by_hour end,
        ${setAccount(sql, account, status === 'sent')}
      from due
      where i.id = ${work.instanceId} and i.in_flight = due.id
      returning i.id, i.claim is not null as is_held, ${newTrouble(sql)} as new_trouble
    ), noted as (
      ${countNote(sql, sql`in (select job_id from settled where ${after.note !== null})`)}
    ), told as (
      ${insertNote(sql, after.note)}
    ), trouble_told as (
      ${tellTrouble(sql)}
    ), recovery_told as (
      insert into job_logs (job_id, log_level, reason)
      select j.id, 'Info', ${sql.json(reason('account_resumed'))}
      from account join settled on true join jobs j on j.instance_id = account.id and j.status = 'Running'
      where ${status} = 'sent' and account.waiting_since is not null
    )
    select (select is_held from changed) as is_held,
      ${status} <> 'doubt' and (j.status <> 'Running' or not ${hasQueuedDelivery(sql)}) as may_be_over
    from settled join jobs j on j.id = settled.job_id`
  return { isHeld: settled?.isHeld ?? false, mayBeOver: settled?.mayBeOver ?? false }
}

/**
 * In an update that makes a delivery of `account` sent: when to ask first what became of it, where no webhook tells
 * (see ask.ts). Test-mode accounts have theirs.
 */
export const firstAsk = (db: Db) => db`
  case when account.webhook_base is null and not account.is_test then clock_now() + interval '15 seconds' end`

/** A line about one recipient, unless the job's log tells about enough of them. */
export async function tellDelivery(db: Db, jobId: number, note: Note): Promise<void> {
  await db`with noted as (${countNote(db, db`= ${jobId}`)}) ${insertNote(db, note)}`
}

const countNote = (db: Db, jobs: ReturnType<Db>) => db`
  update jobs j set noted = j.noted + 1 where j.id ${jobs} and j.noted <= ${NOTES} returning j.id, j.noted`

const insertNote = (db: Db, note: Note | null) => db`
  insert into job_logs (job_id, log_level, reason)
  select id, ${note?.level ?? 'Info'},
    case when noted <= ${NOTES} then ${json(db, note?.reason ?? null)} else ${db.json(reason('log_full'))} end
  from noted`

/** Whether the account goes on at once; else it is free for whoever finds it due first. */
const goesOn = (db: Db, account: AccountChange) => db`(due.at <= clock_now() and ${account.waiting === null})`

/**
 * The account's own columns, of the row `i`. A trouble that comes back within a day is still the same trouble:
 * an account that looks well and refuses each message must come to the end of ACCOUNT_WAIT.
 */
export const setAccount = (db: Db, change: AccountChange, isProvenWell: boolean) => db`
  failures_in_a_row = ${change.failuresInARow},
  busy_in_a_row = ${change.busyInARow},
  busy = ${json(db, change.busy)},
  waiting = coalesce(${json(db, change.waiting)}, i.waiting),
  waiting_since = case
    when ${isProvenWell} then null
    when ${change.waiting === null} or i.try_again_at > clock_now() - interval '1 day'
      then coalesce(i.waiting_since, case when ${change.waiting !== null} then clock_now() end)
    else clock_now()
  end,
  try_again_at = case when ${change.waiting === null} then i.try_again_at else ${nextCheckAt(db)} end,
  status = coalesce(${change.status}, i.status),
  status_seen_at = case when ${change.status === null} then i.status_seen_at else clock_now() end`

/** A waiting account is asked after 30 s, then each time after as long as it has waited, at most 10 minutes. */
export const nextCheckAt = (db: Db) => db`
  clock_now() + greatest(interval '30 seconds', least(interval '10 minutes', clock_now() - coalesce(i.waiting_since, clock_now())))`

/** In `returning`, after `setAccount`: why the account waits, if that has just begun. */
export const newTrouble = (db: Db) => db`
  case when i.waiting_since = clock_now() or i.waiting->>'code' = 'account_failures' then i.waiting end`

/** Tells the running jobs of the account that it waits, once for each trouble. Reads the CTE `changed`. */
export const tellTrouble = (db: Db) => db`
  insert into job_logs (job_id, log_level, reason)
  select j.id, 'Warning', ${accountWaits(db, db`changed.new_trouble`)}
  from changed join jobs j on j.instance_id = changed.id and j.status = 'Running'
  where changed.new_trouble is not null`

export const json = (db: Db, value: Reason | null) => db`${value === null ? null : db.json(value)}::jsonb`
