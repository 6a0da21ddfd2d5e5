import type { JobReview, JobType } from '@sendroom/contract/job-life'
import type { Db, Tx } from '../../platform/database/connection.ts'
import { forBulkWrites } from '../../platform/database/session-defaults.ts'
import { assignments, json, sql } from '../../platform/database/sql.ts'
import { type ContentColumns, knowsContent, type StoredContent } from '../../platform/message-content.ts'
import { logJob, reason } from '../shared/job-log.ts'
import { lockInstancesOfJobs } from '../shared/lock.ts'
import { wakeWorkers } from '../wake.ts'
import { insertDeliveries, prepareRecipients, type Recipients, type WriteTexts } from './create.ts'
import { allows } from './lifecycle.ts'

/** The parts of a job that a change replaces. The others stay. */
export type Replacement = {
  name?: string
  /** ISO 8601; null is now. */
  scheduledAt?: string | null
  /** Groups belong to an account, so a job to groups gets new recipients with it. */
  instanceId?: number
  mentionsAll?: boolean
  message?: { messageId: number | null; textContent: string; imageId: number | null } & ContentColumns
  recipients?: Recipients
  /**
   * Writes the texts anew, if message or recipients are replaced and the text has variables. Without it everybody gets
   * the text as it is.
   */
  writeTexts?: WriteTexts
}

export type WaitingJob = {
  version: number
  jobType: JobType
  instanceId: number
  recipientCount: number
  textContent: string
  isPersonal: boolean
  mentionsAll: boolean
  content: StoredContent | null
  review: JobReview | null
  /** Null if the user is gone. */
  authorId: number | null
  authorName: string
}

/**
 * Locks a job that has sent nothing in its current run, and the account that it is to move to, until the caller's
 * transaction ends. No worker begins anything of it meanwhile. Returns null for a job that has begun or ended.
 */
export async function lockWaitingJob(
  tx: Tx,
  jobId: number,
  newInstanceId?: number,
): Promise<WaitingJob | null> {
  await forBulkWrites(tx)
  await lockInstancesOfJobs(tx, [jobId], newInstanceId)
  const job = await tx.maybeOne<WaitingJob>(sql`
    select version, job_type, instance_id, recipient_count, text_content, is_personal, mentions_all, content, review,
      created_by_user_id as author_id, created_by_user_name as author_name
    from jobs
    where id = ${jobId} and ${allows('change')} and started_at is null
      and not exists (select from deliveries where job_id = ${jobId} and status not in ('queued', 'skipped'))
    for update`)
  return job ?? null
}

/**
 * Replaces parts of a job that the caller's transaction has locked with `lockWaitingJob`. All that a new job is tested
 * for, such as opt-outs and the quotas, is tested again.
 */
export async function replaceInJob(
  tx: Tx,
  { id, recipientCount }: Pick<WaitingJob, 'recipientCount'> & { id: number },
  by: { id: number; username: string },
  { recipients, writeTexts, message, ...change }: Replacement,
): Promise<void> {
  const isPersonal = (message || recipients) && { isPersonal: writeTexts !== undefined }
  const messageColumns = message && { ...message, content: json(message.content) }
  const editor = { editedByUserId: by.id, editedByUserName: by.username }
  const { instanceId } = await tx.one<{ instanceId: number }>(sql`
    update jobs set ${assignments({ ...change, ...messageColumns, ...isPersonal, ...editor, mediaId: null, cursor: 0 })}, version = version + 1,
      -- A draft is asked for anew even if it is what it was.
      review_hash = case when review = 'approved' then review_hash end
    where id = ${id} and ${knowsContent} returning instance_id`)
  // Also before they are deleted: a job counts whom it skips until they are queued again.
  await tx.run(sql`
    update deliveries set instance_id = ${instanceId}, status = 'queued', reason = null
    where job_id = ${id} and (instance_id <> ${instanceId} or status = 'skipped')`)
  if (recipients) {
    await tx.run(sql`delete from deliveries where job_id = ${id}`)
    await insertDeliveries(tx, id, instanceId, recipients)
  } else if (message) await deleteTexts(tx, id)
  const count = await prepareRecipients(tx, id, recipients?.length ?? recipientCount, writeTexts)
  await logJob(tx, id, reason('job_changed', { user: by.username, count }))
  await wakeWorkers(tx)
}

/** Names a job in any state. Returns its version before, or null if it is gone. */
export async function renameJob(tx: Tx, jobId: number, name: string): Promise<number | null> {
  const job = await tx.maybeOne<{ version: number }>(sql`
    update jobs set name = ${name}, version = version + 1 where id = ${jobId} returning version - 1 as version`)
  return job?.version ?? null
}

const deleteTexts = (tx: Db, jobId: number) =>
  tx.run(sql`
    delete from delivery_texts t using deliveries d where d.job_id = ${jobId} and t.delivery_id = d.id`)
