import type { JobReview, ReviewStep } from '@sendroom/contract/job-life'
import type { Pool, Tx } from '../../platform/database/connection.ts'
import { json, sql } from '../../platform/database/sql.ts'
import { insertLogLines, reason } from '../shared/job-log.ts'
import { lockInstancesOfJobs } from '../shared/lock.ts'
import { wakeWorkers } from '../wake.ts'

/*
 * Approval of jobs by a second person (docs/decisions/0039-approval.md). Triggers of the database decide which jobs
 * need one, void it after a change, and refuse to start a job without it (migrations/0070-approval.sql). So programs
 * that know nothing of approval keep to it as well.
 */

/**
 * Lets the database decide now, and not at the commit, whether the jobs that this transaction has written need an
 * approval, so that the answer can say it.
 */
export const decideReviews = (tx: Tx) =>
  tx.run(sql`set constraints jobs_approval, jobs_approval_again immediate`)

type Editor = { id: number; username: string }

/** Whoever restarts or retries a job can't approve it. Takes the locks that the action takes. */
export async function setEditor(tx: Tx, jobId: number, { id, username }: Editor): Promise<void> {
  await lockInstancesOfJobs(tx, [jobId])
  await tx.run(sql`
    update jobs set edited_by_user_id = ${id}, edited_by_user_name = ${username} where id = ${jobId}`)
}

export type ReviewedJob = {
  version: number
  review: JobReview | null
  /** Null if they are gone. */
  authorId: number | null
  editorId: number | null
  /** Whether its time has passed without an approval. */
  isOverdue: boolean
}

/** Locks a job until the transaction ends, and says how its approval stands. */
export async function lockReview(tx: Tx, jobId: number): Promise<ReviewedJob | null> {
  const job = await tx.maybeOne<ReviewedJob>(sql`
    select version, case when status = 'Pending' then review end as review, created_by_user_id as author_id,
      edited_by_user_id as editor_id, review = 'overdue' or coalesce(approve_by <= clock_now(), false) as is_overdue
    from jobs where id = ${jobId} for no key update`)
  return job ?? null
}

/** The step of each action, and the state that follows. */
const steps = {
  takeBack: { what: 'taken_back', review: 'taken_back' },
  ask: { what: 'asked', review: 'in_review' },
  approve: { what: 'approved', review: 'approved' },
  askChanges: { what: 'changes_asked', review: 'changes_asked' },
  override: { what: 'overridden', review: 'approved' },
} as const satisfies Record<string, { what: ReviewStep; review: JobReview }>

export type ReviewAction = keyof typeof steps

/**
 * Takes a step with a job that `lockReview` has locked. Returns false if the job is no longer what approval was asked
 * for.
 */
export async function moveReview(
  tx: Tx,
  jobId: number,
  action: ReviewAction,
  { by, words = '' }: { by: string; words?: string | undefined },
): Promise<boolean> {
  const { what, review } = steps[action]
  const count = await tx.run(sql`
    with moved as (
      update jobs set review = ${review}, version = version + 1
      where id = ${jobId} and review_hash = job_content_hash(id)
      returning id, review_hash
    )
    insert into job_reviews (job_id, what, by_user_name, words, hash)
    select id, ${what}, ${by}, ${words}, review_hash from moved`)
  if (review === 'approved') await wakeWorkers(tx)
  return count === 1
}

/** Recurring work: jobs whose time comes without an approval are overdue. They need a new time. */
export const markOverdue = (db: Pool): Promise<number> =>
  db.run(sql`
    with passed as materialized (
      select id from jobs
      where status = 'Pending' and review <> 'approved' and review <> 'overdue' and approve_by <= clock_now()
      for no key update skip locked
    ), marked as (
      update jobs j set review = 'overdue' from passed where j.id = passed.id returning j.id
    ), logged as (
      ${insertLogLines(sql`select id, 'Warning', ${json(reason('approval_overdue'))} from marked`)}
    )
    insert into job_reviews (job_id, what) select id, 'overdue' from marked`)
