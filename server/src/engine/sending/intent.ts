import type { Reason } from '@sendroom/contract/values'
import type { Db } from '../../platform/database/connection.ts'
import { json, sql } from '../../platform/database/sql.ts'
import { knowsContent } from '../../platform/message-content.ts'
import { countMessage, refundMessage } from '../shared/daily-cap.ts'
import { knowsPersonalTexts, textOfDelivery } from '../shared/delivery-text.ts'
import { type JobContent, jobContent } from '../shared/job-content.ts'
import { reason } from '../shared/job-log.ts'
import { type Locking, lockInstances } from '../shared/lock.ts'
import { markMentioned, mentionsOfDelivery, needsMembers, recordMentions } from '../shared/mentions.ts'
import { drawPause, instanceMaySend, isRunning, jobMaySend } from '../shared/pace.ts'
import {
  countPrivate,
  hasLimits,
  knowsLimits,
  nextDeliveryWithin,
  personOfDelivery,
  recordPeople,
  refundPeople,
  refundPrivate,
} from '../shared/private-pace.ts'
import { type Claim, LEASE_LEFT_MS, LEASE_MS } from './claim.ts'

/** A committed intent: this worker may send this message once, now. */
export type IntendedMessage = JobContent & {
  kind: 'send'
  id: number
  intent: string
  instanceId: number
  jobId: number
  jobType: string
  chatId: string
  recipientName: string
  /** Null if the text of a personal job is missing, such as after a restore by hand. Nothing is sent then. */
  text: string | null
  /** The id of the uploaded image or file at the provider; null for a message without one. */
  mediaId: string | null
  /** The numbers of the group members that the message mentions; null for none. */
  mentions: string[] | null
  attempt: number
  /** Why the last attempt was requeued, if there was one. */
  lastReason: Reason | null
  failuresInARow: number
  busyInARow: number
  tokenCipher: Buffer
  isTest: boolean
  /** In ms of the monotonic clock, taken before the intent was requested. */
  intendedAt: number
}

/** The job's image or file has to be uploaded first; no intent was written. */
export type Upload = {
  kind: 'upload'
  instanceId: number
  jobId: number
  mediaName: string
  busyInARow: number
  failuresInARow: number
  tokenCipher: Buffer
  isTest: boolean
}

/** The members of the group have to be read first, since the message mentions them; no intent was written. */
export type MembersStep = Omit<Upload, 'kind' | 'mediaName'> &
  Pick<IntendedMessage, 'id' | 'chatId' | 'lastReason'> & { kind: 'members' }

/**
 * `passed`: this delivery is not sent now or was sent before, the next may be. `nothing`: not now, or the claim is not
 * ours.
 */
export type NextStep = IntendedMessage | Upload | MembersStep | { kind: 'passed' } | { kind: 'nothing' }

/**
 * An instance requests its next message. The delivery will carry the token `intent`. `lastBeatSeen` is the last
 * heartbeat that this worker saw committed: in a database that was set back behind it, no intent is written.
 */
export type IntentRequest = { claim: Claim; intent: string; lastBeatSeen: number }

/** A step as the database returns it: the fields of a send are there for every kind. */
export type IntentRow = Omit<IntendedMessage, 'kind' | 'intendedAt'> & {
  kind: 'send' | 'upload' | 'members' | 'passed'
  mediaName: string
}

/**
 * Writes the intents of the instances' next messages, in a statement that commits before anything is sent. An instance
 * without a row in the answer has nothing to send now, is not ours, or (with `locking` 'skip') is locked by somebody.
 *
 * The instances are locked first, as a cancel locks them (jobs/lifecycle.ts). The updates of job and delivery test the
 * status again: a cancel that committed while this statement waited for the lock is seen although the snapshot is
 * older. So no intent follows a cancel, and nothing is sent without an intent.
 *
 * A delivery whose person has opted out is skipped in place of `sending`, by a trigger that tests this once the row is
 * locked (shared/opt-out.ts). `written` does not return it.
 *
 * Each CTE passes all columns on. Joining them again would cost the square of the number of instances.
 */
export const writeIntents = (db: Db, requests: IntentRequest[], locking: Locking) =>
  db.many<IntentRow>(sql`
    with mine as materialized (
      select request.intent, request.last_beat_seen, i.*
      from unnest(${requests.map(({ claim }) => claim.instanceId)}::bigint[],
        ${requests.map(({ claim }) => claim.token)}::uuid[], ${requests.map(({ intent }) => intent)}::uuid[],
        ${requests.map(({ lastBeatSeen }) => lastBeatSeen)}::bigint[])
        as request (instance_id, claim, intent, last_beat_seen)
        join instances i on i.id = request.instance_id and i.claim = request.claim
      ${lockInstances(locking)}
    ), next as materialized (
      select i.id as instance_id, i.intent, i.failures_in_a_row, i.busy_in_a_row, i.token_cipher, i.is_test, delivery.*
      from mine i cross join lateral (${nextDeliveryOfInstance}) delivery
      where i.lease_until > clock_now() + ${LEASE_LEFT_MS} * interval '1 ms' and ${instanceMaySend}
        and i.last_beat_seen <= (select beat from heartbeat)
    ), on_turn as (
      ${takeTurns}
    ), written as (
      update deliveries d
      set status = 'sending', attempt = d.attempt + 1, intent = on_turn.intent, intent_at = clock_now()
      from on_turn
      where d.id = on_turn.id and d.status = 'queued' and on_turn.put_off_until is null
      returning on_turn.*, d.attempt
    ), postponed as (
      update deliveries d set not_before = on_turn.put_off_until, reason = on_turn.put_off_reason
      from on_turn
      where d.id = on_turn.id and d.status = 'queued' and on_turn.put_off_until is not null
    ), paced as (
      ${recordPace}
    ), recorded as (
      ${recordPeople('written')}
    ), mentioned as (
      ${recordMentions('written')}
    ), marked as (
      ${markMentioned('written')}
    )
    select 'send' as kind, ${stepColumns}, attempt from written
    union all select 'upload', ${stepColumns}, 0 from next where needs_upload
    union all select 'members', ${stepColumns}, 0 from next where needs_members and not needs_upload
    union all select 'passed', ${stepColumns}, 0 from on_turn where id not in (select id from written)`)

