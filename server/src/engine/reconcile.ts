import type { Db, Pool } from '../platform/database/connection.ts'
import { json, sql } from '../platform/database/sql.ts'
import { type Account, type OwnMessage, type Provider, ProviderFailure } from '../providers/provider.ts'
import { backoffMs, type Consequence, note, reason } from './consequence.ts'
import { finishJobs } from './life.ts'
import { type EngineParts, reach } from './parts.ts'
import { creditMessages, firstAsk, tellDelivery } from './settle.ts'
import { BELIEVE_AFTER_MS, LOOKS_APART_MS, type Verdict, verdictOf } from './verdict.ts'

/** A message in doubt whose turn it is to be looked up. */
export type LookUp = {
  id: number
  intent: string
  intentAt: string
  instanceId: number
  jobId: number
  chatId: string
  recipientName: string
  text: string
  hasImage: boolean
  tokenCipher: Buffer
  isTest: boolean
  /** The database's clock when the look began. */
  beganAt: string
  /** This machine's clock just before that. */
  askedAt: number
}

/** A look whose worker died is taken up again after this; longer than its calls may take. */
const LOOK_LEASE_MS = 120_000
/** Provider's and our clock agree to this, once the difference by its Date header is taken off. */
const CLOCK_SLACK_S = 5
const EARLY_LOOK_MS = 10_000
const FAILED_LOOK_MS = 30_000

