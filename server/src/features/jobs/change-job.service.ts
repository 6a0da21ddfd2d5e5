import type { JobRow } from '@sendroom/contract/jobs'
import { type JobChange, JobRecipients } from '@sendroom/contract/new-jobs'
import {
  decideReviews,
  lockWaitingJob,
  type Recipients,
  type Replacement,
  renameJob,
  replaceInJob,
  type WaitingJob,
} from '../../engine/index.ts'
import {
  type Begin,
  type Caller,
  isAdmin,
  lockInstanceForShare,
  requireRight,
} from '../../platform/access.ts'
import type { Tx } from '../../platform/database/connection.ts'
import type { HeavyContext } from '../../platform/heavy/heavy-work.ts'
import { canMention } from '../../platform/message-content.ts'
import { omitUndefined } from '../../platform/omit-undefined.ts'
import { InvalidInput, orNotFound, Refusal, requireVersion } from '../../platform/refusal.ts'
import { recordChange } from './audit.ts'
import { findJobRow, findRecordedJobs, lockMessageForShare } from './jobs.queries.ts'
import { withRecipients } from './large-list.ts'
import { ifAhead, type NewJobDeps, untilAborted } from './new-job.service.ts'
import { hasHiddenContact } from './people.queries.ts'
import { textOfJob } from './personal-job.ts'
import { lockGroupRecipients, lockPeople, readTypedNumbers } from './recipients.service.ts'

type Deps = Pick<NewJobDeps, 'db' | 'defaultCountry' | 'heavyWork'>

type Change = JobChange & { heavy: HeavyContext | null; numbers: readonly string[] }

/**
 * Changes a job that waits, in place of a cancel and a new job: what the change leaves out stays. The name may be
 * changed at any time. New recipients and a new message are read as those of a new job are, with the caller's rights.
 */
export async function changeWaitingJob(
  deps: Deps,
  begin: Begin,
  caller: Caller,
  id: number,
  change: JobChange,
  signal: AbortSignal,
): Promise<JobRow> {
  const { name, version, fallbacks: _, leaveOutIncomplete: __, ...others } = change
  if (Object.keys(omitUndefined(others)).length === 0) return rename(begin, id, { name, version })
  const { jobType } = orNotFound(await findJobRow(deps.db, caller, id))
  const recipients = change.recipients ?? JobRecipients.parse({})
  return withRecipients(deps.heavyWork, { caller, signal }, { jobType, ...recipients }, async (heavy) => {
    const isTyped = change.recipients && jobType === 'SendToUsers'
    const numbers = isTyped ? await readTypedNumbers(heavy, recipients, deps.defaultCountry) : []
    return begin((tx, present) => writeChange(deps, tx, present, id, { ...change, heavy, numbers }))
  })
}

const rename = (begin: Begin, id: number, { name, version }: Pick<JobChange, 'name' | 'version'>) =>
  begin(async (tx, caller) => {
    const before = await findBefore(tx, caller, id)
    if (name !== undefined && name !== before.name) {
      requireVersion(version, orNotFound(await renameJob(tx, id, name)))
      await recordChange(tx, caller, before)
    }
    return orNotFound(await findJobRow(tx, caller, id))
  })

async function findBefore(tx: Tx, caller: Caller, id: number) {
  const [before] = await findRecordedJobs(tx, caller, [id])
  return orNotFound(before ?? null)
}

