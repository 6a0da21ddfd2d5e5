import { type InstanceProblem, ProviderFailure } from '../../providers/provider.ts'
import { type EngineDeps, resolveProvider, whyNoProvider } from '../context.ts'
import { reason } from '../shared/job-log.ts'
import { underLock } from '../shared/lock.ts'
import { saveMembers } from '../shared/mentions.ts'
import type { Claim } from './claim.ts'
import { type Delay, holdInstance } from './hold-instance.ts'
import type { MembersStep } from './intent.ts'

const problems: InstanceProblem[] = [
  'account_not_linked',
  'account_unpaid',
  'account_bad_token',
  'account_restricted',
]

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
  const members = await tryRead(deps, step)
  await underLock(deps.db, claim.instanceId, deps.isGivingUp, (tx) =>
    'kind' in members
      ? holdInstance(tx, claim, step, members, 'members_read_failed')
      : saveMembers(tx, step.id, members),
  )
  return !('kind' in members)
}

type Members = { count: number; phones: string[] }

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
    if (['not_found', 'refused', 'conflict'].includes(error.kind)) return { count: 0, phones: [] }
    const problem = problems.find((code) => code === error.reason.code)
    if (error.kind === 'account' && problem) return { kind: 'account', problem, reason: error.reason }
    return { kind: 'busy', reason: error.reason, retryAfterMs: error.retryAfterMs }
  }
}
