import type { Reason } from '@sendroom/contract/values'
import { backoffMs } from '../../platform/backoff.ts'
import type { Db, Pool } from '../../platform/database/connection.ts'
import { json, sql } from '../../platform/database/sql.ts'
import { knowsContent } from '../../platform/message-content.ts'
import { meter } from '../../platform/meter.ts'
import { allMessages, ProviderFailure } from '../../providers/provider.ts'
import { type EngineDeps, type ProviderConnection, resolveProvider } from '../context.ts'
import { finishJobs } from '../jobs/lifecycle.ts'
import { firstPollAt } from '../receipts/poll.ts'
import { refundMessage } from '../shared/daily-cap.ts'
import { knowsPersonalTexts, textOfDelivery } from '../shared/delivery-text.ts'
import { type JobContent, jobContent } from '../shared/job-content.ts'
import { type LogLine, logDelivery, reason, recipientLine } from '../shared/job-log.ts'
import { underLock } from '../shared/lock.ts'
import { insertMatches } from '../shared/matched-ids.ts'
import { refundPeople, refundPrivate } from '../shared/private-pace.ts'
import { isEvidenceCertain, isSameMessage } from '../shared/same-message.ts'
import { believeAfterMs, LOOKS_APART_MS, type Verdict, verdictOf } from './verdict.ts'

/** A message in doubt that is to be looked up. */
export type LookUp = JobContent & {
  id: number
  intent: string
  intentAt: string
  instanceId: number
  jobId: number
  chatId: string
  recipientName: string
  /** Null if the text of a personal job is missing. */
  text: string | null
  tokenCipher: Buffer
  isTest: boolean
  /** The database's clock when the look-up began. */
  beganAt: string
  /** This machine's clock just before that, in ms. */
  askedAt: number
}

/** A look-up whose worker died is repeated after this time, which is longer than its calls may take. */
const REPEAT_LOOK_MS = 120_000
/** The provider's clock and ours agree to this, once the difference shown by its Date header is taken off. */
const CLOCK_SLACK_S = 5
const EARLY_LOOK_MS = 10_000
const FAILED_LOOK_MS = 30_000

/** Takes the oldest due message in doubt of each instance, except of the instances in `except`. */
export async function claimLookUps(db: Pool, limit: number, except: number[]): Promise<LookUp[]> {
  // Taken before the query, so that a slow answer does not make the chat look younger than it is.
  const askedAt = Date.now()
  const due = await db.many<Omit<LookUp, 'askedAt'>>(sql`
    with due as materialized (
      select d.id from deliveries d
      where d.doubt_since is not null and d.next_look_at <= clock_now() and d.instance_id <> all(${except})
        and not exists (
          select from deliveries older
          where older.instance_id = d.instance_id and older.doubt_since is not null
            and older.next_look_at <= clock_now() and (older.intent_at, older.id) < (d.intent_at, d.id))
      order by d.intent_at
      limit ${limit}
      for update of d skip locked
    )
    update deliveries d set next_look_at = clock_now() + ${REPEAT_LOOK_MS} * interval '1 ms'
    from due, jobs j, instances i
    where d.id = due.id and j.id = d.job_id and i.id = d.instance_id and ${knowsPersonalTexts} and ${knowsContent}
    returning d.id, d.intent, d.intent_at, d.instance_id, d.job_id, d.chat_id, d.recipient_name,
      ${textOfDelivery} as text, ${jobContent}, i.token_cipher, i.is_test,
      clock_now() as began_at`)
  return due.map((look) => ({ ...look, askedAt }))
}

/** Looks the message up in its chat, and settles the delivery if the answer can be believed. */
export async function lookUp(
  deps: EngineDeps,
  look: LookUp,
  isGivingUp: () => boolean = () => false,
): Promise<void> {
  const connection = resolveProvider(deps, look)
  const found = connection && (await findCandidates(connection, look))
  const emptyAnswerCounts =
    found?.length === 0 && connection !== null && (await canBelieveEmpty(connection, look))
  const verdict = await underLock(deps.db, look.instanceId, isGivingUp, (tx) =>
    conclude(tx, look, found, emptyAnswerCounts),
  )
  if (verdict) meter.lookedUp(verdict.kind)
  await finishJobs(deps.db, [look.jobId])
}

