import type { Job, JobListQuery, JobRow } from '@sendroom/contract/jobs'
import type { JobFilter } from '@sendroom/contract/list-filters'
import { endedWithFailures, isKnownStuck } from '../../engine/index.ts'
import { type Caller, canSeeInstance, canSeeMessage, hasAccess, isAdmin } from '../../platform/access.ts'
import { isNoAuthor } from '../../platform/approvers.ts'
import { countJobs, readCounts } from '../../platform/counts.ts'
import type { Db } from '../../platform/database/connection.ts'
import { type Sql, sql } from '../../platform/database/sql.ts'
import { imageUrl } from '../../platform/images/queries.ts'
import { listPage } from '../../platform/list.ts'
import { type ContentColumns, contentOf } from '../../platform/message-content.ts'
import { searchCondition } from '../../platform/search.ts'

// The expression of the index jobs_title, so that the sort can use it.
const title = sql`left(j.text_content, 100)`

const hasRemaining = sql`
  j.final_counts is null and (j.failed_count > 0 or (
    select coalesce(sum(c.skipped), 0) > 0 from job_counts c where c.job_id = j.id))`

/** Whoever does not see the account of a series learns nothing of it from a job that has left that account. */
const jobRow = (caller: Caller) => sql`
  select j.id, j.name, j.version, j.job_type, j.message_id, ${title} as message_title, j.instance_id,
    (select i.name from instances i where i.id = j.instance_id) as instance_name, j.status,
    j.paused_at is not null as is_paused,
    case when j.status = 'Pending' or j.review = 'approved' then j.review end as review, ${imageUrl('j.image_id')} as image_url,
    ${contentOf('j')} as content, j.recipient_count,
    (select coalesce(sum(c.sent), 0) from job_counts c where c.job_id = j.id) as sent_count, j.failed_count,
    ${hasRemaining} as has_remaining, j.final_counts is not null as are_recipients_deleted,
    j.mentions_all, j.created_by_user_name, j.scheduled_at, j.created_at, j.started_at, j.completed_at, (
      select jsonb_build_object('id', s.id, 'name', s.name)
      from series_runs r join series s on s.id = r.series_id
      where r.job_id = j.id and ${canSeeInstance(caller, 's.instance_id')}
    ) as series`

const sortColumn = (field: JobListQuery['sortBy']) =>
  ({
    id: sql`j.id`,
    jobType: sql`j.job_type`,
    messageTitle: title,
    status: sql`j.status`,
    scheduledAt: sql`j.scheduled_at`,
    createdAt: sql`j.created_at`,
  })[field]

const canSeeJob = (caller: Caller) => canSeeInstance(caller, 'j.instance_id')

const isInReview = sql`(j.status = 'Pending' and j.review = 'in_review')`

const isOf = (caller: Caller): Record<JobFilter, Sql> => ({
  stuck: sql`exists (
    select from troubles t join instances i on i.id = t.instance_id where t.job_id = j.id and ${isKnownStuck})`,
  failures: endedWithFailures,
  running: sql`j.status = 'Running'`,
  pending: sql`j.status = 'Pending'`,
  in_review: isInReview,
  to_approve: hasAccess(caller, 'canApproveJobs')
    ? sql`(${isInReview} and ${isNoAuthor(sql`${caller.id}`)})`
    : sql`false`,
})

export async function listJobs(db: Db, caller: Caller, query: JobListQuery) {
  const found = query.search ? await searchCondition(db, 'jobs', 'j', query.search) : sql`true`
  return listPage<JobRow>(db, query, {
    select: jobRow(caller),
    from: sql`from jobs j where ${canSeeJob(caller)} and ${found} and ${query.only ? isOf(caller)[query.only] : sql`true`}`,
    sortBy: sortColumn(query.sortBy),
    id: sql`j.id`,
    countKey: [
      'jobs',
      isAdmin(caller) || caller.instanceIds,
      query.only === 'to_approve' && hasAccess(caller, 'canApproveJobs') && caller.id,
      query.search,
      query.only,
    ],
    total: query.search || query.only ? undefined : async () => countJobs(await readCounts(db, caller)),
  })
}

export async function findJobRow(db: Db, caller: Caller, id: number): Promise<JobRow | null> {
  const job = await db.maybeOne<JobRow>(sql`
    ${jobRow(caller)} from jobs j where j.id = ${id} and ${canSeeJob(caller)}`)
  return job ?? null
}

/** Finds the job that an earlier request of the caller with the same idempotency key has created. */
export async function findRequestedJob(db: Db, caller: Caller, requestId: string): Promise<JobRow | null> {
  const job = await db.maybeOne<JobRow>(sql`
    ${jobRow(caller)} from jobs j
    where j.created_by_user_id = ${caller.id} and j.request_id = ${requestId} and ${canSeeJob(caller)}`)
  return job ?? null
}

/** Takes the idempotency key from the caller's job if that is older, so that the key can create another job. */
export const forgetRequest = (tx: Db, userId: number, requestId: string, olderThanMs: number) =>
  tx.run(sql`
  update jobs set request_id = null
  where created_by_user_id = ${userId} and request_id = ${requestId}
    and created_at <= clock_now() - ${olderThanMs} * interval '1 ms'`)

type JobContent = JobRow & Pick<Job, 'textContent' | 'isPersonal' | 'run' | 'isLogDeleted'>

export async function findJobContent(db: Db, caller: Caller, id: number): Promise<JobContent | null> {
  const job = await db.maybeOne<JobContent>(sql`
    ${jobRow(caller)}, j.text_content, j.is_personal, not j.has_logs as is_log_deleted, j.run
    from jobs j where j.id = ${id} and ${canSeeJob(caller)}`)
  return job ?? null
}

/** The facts that the audit log keeps of a job. */
export type RecordedJob = {
  id: number
  name: string
  status: JobRow['status']
  textContent: string
  imageUrl: string | null
  content: JobRow['content']
  jobType: JobRow['jobType']
  recipientCount: number
  instanceName: string
  createdByUserName: string
  scheduledAt: string | null
  mentionsAll: boolean
}

export const findRecordedJobs = (db: Db, caller: Caller, ids: number[]) =>
  db.many<RecordedJob>(sql`
  select j.id, j.name, j.status, j.text_content, ${imageUrl('j.image_id')} as image_url,
    ${contentOf('j')} as content, j.job_type, j.recipient_count,
    (select i.name from instances i where i.id = j.instance_id) as instance_name, j.created_by_user_name, j.scheduled_at,
    j.mentions_all
  from jobs j where j.id = any(${ids}) and ${canSeeJob(caller)} order by j.id`)

// The rows that a new job copies. The locks keep them from being deleted until the transaction ends.

type Content = {
  id: number
  textContent: string
  hasVariables: boolean
  imageId: number | null
} & ContentColumns

export async function lockMessageForShare(tx: Db, caller: Caller, id: number): Promise<Content | null> {
  const message = await tx.maybeOne<Content>(sql`
    select m.id, m.text_content, m.has_variables, m.image_id, m.content, m.file_id from messages m
    where m.id = ${id} and ${canSeeMessage(caller, 'm')} for key share`)
  return message ?? null
}

type Group = { id: number; chatId: string; name: string; hasLeft: boolean }

/** Ordered by name, which is the order in which the job sends. */
export const lockGroupsForShare = (tx: Db, instanceId: number, ids: number[]) =>
  tx.many<Group>(sql`
  select g.id, g.chat_id, g.name, g.left_at is not null as has_left from groups g
  where g.id = any(${ids}) and g.instance_id = ${instanceId}
  order by g.name, g.id for key share`)
