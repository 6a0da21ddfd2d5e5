import type { Reason } from '@sendroom/contract/values'
import type { Db } from '../../platform/database/connection.ts'
import { json, sql } from '../../platform/database/sql.ts'
import { type InstanceProblem, ProviderFailure } from '../../providers/provider.ts'
import { type EngineDeps, resolveProvider, whyNoProvider } from '../context.ts'
import { reason } from '../shared/job-log.ts'
import { underLock } from '../shared/lock.ts'
import { saveMembers } from '../shared/mentions.ts'
import { isUntried } from '../shared/queue.ts'
import type { Claim } from './claim.ts'
import { type Delay, holdInstance } from './hold-instance.ts'
import type { MembersStep } from './intent.ts'

const problems: InstanceProblem[] = [
  'account_not_linked',
  'account_unpaid',
  'account_bad_token',
  'account_restricted',
]

/** A minute lies between two tries. Then the group gets the message without mentions, and the job has an end. */
const MOST_TRIES = 30

/** WhatsApp hides the numbers of some members: their ids end in @lid. Whapi mentions phone numbers only. */
const PHONE = /^\d{7,15}$/

/**
 * Reads the members of a group right before the message that mentions them, and before its intent. Returns true when
 * the instance may continue.
 */
export async function readMembers(
  deps: EngineDeps & { isGivingUp: () => boolean },
  claim: Claim,
  step: MembersStep,
): Promise<boolean> {
  const began = performance.now()
  const read = await tryRead(deps, step)
  const tries = triesBefore(step) + 1
  const members = 'kind' in read && read.kind === 'busy' && tries >= MOST_TRIES ? NOBODY : read
  await underLock(deps.db, claim.instanceId, deps.isGivingUp, async (tx) => {
    if (!('kind' in members)) return saveMembers(tx, step.id, members)
    await holdInstance(tx, claim, step, members, 'members_read_failed', performance.now() - began)
    if (members.kind === 'busy') await putOff(tx, step, members.reason, tries)
  })
  return !('kind' in members)
}

/** How often the reading of this group has failed so far. Its reason keeps that, and says why it waits. */
const triesBefore = ({ lastReason }: MembersStep) =>
  lastReason?.code === 'members_read_failed' ? Number(lastReason.params.tries) : 0

/**
 * Requeues the message. The provider may have an error for this group alone, and the others have their turn. While the
 * members were read the job may have been restarted: then the cursor does not move over those who are due before.
 */
const putOff = (tx: Db, { id, jobId }: MembersStep, { code, params }: Reason, tries: number) =>
  tx.run(sql`
    with requeued as (
      update deliveries set not_before = clock_now() + interval '1 minute',
        reason = ${json(reason('members_read_failed', { ...params, why: code, tries }))}
      where id = ${id} and status = 'queued'
      returning id
    )
    update jobs j set cursor = requeued.id + 1 from requeued
    where j.id = ${jobId} and j.cursor <= requeued.id and not exists (
      select from deliveries d where ${isUntried} and d.id < requeued.id and d.status = 'queued')`)

type Members = { count: number; phones: string[] }

const NOBODY: Members = { count: 0, phones: [] }

async function tryRead(deps: EngineDeps, step: MembersStep): Promise<Members | Delay> {
  const connection = resolveProvider(deps, step)
  if (!connection) return { kind: 'busy', reason: reason(whyNoProvider(deps, step)), retryAfterMs: null }
  try {
    const { participants, participantCount } = await connection.provider.group(
      connection.credentials,
      step.chatId,
    )
    const phones = participants?.map(({ personId }) => personId).filter((id) => PHONE.test(id)) ?? []
    return { count: participantCount ?? phones.length, phones }
  } catch (error) {
    if (!(error instanceof ProviderFailure)) throw error
    // The send says why the group gets nothing. A group that can't be read keeps no other waiting.
    if (['not_found', 'refused', 'conflict'].includes(error.kind)) return NOBODY
    const problem = problems.find((code) => code === error.reason.code)
    if (error.kind === 'account' && problem) return { kind: 'account', problem, reason: error.reason }
    return { kind: 'busy', reason: error.reason, retryAfterMs: error.retryAfterMs }
  }
}