/** The provider's ids of messages that may be this one; null when the chat can't be read, or the text is missing. */
async function findCandidates({ provider, credentials }: ProviderConnection, look: LookUp) {
  const { text } = look
  if (text === null) return null
  // The intent's time is by the database's clock. The provider's clock is known relative to this machine's.
  const databaseAheadMs = Date.parse(look.beganAt) - look.askedAt
  const sentFrom = (providerAheadMs: number) =>
    Math.floor((Date.parse(look.intentAt) + providerAheadMs - databaseAheadMs) / 1000) - CLOCK_SLACK_S
  try {
    // The provider's clock is known only from its first answer. A minute behind is included from the start.
    const guess = sentFrom(-60_000)
    const listFrom = (from: number) => allMessages(provider.ownMessages(credentials, look.chatId, from))
    let { messages, clockAheadMs } = await listFrom(guess)
    const from = sentFrom(clockAheadMs)
    if (from < guess) messages = (await listFrom(from)).messages
    const alike = messages.filter(
      (message) =>
        message.timestamp >= from && !message.fromPhone && isSameMessage({ ...look, text }, message),
    )
    // Two pages may list one message. Two candidates would leave the outcome unknown.
    return [...new Set(alike.map(({ id }) => id))]
  } catch (error) {
    if (!(error instanceof ProviderFailure)) throw error
    return null
  }
}

/** Asked only where the answer decides, since every call counts on a trial channel. */
async function canBelieveEmpty({ provider, credentials }: ProviderConnection, look: LookUp) {
  if (Date.parse(look.beganAt) - Date.parse(look.intentAt) < believeAfter(look)) return false
  const state = await provider.status(credentials).catch(() => null)
  return state?.status === 'Connected'
}

const believeAfter = ({ file }: LookUp) => believeAfterMs(file?.size ?? 0)

type Doubt = {
  candidates: string[]
  sinceIntentMs: number
  sinceNotFoundMs: number | null
  failingForMs: number
  doubts: number
  /** Why the last attempt ended in doubt. */
  reason: Reason | null
}

/**
 * Under the instance's lock, so that no settle, cancel or other look-up comes between the verdict and its writing.
 * Returns null if the sender came back and settled the delivery.
 */
async function conclude(
  tx: Db,
  look: LookUp,
  found: string[] | null,
  emptyAnswerCounts: boolean,
): Promise<Verdict | null> {
  const doubt = await tx.maybeOne<Doubt>(sql`
    select
      array(
        select id from unnest(${found ?? []}::text[]) as candidate (id)
        where not exists (
          select from matched_messages m
          where m.instance_id = d.instance_id and m.provider_message_id = candidate.id)
      ) as candidates,
      extract(epoch from ${look.beganAt} - d.intent_at) * 1000 as since_intent_ms,
      extract(epoch from ${look.beganAt} - d.not_found_at) * 1000 as since_not_found_ms,
      coalesce(extract(epoch from clock_now() - d.look_fails_since) * 1000, 0) as failing_for_ms,
      d.doubts, d.reason
    from deliveries d
    where d.id = ${look.id} and d.intent = ${look.intent} and d.status = 'doubt' and ${knowsPersonalTexts}
      and ${knowsContent}`)
  if (!doubt) return null
  const verdict = verdictOf({
    ...doubt,
    candidates: found && doubt.candidates,
    emptyAnswerCounts,
    believeAfterMs: believeAfter(look),
    isEvidenceCertain: isEvidenceCertain({ ...look, text: look.text ?? '' }),
  })
  await writeVerdict(tx, look, verdict, doubt)
  return verdict
}

