import { randomUUID } from 'node:crypto'
import type { Db } from '../../platform/database/connection.ts'
import { isDatabaseDown, isLockTimedOut } from '../../platform/database/errors.ts'
import { sql } from '../../platform/database/sql.ts'
import { meter } from '../../platform/meter.ts'
import {
  cachedProviderResolver,
  type EngineDeps,
  type ProviderConnection,
  resolveProvider,
  whyNoProvider,
} from '../context.ts'
import { readLimits, saveLimits, whyLimited } from '../health/whatsapp-limits.ts'
import { finishJobs } from '../jobs/lifecycle.ts'
import { outgoingContent } from '../shared/job-content.ts'
import { reason } from '../shared/job-log.ts'
import { underLock } from '../shared/lock.ts'
import type { Progress } from '../status/progress.ts'
import { type Batches, type Exchange, type ExchangeAnswer, nothingToSend, writeAlone } from './batch.ts'
import { type Claim, hasLeaseToSend, LEASE_MS, releaseInstance } from './claim.ts'
import { type IntendedMessage, withdrawIntent } from './intent.ts'
import { type AttemptOutcome, effectsOf } from './outcome-effects.ts'
import { readMembers } from './read-members.ts'
import { isOfFile, pauseIfRefusedInARow } from './refused-file.ts'
import { retryUntilSaved } from './retry-until-saved.ts'
import type { Result } from './settle.ts'
import { uploadMedia } from './upload.ts'

/**
 * The longest time from requesting an intent to the beginning of its send. A send takes 20 s at most, so a message that
 * goes out at all has reached the provider within 25 s. Look-ups believe what they don't find only after 30 s.
 */
const START_WITHIN_MS = 5_000

export type Sender = EngineDeps & {
  submit: Batches['submit']
  /** The last heartbeat that this worker saw committed (history/heartbeat.ts). */
  lastBeatSeen: () => number
  moved: Progress['moved']
  isStopping: () => boolean
  /** Aborts when the worker stops. */
  stopping: AbortSignal
  /** Stopping, and out of patience: results that could not be saved are left to the look-ups. */
  isGivingUp: () => boolean
}

/** Sends for one instance, one message after another, as long as something is due and the lease holds. */
export async function runInstance(sender: Sender, claim: Claim): Promise<void> {
  const resolveConnection = cachedProviderResolver(sender)
  if (claim.needsLimits) await readLimitsBeforeJob(sender, claim)
  let result: Result | null = null
  for (;;) {
    const { isHeld, step } = await runExchange(sender, claim, result)
    if (!isHeld) return
    if (step.kind === 'nothing') break
    if (step.kind === 'upload' || step.kind === 'members') {
      const mayContinue =
        step.kind === 'upload'
          ? await uploadMedia(sender, claim, step)
          : await readMembers(sender, claim, step)
      sender.moved(step)
      if (!mayContinue) return
    }
    if (step.kind === 'send') claim.leaseEndsAt = Math.max(claim.leaseEndsAt, step.intendedAt + LEASE_MS)
    result = step.kind === 'send' ? await attempt(sender, claim, step, resolveConnection(step)) : null
  }
  await writeUnderLock(sender, claim.instanceId, (tx) => releaseInstance(tx, claim))
}

/** Saves the result of the last message and requests the next one, in one exchange. */
async function runExchange(sender: Sender, claim: Claim, result: Result | null): Promise<ExchangeAnswer> {
  const mayRequestNext = !sender.isStopping() && hasLeaseToSend(claim)
  if (!result && !mayRequestNext) return nothingToSend
  const intent = mayRequestNext ? randomUUID() : null
  const answer = await submit(sender, { claim, result, intent, lastBeatSeen: sender.lastBeatSeen() })
  if (!result) return answer
  // Another delivery has the provider's id. That proves neither that this message was sent nor that it was not.
  if (answer.isMatchedAlready) return runExchange(sender, claim, resultOf(result.message, unreadable))
  meter.attempted(result.effects.status)
  sender.moved(result.message)
  if (answer.mayBeOver)
    await retryUntilSaved(() => finishJobs(sender.db, [result.message.jobId]), sender.isGivingUp)
  return answer
}

async function submit(sender: Sender, exchange: Exchange): Promise<ExchangeAnswer> {
  try {
    return await sender.submit(exchange)
  } catch (error) {
    return recover(sender, exchange, error)
  }
}

/**
 * The intent may be committed, but its message was certainly not sent. The result is written again. After a wait for
 * the lock nothing is committed, and a stop that has given up waits no longer: the lease ends, and a look-up finds the
 * result.
 */
