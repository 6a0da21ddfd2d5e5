import { randomUUID } from 'node:crypto'
import { isDatabaseDown } from '../platform/database/connection.ts'
import { type Claim, hasLease, releaseAccount } from './claim.ts'
import type { Attempt } from './consequence.ts'
import { insist } from './insist.ts'
import { type Step, type Work, withdrawIntent, writeIntent } from './intent.ts'
import { finishJobs } from './life.ts'
import { type EngineParts, reach } from './parts.ts'
import type { Progress } from './progress.ts'
import { settle } from './settle.ts'
import { uploadImage } from './upload.ts'

/**
 * A send begins at most so long after its intent was asked for. With the 20 s that a send may take, a message
 * that was sent at all has reached the provider within 25 s of its intent: look-ups believe only after 30 s.
 */
const START_WITHIN_MS = 5_000

export type Sender = EngineParts & {
  moved: Progress['moved']
  isStopping: () => boolean
  /** Stopping, and out of patience: what could not be recorded is left to the look-ups. */
  isGivingUp: () => boolean
}

/** Sends for one account, strictly one message after another, as long as something is due and the lease holds. */
export async function runAccount(sender: Sender, claim: Claim): Promise<void> {
  while (!sender.isStopping() && hasLease(claim)) {
    const step = await intend(sender, claim)
    if (step.kind === 'nothing') break
    const isHeld = await take(sender, claim, step)
    if (step.kind !== 'passed') sender.moved(step)
    if (!isHeld) return
  }
  await insist(() => releaseAccount(sender.sql, claim), sender.isGivingUp)
}

async function intend({ sql, isGivingUp }: Sender, claim: Claim): Promise<Step> {
  const intent = randomUUID()
  try {
    return await writeIntent(sql, claim, intent)
  } catch (error) {
    if (!isDatabaseDown(error)) throw error
    // It may be committed all the same; that it was not sent is certain.
    await insist(() => withdrawIntent(sql, claim.instanceId, intent), isGivingUp)
    return { kind: 'nothing' }
  }
}

/** Does the step; says whether the account is still ours. */
async function take(sender: Sender, claim: Claim, step: Exclude<Step, { kind: 'nothing' }>) {
  if (step.kind === 'passed') return true
  if (step.kind === 'upload') return uploadImage(sender, claim, step)
  const outcome = await send(sender, claim, step)
  const { isHeld, mayBeOver } = await insist(() => settle(sender.sql, step, outcome), sender.isGivingUp)
  if (mayBeOver) await insist(() => finishJobs(sender.sql, step.jobId), sender.isGivingUp)
  return isHeld
}

/** Never throws: whatever happens in here has to be settled. */
async function send(sender: Sender, claim: Claim, work: Work): Promise<Attempt> {
  const way = reach(sender, work)
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