async function writeChange(deps: Deps, tx: Tx, caller: Caller, id: number, change: Change): Promise<JobRow> {
  const before = await findBefore(tx, caller, id)
  const job = await lockWaitingJob(tx, id, change.instanceId)
  if (!job) throw new Refusal('job_not_changeable')
  requireVersion(change.version, job.version)
  if (job.review === 'in_review') throw new Refusal('in_review')
  if (job.review === 'overdue' && change.scheduledAt === undefined) throw new Refusal('approval_overdue')
  const instanceId = change.instanceId ?? job.instanceId
  if (change.recipients || instanceId !== job.instanceId) requireAuthor(caller, job)
  const instance = await lockInstanceForShare(tx, caller, instanceId)
  if (!instance) throw new InvalidInput({ instanceId: 'JOB.INSTANCE_REQUIRED' })
  if (!instance.isActive) throw new Refusal('instance_inactive')
  if (instanceId !== job.instanceId && job.jobType === 'SendToGroups' && !change.recipients)
    throw new InvalidInput({ groupIds: 'JOB.GROUP_REQUIRED' })
  const recipients = change.recipients && (await readRecipients(tx, caller, job, { ...change, instanceId }))
  const text = await readText(deps, tx, caller, { ...job, id }, change)
  requireMentions(caller, job, change, text.message ? text.message.content : job.content)
  await replaceInJob(tx, { ...job, id }, caller, {
    ...(omitUndefined({ name: change.name, mentionsAll: change.mentionsAll, recipients }) as Replacement),
    ...(change.scheduledAt !== undefined && { scheduledAt: ifAhead(change.scheduledAt, instance.now) }),
    ...(instanceId !== job.instanceId && { instanceId }),
    ...text,
  })
  await decideReviews(tx)
  await recordChange(tx, caller, before, change.recipients && { fields: ['recipients'] })
  return orNotFound(await findJobRow(tx, caller, id))
}

/** Whoever changes a job that mentions everybody needs the right to do so, whoever decided that before. */
function requireMentions(
  caller: Caller,
  job: WaitingJob,
  change: Change,
  content: WaitingJob['content'],
): void {
  if (!(change.mentionsAll ?? job.mentionsAll)) return
  requireRight(caller, 'canMentionAll')
  if (job.jobType !== 'SendToGroups' || !canMention(content))
    throw new InvalidInput({ mentionsAll: 'JOB.MENTIONS_NOT_HERE' })
}

/** Recipients count for the quota of the job's author, who must also see the account that it moves to. */
function requireAuthor(caller: Caller, { authorId, authorName }: WaitingJob): void {
  if (authorId !== null && authorId !== caller.id && !isAdmin(caller))
    throw new Refusal('job_of_another', { user: authorName })
}

async function readRecipients(
  tx: Tx,
  caller: Caller,
  { jobType }: WaitingJob,
  { recipients, instanceId, numbers, heavy }: Change & { instanceId: number },
): Promise<Recipients> {
  const choice = { ...(recipients ?? JobRecipients.parse({})), instanceId }
  const read =
    jobType === 'SendToUsers'
      ? await lockPeople(tx, caller, choice, numbers)
      : await lockGroupRecipients(tx, caller, choice)
  return heavy ? untilAborted(read, heavy.signal) : read
}

/** Reads the message that the job gets, or the job's own text where new recipients need theirs of it. */
async function readText(
  { defaultCountry: country }: Deps,
  tx: Tx,
  caller: Caller,
  job: WaitingJob & { id: number },
  { messageId, recipients, heavy, ...choices }: Change,
): Promise<Pick<Replacement, 'message' | 'writeTexts'>> {
  const { jobType, textContent, isPersonal, content } = job
  const message = messageId ? await lockMessageForShare(tx, caller, messageId) : null
  if (messageId && !message) throw new InvalidInput({ messageId: 'JOB.MESSAGE_REQUIRED' })
  if (!message && !recipients) return {}
  const text = await textOfJob(tx, message ?? { textContent, hasVariables: isPersonal, content }, {
    ...choices,
    ...{ jobType, country, formField: 'messageId' },
    throwIfAborted: () => heavy?.signal.throwIfAborted(),
  })
  const { writeTexts } = text
  // A text with their values would tell what the caller may not see.
  if (writeTexts && !recipients && (await hasHiddenContact(tx, caller, job.id)))
    throw new InvalidInput({ messageId: 'JOB.CONTACT_INVALID' })
  return {
    ...(message && {
      message: {
        messageId: message.id,
        textContent: text.textContent,
        imageId: message.imageId,
        content: message.content,
        fileId: message.fileId,
      },
    }),
    ...(writeTexts && { writeTexts }),
  }
}