async function writeVerdict(tx: Db, look: LookUp, verdict: Verdict, doubt: Doubt): Promise<void> {
  if (verdict.kind === 'sent') await writeSent(tx, look, verdict.providerMessageId)
  else
    await tx.run(sql`update deliveries set ${changesOf(verdict, doubt.doubts, look)} where id = ${look.id}`)
  if (verdict.kind === 'not_sent' || verdict.kind === 'out_of_retries') await refund(tx, look)
  const line = logLineOf(look, verdict, doubt)
  if (line) await logDelivery(tx, look.jobId, line)
}

const writeSent = (tx: Db, look: LookUp, providerMessageId: string) =>
  tx.run(sql`
    with settled as (
      update deliveries d
      set status = 'sent', provider_message_id = ${providerMessageId}, sent_at = d.intent_at, reason = null,
        ask_at = ${firstPollAt('instance')}, ${noDoubt}
      from instances instance
      where d.id = ${look.id} and instance.id = d.instance_id
      returning d.*
    ), proven as (
      -- The provider has taken a message since the outage began. Large files often get no answer within 20 s.
      update instances i set busy = null, busy_since = null, busy_in_a_row = 0
      from settled where i.id = settled.instance_id and i.busy_since < settled.intent_at
    )
    ${insertMatches('settled')}`)

/** The columns that a verdict changes. */
function changesOf({ kind }: Exclude<Verdict, { kind: 'sent' }>, doubts: number, look: LookUp) {
  switch (kind) {
    case 'outcome_unknown':
      return sql`status = 'failed', reason = ${json(reason('outcome_unknown'))}, ${noDoubt}`
    case 'not_sent':
      // The intent stays: if its result arrives before the next attempt, the result is still taken.
      return sql`status = 'queued', ${noDoubt},
        not_before = ${inMs(backoffMs(doubts - 1, 300_000, Math.random()))}`
    case 'out_of_retries':
      return sql`status = 'failed', ${noDoubt}`
    case 'not_found':
      return sql`not_found_at = clock_now(), look_fails_since = null, next_look_at = ${inMs(LOOKS_APART_MS)}`
    case 'too_early':
      return sql`look_fails_since = null,
        next_look_at = least(${inMs(EARLY_LOOK_MS)},
          greatest(clock_now(), intent_at + ${believeAfter(look)} * interval '1 ms'))`
    case 'failing':
      return sql`look_fails_since = coalesce(look_fails_since, clock_now()), next_look_at = ${inMs(FAILED_LOOK_MS)}`
  }
}

function logLineOf(look: LookUp, { kind }: Verdict, doubt: Doubt): LogLine | null {
  if (kind === 'sent') return recipientLine('Info', 'delivery_found', look)
  if (kind === 'not_sent') return recipientLine('Info', 'delivery_not_found', look)
  if (kind === 'outcome_unknown')
    return recipientLine('Error', 'delivery_failed', look, reason('outcome_unknown'))
  if (kind === 'out_of_retries')
    return recipientLine('Error', 'delivery_failed', look, doubt.reason ?? undefined)
  return null
}

/** A message that was not sent does not count for the instance's limits. */
const refund = (tx: Db, look: LookUp) =>
  tx.run(sql`
    with unsent as (
      select d.instance_id, d.chat_id, d.intent_at, j.job_type from deliveries d join jobs j on j.id = d.job_id
      where d.id = ${look.id}
    ), forgotten as (
      ${refundPeople('unsent')}
    )
    update instances i
    set sent_by_hour = ${refundMessage('unsent.job_type', 'unsent.intent_at')}, ${refundPrivate('unsent')}
    from unsent where i.id = ${look.instanceId}`)

const noDoubt = sql`
  doubt_since = null, next_look_at = null, look_fails_since = null, not_found_at = null`

const inMs = (ms: number) => sql`clock_now() + ${ms} * interval '1 ms'`
