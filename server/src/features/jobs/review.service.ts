import { jobActions, jobCan } from '@sendroom/contract/job-life'
import type { JobRow } from '@sendroom/contract/jobs'
import { lockReview, moveReview, type ReviewAction } from '../../engine/index.ts'
import type { Begin } from '../../platform/access.ts'
import { orNotFound, Refusal, requireVersion } from '../../platform/refusal.ts'
import { recordAction } from './audit.ts'
import { findJobRow } from './jobs.queries.ts'

/** An approver does these with the jobs of others. */
const ofOthers: readonly ReviewAction[] = ['approve', 'askChanges']

type Step = { version?: number | undefined; words?: string }

/** Takes a step of the approval of a job, as it is now. */
export const reviewJob = (
  begin: Begin,
  id: number,
  action: ReviewAction,
  { version, words }: Step,
): Promise<JobRow> =>
  begin(async (tx, caller) => {
    const seen = orNotFound(await findJobRow(tx, caller, id))
    const job = orNotFound(await lockReview(tx, id))
    requireVersion(version, job.version)
    if (job.isOverdue && action !== 'takeBack') throw new Refusal('approval_overdue')
    if (!jobCan(action, { ...seen, review: job.review })) throw new Refusal(jobActions[action].refusal)
    if (ofOthers.includes(action) && [job.authorId, job.editorId].includes(caller.id))
      throw new Refusal('approval_of_own')
    if (!(await moveReview(tx, id, action, { by: caller.username, words })))
      throw new Refusal('stale_version')
    await recordAction(tx, caller, jobActions[action].audit, seen, { words })
    return orNotFound(await findJobRow(tx, caller, id))
  })
