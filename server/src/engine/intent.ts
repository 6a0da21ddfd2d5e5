import type { Reason } from '@sendroom/contract/values'
import type { Db, Pool } from '../platform/database/connection.ts'
import { sql } from '../platform/database/sql.ts'
import { type Claim, LEASE_LEFT_MS, LEASE_MS } from './claim.ts'
import { type Locking, lockAccounts } from './lock.ts'
import { accountMayGo, drawPause, isRunning, jobMayGo } from './pace.ts'
import { nextDelivery } from './queue.ts'

/** A committed intent: this message may be sent once, now, by us. */
export type Work = {
  kind: 'send'
  id: number
  intent: string
  instanceId: number
  jobId: number
  jobType: string
  chatId: string
  recipientName: string
  text: string
  /** The uploaded image; null for a text. */
  mediaId: string | null
  attempt: number
  /** Why the last attempt was given back, if there was one. */
  lastReason: Reason | null
  failuresInARow: number
  busyInARow: number
  tokenCipher: Buffer
  isTest: boolean
  /** By the monotonic clock, from before the intent was asked for. */
  intendedAt: number
}

/** The job's image has to be uploaded first; nothing was written. */
export type Upload = {
  kind: 'upload'
  instanceId: number
  jobId: number
  imageName: string
  busyInARow: number
  failuresInARow: number
  tokenCipher: Buffer
  isTest: boolean
}

/** `passed`: this one is not to be sent now, the next may be. `nothing`: not now, or the account is not ours. */
export type Step = Work | Upload | { kind: 'passed' } | { kind: 'nothing' }

/** An account asks for its next message; the intent is the token that its row will carry. */
export type Wish = { claim: Claim; intent: string }

/** A step as it comes from the database: what only a send has is there for all. */
export type IntentRow = Omit<Work, 'kind' | 'intendedAt'> & {
  kind: 'send' | 'upload' | 'passed'
  imageName: string
}

/**
 * Writes the intents of the accounts' next messages, in one statement that commits before anything is sent. An account
 * that is missing in the answer has nothing to send now, is not ours, or was passed over since somebody holds its lock.
 *
 * It locks the accounts first, as a cancel does. The updates of job and delivery test their status again, so
 * what a cancel changed while we waited for the lock is seen although our snapshot is older.
 * The jobs of an account take turns, the one that waited longest first. An intent renews the lease, for the renewal passes
 * over an account that is just being written.
 *
 * Each step hands its rows on whole: joined again they would cost the square of the accounts.
 */
export const writeIntents = (db: Db, wishes: Wish[], locking: Locking) =>
  db.many<IntentRow>(sql`
  with mine as materialized (
    select wish.intent, i.*
    from unnest(${wishes.map(({ claim }) => claim.instanceId)}::bigint[],
      ${wishes.map(({ claim }) => claim.token)}::uuid[], ${wishes.map(({ intent }) => intent)}::uuid[])
      as wish (instance_id, claim, intent)
      join instances i on i.id = wish.instance_id and i.claim = wish.claim
    ${lockAccounts(locking)}
  ), next as materialized (
    select i.id as instance_id, i.intent, i.failures_in_a_row, i.busy_in_a_row, i.token_cipher, i.is_test, turn.*
    from mine i cross join lateral (${nextTurn}) turn
    where i.lease_until > clock_now() + ${LEASE_LEFT_MS} * interval '1 ms' and ${accountMayGo}
  ), turned as (
    update jobs j
    set last_turn_at = clock_now(), fresh_from = case when next.fresh then greatest(j.fresh_from, next.id + 1) else j.fresh_from end
    from next
    where j.id = next.job_id and not next.needs_upload and ${isRunning} and j.paused_at is null
    returning next.*
  ), written as (
    update deliveries d
    set status = 'sending', attempt = d.attempt + 1, intent = next.intent, intent_at = clock_now()
    from turned next
    where d.id = next.id and d.status = 'queued' and not next.is_blocked
    returning next.*, d.attempt
  ), set_aside as (
    update deliveries d set not_before = clock_now() + interval '10 seconds'
    from turned next
    where d.id = next.id and d.status = 'queued' and next.is_blocked
  ), paced as (
    update instances i
    set in_flight = next.id, busy = null,
      lease_until = greatest(i.lease_until, clock_now() + ${LEASE_MS} * interval '1 ms'),
      next_due_at = clock_now() + ${drawPause('next.job_type')},
      sent_by_hour = spend(i.sent_by_hour, chat_kind(next.job_type), clock_now(), 1)
    from written next
    where i.id = next.instance_id
  )
  select 'send' as kind, ${ofStep}, attempt from written
  union all select 'upload', ${ofStep}, 0 from next where needs_upload
  union all select 'passed', ${ofStep}, 0 from turned where is_blocked`)

const ofStep = sql`
  id, instance_id, intent, job_id, job_type, chat_id, recipient_name, text_content as text, media_id, image_name,
  reason as last_reason, failures_in_a_row, busy_in_a_row, token_cipher, is_test`

export function stepOf({ kind, ...row }: IntentRow, intendedAt: number): Step {
  if (kind === 'send') return { ...row, kind, intendedAt }
  return kind === 'upload' ? { ...row, kind } : { kind }
}

/**
 * The next delivery of the job of account `i` whose turn it is. While a chat has a message in doubt, nothing more is
 * sent to it: so a look-up never has to tell two messages of one text apart.
 */
const nextTurn = sql`
  select d.id, d.fresh, d.chat_id, d.recipient_name, d.reason, j.id as job_id, j.job_type, j.text_content,
    j.media_id, image.name as image_name, d.status = 'queued' and j.image_id is not null and j.media_id is null as needs_upload,
    exists (
      select from deliveries other
      where other.instance_id = d.instance_id and other.chat_id = d.chat_id and other.doubt_since is not null
    ) as is_blocked
  from jobs j
    cross join lateral (${nextDelivery}) d
    left join images image on image.id = j.image_id
  where j.instance_id = i.id and ${jobMayGo}
  order by j.last_turn_at, j.id
  limit 1`

/**
 * Takes back an intent that we do not know to be committed, since the connection broke: it surely was not sent.
 * What another worker has put into doubt meanwhile is looked up by the rules.
 */
export const withdrawIntent = (db: Pool, instanceId: number, intent: string) =>
  db.run(sql`
  with account as materialized (
    select id, in_flight from instances where id = ${instanceId} for no key update
  ), withdrawn as (
    update deliveries d set status = 'queued', not_before = clock_now(), intent = null
    from account
    where d.id = account.in_flight and d.intent = ${intent} and d.status = 'sending'
    returning d.id
  )
  update instances i set in_flight = null from withdrawn where i.id = ${instanceId} and i.in_flight = withdrawn.id`)
