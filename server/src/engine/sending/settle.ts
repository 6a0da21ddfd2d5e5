import type { Reason } from '@sendroom/contract/values'
import type { Db } from '../../platform/database/connection.ts'
import { sql } from '../../platform/database/sql.ts'
import { firstPollAt } from '../receipts/poll.ts'
import { refundMessage } from '../shared/daily-cap.ts'
import { type InstanceChange, newTrouble, setInstanceState } from '../shared/instance-change.ts'
import { cappedLines, countLogLines, insertLogLines, recoveryLines, troubleLines } from '../shared/job-log.ts'
import { type Locking, lockInstances } from '../shared/lock.ts'
import { insertMatches } from '../shared/matched-ids.ts'
import { refundPeople, refundPrivate } from '../shared/private-pace.ts'
import { hasQueuedDelivery } from '../shared/queue.ts'
import type { IntendedMessage } from './intent.ts'
import type { OutcomeEffects } from './outcome-effects.ts'

/** A finished attempt and its effects. */
export type Result = { message: IntendedMessage; effects: OutcomeEffects }

export type Settled = {
  /** Our claim still holds, and the next message may go at once. */
  isHeld: boolean
  /** This was perhaps the job's last open delivery. */
  mayBeOver: boolean
}

export type SettledRow = Settled & { instanceId: number }

/**
 * Settles one attempt of each instance. A result may come late and may come twice: only a delivery that still carries
 * the same intent changes. `sent` is taken even after the look-ups have given up, any other result only while the
 * delivery is open.
 *
 * An instance whose lock somebody holds is left out of the returned rows with `locking` 'skip'.
 *
 * @throws an error for `isMatchedAlready` when another delivery has the provider's message id; nothing is written then.
 */
export const writeResults = (db: Db, results: Result[], locking: Locking) =>
  db.many<SettledRow>(sql`
    with mine as materialized (
      select r.*, i.next_due_at, i.waiting_since, i.waiting is not null as is_waiting, i.webhook_base, i.is_test
      from ${resultRows(results)} join instances i on i.id = r.instance_id
      ${lockInstances(locking)}
    ), settled as (
      ${settleDeliveries}
    ), matched as (
      ${insertMatches('settled')}
    ), changed as (
      ${changeInstances}
    ), forgotten as (
      ${refundPeople('settled', sql`settled.refund and settled.instance_id in (select id from changed)`)}
    ), line as (
      select job_id, line_level as level, line_reason::jsonb as reason from settled where line_reason is not null
    ), counted as (
      ${countLogLines('line')}
    ), logged as (
      -- A single insert for all lines, so that a trouble comes behind the failure that caused it.
      ${insertLogLines(sql`
        ${cappedLines('counted')} union all ${troubleLines('changed')} union all ${recoveryLines('settled')}`)}
    )
    -- Hash look-ups: joins would cost the square of the number of results.
    select r.instance_id,
      r.instance_id in (select id from changed where is_held) as is_held,
      r.id in (
        select s.id from settled s join jobs j on j.id = s.job_id
        where s.status <> 'doubt' and (j.status <> 'Running' or not ${hasQueuedDelivery})) as may_be_over
    from mine r`)

/** The results as a relation `r`, one row each. */
function resultRows(results: Result[]) {
  const messageOf = <T>(value: (message: IntendedMessage) => T) =>
    results.map(({ message }) => value(message))
  const effectOf = <T>(value: (effects: OutcomeEffects) => T) => results.map(({ effects }) => value(effects))
  const changeOf = <T>(value: (change: InstanceChange) => T) => effectOf(({ instance }) => value(instance))
  return sql`unnest(
    ${messageOf(({ id }) => id)}::bigint[], ${messageOf(({ intent }) => intent)}::uuid[],
    ${messageOf(({ instanceId }) => instanceId)}::bigint[], ${messageOf(({ jobType }) => jobType)}::text[],
    ${effectOf(({ status }) => status)}::text[], ${effectOf(({ reason }) => jsonText(reason))}::text[],
    ${effectOf(({ providerMessageId }) => providerMessageId)}::text[],
    ${effectOf(({ retryInMs }) => Math.ceil(retryInMs))}::bigint[],
    ${effectOf(({ refund }) => refund)}::boolean[],
    ${effectOf(({ logLine }) => logLine?.level ?? null)}::text[],
    ${effectOf(({ logLine }) => jsonText(logLine?.reason))}::text[],
    ${changeOf(({ failuresInARow }) => failuresInARow)}::int[], ${changeOf(({ busyInARow }) => busyInARow)}::int[],
    ${changeOf(({ busy }) => jsonText(busy))}::text[], ${changeOf(({ holdMs }) => Math.ceil(holdMs))}::bigint[],
    ${changeOf(({ waiting }) => jsonText(waiting))}::text[], ${changeOf(({ status }) => status)}::text[]
  ) as r (id, intent, instance_id, job_type, status, reason, provider_message_id, retry_ms, refund,
    line_level, line_reason, failures_in_a_row, busy_in_a_row, busy, hold_ms, waiting, instance_status)`
}

const jsonText = (value: Reason | null | undefined) => (value ? JSON.stringify(value) : null)

/** The CTE `settled`: the deliveries of `mine`, with what the other CTEs need to know about them. */
const settleDeliveries = sql`
  update deliveries d
  set status = r.status, reason = r.reason::jsonb,
    provider_message_id = r.provider_message_id,
    sent_at = case
      when r.status <> 'sent' then null
      -- The failure counts for the day of the intent, so it is taken off that day.
      when d.status = 'failed' then d.intent_at
      else clock_now() end,
    ask_at = case when r.status = 'sent' then ${firstPollAt('r')} end,
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
  returning d.job_id, d.chat_id, d.intent_at, r.*,
    -- The pause counts from the end of the send, so that a slow send does not shorten it.
    greatest(r.next_due_at + (clock_now() - d.intent_at), clock_now() + r.hold_ms * interval '1 ms') as due_at`

/**
 * The claim stays only while the next message may go at once. Otherwise any worker claims the instance when it is due.
 */
const mayGoOnAtOnce = sql`(r.due_at <= clock_now() and r.waiting is null)`

/** WhatsApp lets the instance begin no chat, with this person or with anybody. */
const isRefusal = sql`(
  r.job_type = 'SendToUsers' and coalesce(r.reason::jsonb->>'code' in ('no_first_message', 'account_restricted', 'capped_by_whatsapp'), false)
)`

/** The CTE `changed`: the instances of the deliveries in `settled`. */
const changeInstances = sql`
  update instances i
  set in_flight = null, next_due_at = r.due_at,
    claim = case when ${mayGoOnAtOnce} then i.claim end,
    lease_until = case when ${mayGoOnAtOnce} then i.lease_until end,
    sent_by_hour = case when r.refund
      then ${refundMessage('r.job_type', 'r.intent_at')} else i.sent_by_hour end,
    ${refundPrivate('r', sql`r.refund`, isRefusal)},
    ${setInstanceState(sql`r.status = 'sent'`)}
  from settled r
  where i.id = r.instance_id and i.in_flight = r.id
  returning i.id, i.claim is not null as is_held, ${newTrouble} as new_trouble`