/**
 * The CTE `on_turn`: the jobs of an instance take turns, one message each. The job of each delivery in `next` moves to
 * the end of the line, except one that waits
 * for an upload or for the members of its group (a failed one is a turn: hold-instance.ts). Deliveries whose job
 * was cancelled or paused meanwhile are left out: no message follows a cancel.
 */
const takeTurns = sql`
  update jobs j
  set last_turn_at = clock_now(),
    cursor = case when next.is_untried then greatest(j.cursor, next.id + 1) else j.cursor end
  from next
  where j.id = next.job_id and not next.needs_upload and not next.needs_members and ${isRunning} and j.paused_at is null
    and (not j.is_personal or ${knowsPersonalTexts}) and (j.content is null or ${knowsContent}) and (j.job_type = 'SendToGroups' or ${knowsLimits})
  returning next.*`

/** Without an attempt for an hour, as in quiet hours, nobody knows whether the outage of the instance `i` goes on. */
const outageIsFresh = sql`(greatest(i.last_intent_at, i.next_due_at) > clock_now() - interval '1 hour')`

/**
 * The CTE `paced`: the next pause, the daily cap's count, and a renewed lease. The worker's regular renewal leaves out
 * instances that are being written (claim.ts), so the intent renews the lease itself.
 */
const recordPace = sql`
  update instances i
  set in_flight = written.id, last_intent_at = clock_now(),
    busy = case when ${outageIsFresh} then i.busy end,
    busy_since = case when ${outageIsFresh} then i.busy_since end,
    lease_until = greatest(i.lease_until, clock_now() + ${LEASE_MS} * interval '1 ms'),
    next_due_at = clock_now() + ${drawPause('written.job_type')},
    sent_by_hour = ${countMessage('written.job_type')},
    ${countPrivate('written')}
  from written
  where i.id = written.instance_id`

const stepColumns = sql`
  id, instance_id, intent, job_id, job_type, chat_id, recipient_name, text, media_id, media_name, content, has_image, file,
  mentions,
  reason as last_reason, failures_in_a_row, busy_in_a_row, token_cipher, is_test`

export function stepOf({ kind, ...row }: IntentRow, intendedAt: number): NextStep {
  if (kind === 'send') return { ...row, kind, intendedAt }
  return kind === 'passed' ? { kind } : { ...row, kind }
}

const chatHasDoubt = sql`exists (
  select from deliveries other
  where other.instance_id = d.instance_id and other.chat_id = d.chat_id and other.doubt_since is not null)`

const personLimit = json(reason('person_limit'))

/**
 * The next delivery of the instance `i`, from the job that has waited longest for its turn. `put_off_until`: it is not
 * sent before. While another message to the same chat is in doubt, sending would leave two messages of one text for a
 * look-up to tell apart; and a person gets only so many messages. `is_new`: it uses up one of the new people. The
 * delivery may have been settled before its turn: found in the chat history (history/), or skipped with a new job.
 */
const nextDeliveryOfInstance = sql`
  select d.id, d.is_untried, d.chat_id, d.recipient_name, d.reason, j.id as job_id, j.job_type, ${textOfDelivery} as text,
    j.media_id, coalesce(image.name, file.name) as media_name, ${jobContent},
    d.status = 'queued' and coalesce(j.image_id, j.file_id) is not null and j.media_id is null as needs_upload,
    ${needsMembers} as needs_members, ${mentionsOfDelivery} as mentions, j.run,
    coalesce(doubt.clear_at, person.free_at) as put_off_until,
    case when doubt.clear_at is null and person.free_at is not null then ${personLimit} else d.reason end as put_off_reason,
    ${hasLimits} as has_limits, ${hasLimits} and not coalesce(person.is_known, false) as is_new
  from jobs j
    cross join lateral (${nextDeliveryWithin}) d
    cross join lateral (
      select case when ${chatHasDoubt} then clock_now() + interval '10 seconds' end as clear_at offset 0
    ) doubt
    left join lateral (${personOfDelivery}) person on true
    left join images image on image.id = j.image_id
    left join files file on file.id = j.file_id
  where j.instance_id = i.id and ${jobMaySend}
  order by j.last_turn_at, j.id
  limit 1`

/**
 * Withdraws an intent that may or may not be committed because the connection broke. The message was certainly not
 * sent, so it does not count for the daily cap. If another worker has put it into doubt meanwhile, the look-ups decide.
 */
export const withdrawIntent = (db: Db, instanceId: number, intent: string) =>
  db.run(sql`
    with instance as materialized (
      select id, in_flight from instances where id = ${instanceId} for no key update
    ), withdrawn as (
      update deliveries d set status = 'queued', not_before = clock_now(), intent = null
      from instance, jobs j
      where d.id = instance.in_flight and d.intent = ${intent} and d.status = 'sending' and j.id = d.job_id
      returning d.id, d.instance_id, d.chat_id, d.intent_at, j.job_type
    ), forgotten as (
      ${refundPeople('withdrawn')}
    )
    update instances i
    set in_flight = null, sent_by_hour = ${refundMessage('withdrawn.job_type', 'withdrawn.intent_at')},
      ${refundPrivate('withdrawn')}
    from withdrawn where i.id = ${instanceId} and i.in_flight = withdrawn.id`)
