import { randomUUID } from 'node:crypto'
import type { Pool } from '../platform/database/connection.ts'
import { isDatabaseDown } from '../platform/database/errors.ts'
import { sql } from '../platform/database/sql.ts'
import { type Answer, type Batches, idle, type Turn, writeAlone } from './batch.ts'
import { type Claim, hasLease, LEASE_MS, releaseAccount } from './claim.ts'
import { type Attempt, consequenceOf, reason } from './consequence.ts'
import { insist } from './insist.ts'
import { type Work, withdrawIntent } from './intent.ts'
import { finishJobs } from './life.ts'
import { type EngineParts, openReach } from './parts.ts'
import type { Progress } from './progress.ts'
import type { Result } from './settle.ts'
import { uploadImage } from './upload.ts'

/**
 * A send begins at most so long after its intent was asked for. With the 20 s that a send may take, a message
 * that was sent at all has reached the provider within 25 s of its intent: look-ups believe only after 30 s.
 */
const START_WITHIN_MS = 5_000

export type Sender = EngineParts & {
  hand: Batches['hand']
  moved: Progress['moved']
  isStopping: () => boolean
  /** Stopping, and out of patience: what could not be recorded is left to the look-ups. */
  isGivingUp: () => boolean
}

/** Sends for one account, strictly one message after another, as long as something is due and the lease holds. */
export async function runAccount(sender: Sender, claim: Claim): Promise<void> {
  const reachAccount = openReach(sender)
  let result: Result | null = null
  for (;;) {
    const { isHeld, step } = await takeTurn(sender, claim, result)
    if (!isHeld) return
    if (step.kind === 'nothing') break
    if (step.kind === 'upload') {
      const goesOn = await uploadImage(sender, claim, step)
      sender.moved(step)
      if (!goesOn) return
    }
    if (step.kind === 'send') claim.leaseEndsAt = Math.max(claim.leaseEndsAt, step.intendedAt + LEASE_MS)
    result = step.kind === 'send' ? await attempt(sender, claim, step, reachAccount(step)) : null
  }
  await insist(() => releaseAccount(sender.db, claim), sender.isGivingUp)
}

/** Records what became of the last message and asks for the next one, in one go. */
async function takeTurn(sender: Sender, claim: Claim, result: Result | null): Promise<Answer> {
  const goesOn = !sender.isStopping() && hasLease(claim)
  if (!result && !goesOn) return idle
  const answer = await hand(sender, { claim, result, intent: goesOn ? randomUUID() : null })
  if (!result) return answer
  // Another delivery has this id already: no proof that ours went out, and none that it did not.
  if (answer.isTaken) return takeTurn(sender, claim, resultOf(result.work, unreadable))
  sender.moved(result.work)
  if (answer.mayBeOver) await insist(() => finishJobs(sender.db, result.work.jobId), sender.isGivingUp)
  return answer
}

async function hand(sender: Sender, turn: Turn): Promise<Answer> {
  try {
    return await sender.hand(turn)
  } catch (error) {
    return recover(sender, turn, error)
  }
}

/** The intent may be committed all the same; that it was not sent is certain. The result is written anew. */
async function recover({ db, isGivingUp }: Sender, turn: Turn, error: unknown): Promise<Answer> {
  const { claim, result, intent } = turn
  if (intent !== null) await insist(() => withdrawIntent(db, claim.instanceId, intent), isGivingUp)
  if (result) return insist(() => writeAlone(db, { ...turn, intent: null }), isGivingUp)
  if (!isDatabaseDown(error)) throw error
  return idle
}

async function attempt(sender: Sender, claim: Claim, work: Work, way: Way): Promise<Result> {
  const outcome = await send(sender, claim, work, way)
  if (outcome.kind === 'media_gone') await insist(() => forgetMedia(sender.db, work), sender.isGivingUp)
  return resultOf(work, outcome)
}

type Way = ReturnType<ReturnType<typeof openReach>>

const resultOf = (work: Work, outcome: Attempt): Result => ({
  work,
  after: consequenceOf(work, outcome, Math.random()),
})

const unreadable: Attempt = { kind: 'unknown', reason: reason('provider_unreadable') }

const forgetMedia = (db: Pool, { jobId, mediaId }: Work) =>
  db.run(sql`
  update jobs set media_id = null where id = ${jobId} and media_id = ${mediaId}`)

/** Never throws: whatever happens in here has to be settled. */
async function send(sender: Sender, claim: Claim, work: Work, way: Way): Promise<Attempt> {
  if (!way) return { kind: 'busy', reason: { code: 'provider_unreachable', params: {} }, retryAfterMs: null }
  const { provider, account } = way
  let isWithheld = false
  // Asked again in the tick that writes the request: connecting takes time, and a process may be stopped in it.
  const mayWrite = () => {
    isWithheld = !hasLease(claim) || performance.now() - work.intendedAt > START_WITHIN_MS
    return !isWithheld
  }
  if (!mayWrite()) return { kind: 'withheld' }
  try {
    const image = work.mediaId === null ? null : { mediaId: work.mediaId, caption: work.text }
    const outcome = image
      ? await provider.sendImage(account, work.chatId, image, mayWrite)
      : await provider.sendText(account, work.chatId, work.text, mayWrite)
    return isWithheld ? { kind: 'withheld' } : outcome
  } catch (error) {
    sender.log.error({ err: error }, 'A send threw, which it must not')
    return { kind: 'unknown', reason: { code: 'provider_unreadable', params: {} } }
  }
}