/** Of each account the oldest message in doubt that is due, but not of the accounts that are being looked at. */
export async function claimLookUps(db: Pool, limit: number, except: number[]): Promise<LookUp[]> {
  // Before the question: an answer that comes late must not make the chat look younger than it is.
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
  update deliveries d set next_look_at = clock_now() + ${LOOK_LEASE_MS} * interval '1 ms'
  from due, jobs j, instances i
  where d.id = due.id and j.id = d.job_id and i.id = d.instance_id
  returning d.id, d.intent, d.intent_at, d.instance_id, d.job_id, d.chat_id, d.recipient_name,
    j.text_content as text, j.image_id is not null as has_image, i.token_cipher, i.is_test,
    clock_now() as began_at`)
  return due.map((look) => ({ ...look, askedAt }))
}

/** Looks the message up and settles it if that can be believed. */
export async function lookUp(parts: EngineParts, look: LookUp): Promise<void> {
  const way = reach(parts, look)
  const found = way && (await findCandidates(way.provider, way.account, look))
  const isWell = found?.length === 0 && way !== null && (await isConnected(way.provider, way.account, look))
  await parts.db.begin((tx) => conclude(tx, look, found, isWell))
  await finishJobs(parts.db, look.jobId)
}

/** Ids of messages that may be this one; null when the chat can't be read. */
async function findCandidates(provider: Provider, account: Account, look: LookUp) {
  // The database's clock against this machine's: the provider's is measured against this machine's.
  const databaseAheadMs = Date.parse(look.beganAt) - look.askedAt
  const sentFrom = (providerAheadMs: number) =>
    Math.floor((Date.parse(look.intentAt) + providerAheadMs - databaseAheadMs) / 1000) - CLOCK_SLACK_S
  try {
    // Its clock is known only with the first answer; a minute behind is taken in at once.
    const guess = sentFrom(-60_000)
    let { messages, clockAheadMs } = await provider.ownMessages(account, look.chatId, guess)
    const from = sentFrom(clockAheadMs)
    if (from < guess) messages = (await provider.ownMessages(account, look.chatId, from)).messages
    return messages
      .filter((message) => message.timestamp >= from && isThis(look, message))
      .map(({ id }) => id)
  } catch (error) {
    if (!(error instanceof ProviderFailure)) throw error
    return null
  }
}

const isThis = (look: LookUp, message: OwnMessage) =>
  !message.fromPhone &&
  message.kind === (look.hasImage ? 'image' : 'text') &&
  plain(message.text) === plain(look.text)

/** Line ends and outer blanks may change on the way. */
const plain = (text: string) => text.replaceAll('\r\n', '\n').trim()

/** Asked only where the answer decides: each call counts on a trial channel. */
async function isConnected(provider: Provider, account: Account, look: LookUp) {
  if (Date.parse(look.beganAt) - Date.parse(look.intentAt) < BELIEVE_AFTER_MS) return false
  const state = await provider.status(account).catch(() => null)
  return state?.status === 'Connected'
}

type Doubt = {
  candidates: string[]
  sinceIntentMs: number
  sinceNotFoundMs: number | null
  failingForMs: number
  doubts: number
}

/** Under the account's lock: no settle, cancel or other look comes between the verdict and its writing. */
async function conclude(tx: Db, look: LookUp, found: string[] | null, isWell: boolean) {
  await tx.run(sql`select from instances where id = ${look.instanceId} for no key update`)
  const doubt = await tx.maybeOne<Doubt>(sql`
    select
      array(
        select id from unnest(${found ?? []}::text[]) as m (id)
        where not exists (
          select from credited_messages c where c.instance_id = d.instance_id and c.provider_message_id = m.id)
      ) as candidates,
      extract(epoch from ${look.beganAt} - d.intent_at) * 1000 as since_intent_ms,
      extract(epoch from ${look.beganAt} - d.not_found_at) * 1000 as since_not_found_ms,
      coalesce(extract(epoch from clock_now() - d.look_fails_since) * 1000, 0) as failing_for_ms,
      d.doubts
    from deliveries d
    where d.id = ${look.id} and d.intent = ${look.intent} and d.status = 'doubt'`)
  if (!doubt) return // Its sender came back with the result.
  const verdict = verdictOf({ ...doubt, candidates: found && doubt.candidates, isWell })
  await writeVerdict(tx, look, verdict, doubt.doubts)
}

async function writeVerdict(tx: Db, look: LookUp, verdict: Verdict, doubts: number): Promise<void> {
  switch (verdict.kind) {
    case 'sent':
      await tx.run(sql`
        with settled as (
          update deliveries d
          set status = 'sent', provider_message_id = ${verdict.providerMessageId}, sent_at = d.intent_at, reason = null,
            ask_at = ${firstAsk('account')}, ${noDoubt}
          from instances account
          where d.id = ${look.id} and account.id = d.instance_id
          returning d.*
        )
        ${creditMessages}`)
      return tellDelivery(tx, look.jobId, note('Info', 'delivery_found', look))
    case 'unknown': {
      const why = reason('outcome_unknown')
      await tx.run(
        sql`update deliveries set status = 'failed', reason = ${json(why)}, ${noDoubt} where id = ${look.id}`,
      )
      return tellDelivery(tx, look.jobId, note('Error', 'delivery_failed', look, why))
    }
    case 'not_sent':
      // The intent stays: should its result come after all before the next attempt, it is still taken.
      await tx.run(sql`
        update deliveries
        set status = 'queued', ${noDoubt},
          not_before = clock_now() + ${backoffMs(doubts - 1, 300_000, Math.random())} * interval '1 ms'
        where id = ${look.id}`)
      await giveBackCap(tx, look)
      return tellDelivery(tx, look.jobId, note('Info', 'delivery_not_found', look))
    case 'hopeless': {
      const row = await tx.one<{ reason: Consequence['reason'] }>(sql`
        update deliveries set status = 'failed', ${noDoubt} where id = ${look.id} returning reason`)
      await giveBackCap(tx, look)
      return tellDelivery(tx, look.jobId, note('Error', 'delivery_failed', look, row.reason ?? undefined))
    }
    case 'not_found':
      await tx.run(sql`
        update deliveries
        set not_found_at = clock_now(), look_fails_since = null, next_look_at = ${lookAgainIn(LOOKS_APART_MS)}
        where id = ${look.id}`)
      return
    case 'too_early':
      await tx.run(sql`
        update deliveries
        set look_fails_since = null,
          next_look_at = least(
            ${lookAgainIn(EARLY_LOOK_MS)},
            greatest(clock_now(), intent_at + ${BELIEVE_AFTER_MS} * interval '1 ms'))
        where id = ${look.id}`)
      return
    case 'failing':
      await tx.run(sql`
        update deliveries
        set look_fails_since = coalesce(look_fails_since, clock_now()),
          next_look_at = ${lookAgainIn(FAILED_LOOK_MS)}
        where id = ${look.id}`)
  }
}

/** What did not go out does not count for the account's cap. */
const giveBackCap = (tx: Db, look: LookUp) =>
  tx.run(sql`
  update instances i set sent_by_hour = spend(i.sent_by_hour, chat_kind(j.job_type), ${look.intentAt}, -1)
  from jobs j where i.id = ${look.instanceId} and j.id = ${look.jobId}`)

const noDoubt = sql`
  doubt_since = null, next_look_at = null, look_fails_since = null, not_found_at = null`

const lookAgainIn = (ms: number) => sql`clock_now() + ${ms} * interval '1 ms'`