async function recover(sender: Sender, exchange: Exchange, error: unknown): Promise<ExchangeAnswer> {
  const { db, isGivingUp } = sender
  if (isLockTimedOut(error) && isGivingUp()) throw error
  const { claim, result, intent } = exchange
  const { instanceId } = claim
  if (intent !== null)
    await writeUnderLock(sender, instanceId, (tx) => withdrawIntent(tx, instanceId, intent))
  if (result)
    return retryUntilSaved(() => writeAlone(db, { ...exchange, intent: null }, isGivingUp), isGivingUp)
  if (!isDatabaseDown(error)) throw error
  return nothingToSend
}

async function attempt(
  sender: Sender,
  claim: Claim,
  message: IntendedMessage,
  connection: ProviderConnection | null,
): Promise<Result> {
  const outcome = await send(sender, claim, message, connection)
  // A file that was uploaded again for this message is there. It is the recipient that the provider does not know.
  if (outcome.kind === 'media_gone' && message.lastReason?.code !== 'media_missing')
    await writeUnderLock(sender, message.instanceId, (tx) => forgetMedia(tx, message))
  if (outcome.kind === 'rejected' && isOfFile(message, outcome.reason))
    await writeUnderLock(sender, message.instanceId, (tx) =>
      pauseIfRefusedInARow(tx, message, outcome.reason),
    )
  if (outcome.kind === 'no_first_message' && connection)
    return resultOf(message, await learnWhyRefused(sender, message, connection))
  return resultOf(message, outcome)
}

/** The limits of WhatsApp are known before a job to people begins, as far as they can be read. */
async function readLimitsBeforeJob(sender: Sender, { instanceId }: Claim): Promise<void> {
  const instance = await sender.db.maybeOne<{ tokenCipher: Buffer; isTest: boolean }>(sql`
    select token_cipher, is_test from instances where id = ${instanceId}`)
  const connection = instance && resolveProvider(sender, { instanceId, ...instance })
  if (connection) await learnLimits(sender, instanceId, connection)
}

async function learnLimits(sender: Sender, instanceId: number, connection: ProviderConnection) {
  const limits = await readLimits(connection)
  await writeUnderLock(sender, instanceId, (tx) => saveLimits(tx, instanceId, limits))
  return limits
}

/** WhatsApp limits the instance, or lets it write to everybody but this person. */
async function learnWhyRefused(
  sender: Sender,
  { instanceId }: IntendedMessage,
  connection: ProviderConnection,
): Promise<AttemptOutcome> {
  const why = whyLimited(await learnLimits(sender, instanceId, connection))
  return why ? { kind: 'limited', reason: why } : { kind: 'no_first_message' }
}

const resultOf = (message: IntendedMessage, outcome: AttemptOutcome): Result => ({
  message,
  effects: effectsOf(message, outcome, Math.random()),
})

const unreadable: AttemptOutcome = { kind: 'unknown', reason: reason('provider_unreadable') }

/** Somebody who has locked the instance takes no connection from the others meanwhile. */
const writeUnderLock = <T>({ db, isGivingUp }: Sender, instanceId: number, work: (tx: Db) => Promise<T>) =>
  retryUntilSaved(() => underLock(db, instanceId, isGivingUp, work), isGivingUp)

/** All jobs of the account upload the file again. */
const forgetMedia = (db: Db, { instanceId, mediaId }: IntendedMessage) =>
  db.run(sql`
    with forgotten as (
      delete from provider_uploads where instance_id = ${instanceId} and media_id = ${mediaId}
    )
    update jobs set media_id = null where instance_id = ${instanceId} and media_id = ${mediaId}
      and status in ('Pending', 'Running')`)

/** Never throws, since every attempt has to be settled. */
async function send(
  sender: Sender,
  claim: Claim,
  message: IntendedMessage,
  connection: ProviderConnection | null,
): Promise<AttemptOutcome> {
  if (!connection) return { kind: 'busy', reason: reason(whyNoProvider(sender, message)), retryAfterMs: null }
  const { text } = message
  if (text === null) return { kind: 'rejected', reason: reason('text_missing') }
  const { provider, credentials } = connection
  let isWithheld = false
  // Called again in the tick that writes the request: connecting takes time, and the process may be stopped meanwhile.
  const mayWrite = () => {
    const isLate = performance.now() - message.intendedAt > START_WITHIN_MS
    isWithheld = isLate || !hasLeaseToSend(claim) || sender.isStopping()
    return !isWithheld
  }
  if (!mayWrite()) return { kind: 'withheld' }
  try {
    const content = outgoingContent({ ...message, text }, message.mediaId)
    const outcome = await provider.send(
      credentials,
      message.chatId,
      { content, mentions: message.mentions ?? [] },
      mayWrite,
    )
    return isWithheld ? { kind: 'withheld' } : outcome
  } catch (error) {
    const { jobId, instanceId, id: deliveryId } = message
    sender.log.error(
      { err: error, jobId, instanceId, deliveryId },
      'Unexpected error while sending a message',
    )
    return unreadable
  }
}
