import type { Reason } from '@sendroom/contract/values'
import type { Db, Sql } from '../platform/database/connection.ts'
import { type Claim, LEASE_LEFT_MS } from './claim.ts'
import { accountMayGo, drawPause, jobMayGo } from './pace.ts'
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

type Row = Omit<Work, 'kind' | 'intent' | 'instanceId' | 'intendedAt'> & {
  isWritten: boolean
  needsUpload: boolean
  imageName: string
}

/**
 * Writes the intent of the account's next message, in one statement that commits before anything is sent.
 *
 * It locks the account first, as a cancel does. The updates of job and delivery test their status again, so
 * what a cancel changed while we waited for the lock is seen although our snapshot is older.
 * Jobs take turns, the one that waited longest first.
 */
export async function writeIntent(sql: Sql, claim: Claim, intent: string): Promise<Step> {
  const intendedAt = performance.now()
  const { instanceId } = claim
  const [row] = await sql<Row[]>`
    with account as materialized (
      select i.* from instances i
      where i.id = ${instanceId} and i.claim = ${claim.token}
        and i.lease_until > clock_now() + ${LEASE_LEFT_MS} * interval '1 ms' and ${accountMayGo(sql)}
      for no key update
    ), next as materialized (
      ${nextTurn(sql)}
    ), turned as (
      update jobs j
      set last_turn_at = clock_now(), fresh_from = case when next.fresh then next.id + 1 else j.fresh_from end
      from next
      where j.id = next.job_id and not next.needs_upload and j.status = 'Running' and j.paused_at is null
      returning j.id
    ), written as (
      update deliveries d
      set status = 'sending', attempt = d.attempt + 1, intent = ${intent}, intent_at = clock_now()
      from next join turned on turned.id = next.job_id
      where d.id = next.id and d.status = 'queued' and not next.is_blocked
      returning d.id, d.attempt
    ), set_aside as (
      update deliveries d set not_before = clock_now() + interval '10 seconds'
      from next join turned on turned.id = next.job_id
      where d.id = next.id and d.status = 'queued' and next.is_blocked
    ), paced as (
      update instances i
      set in_flight = written.id, busy = null,
        next_due_at = clock_now() + ${drawPause(sql, 'next.job_type')},
        sent_by_hour = spend(i.sent_by_hour, chat_kind(next.job_type), clock_now(), 1)
      from written join next on next.id = written.id
      where i.id = ${instanceId}
    )
    select next.id, next.job_id, next.job_type, next.chat_id, next.recipient_name, next.text_content as text,
      next.media_id, next.image_name, next.needs_upload, next.reason as last_reason, account.failures_in_a_row,
      account.busy_in_a_row, account.token_cipher, account.is_test, written.attempt,
      written.id is not null as is_written
    from account join next on true
      left join turned on turned.id = next.job_id left join written on written.id = next.id
    where next.needs_upload or turned.id is not null`
  if (!row) return { kind: 'nothing' }
  if (row.needsUpload) return { ...row, kind: 'upload', instanceId }
  if (!row.isWritten) return { kind: 'passed' }
  return { ...row, kind: 'send', instanceId, intent, intendedAt }
}

/**
 * The next delivery of the job whose turn it is. While a chat has a message in doubt, nothing more is sent to
 * it: so a look-up never has to tell two messages of one text apart.
 */
const nextTurn = (db: Db) => db`
  select d.id, d.fresh, d.chat_id, d.recipient_name, d.reason, j.id as job_id, j.job_type, j.text_content,
    j.media_id, image.name as image_name, d.status = 'queued' and j.image_id is not null and j.media_id is null as needs_upload,
    exists (
      select from deliveries other
      where other.instance_id = d.instance_id and other.chat_id = d.chat_id and other.doubt_since is not null
    ) as is_blocked
  from account i
    join jobs j on j.instance_id = i.id and ${jobMayGo(db)}
    cross join lateral (${nextDelivery(db)}) d
    left join images image on image.id = j.image_id
  order by j.last_turn_at, j.id
  limit 1`

/**
 * Takes back an intent that we do not know to be committed, since the connection broke: it surely was not sent.
 * What another worker has put into doubt meanwhile is looked up by the rules.
 */
export const withdrawIntent = (sql: Sql, instanceId: number, intent: string) => sql`
  with account as materialized (
    select id, in_flight from instances where id = ${instanceId} for no key update
  ), withdrawn as (
    update deliveries d set status = 'queued', not_before = clock_now(), intent = null
    from account
    where d.id = account.in_flight and d.intent = ${intent} and d.status = 'sending'
    returning d.id
  )
  update instances i set in_flight = null from withdrawn where i.id = ${instanceId} and i.in_flight = withdrawn.id`
