import type { JobApproval } from '@sendroom/contract/job-approval'
import { limits } from '@sendroom/contract/limits'
import type { Caller } from '../../platform/access.ts'
import { canApproveFor, isNoAuthor } from '../../platform/approvers.ts'
import type { Db } from '../../platform/database/connection.ts'
import { asInstant, sql } from '../../platform/database/sql.ts'

/** The approval of a job that the caller sees. Null if the job has never needed one. */
export async function findApproval(db: Db, caller: Caller, jobId: number): Promise<JobApproval | null> {
  const approval = await db.maybeOne<JobApproval>(sql`
    with approvers as materialized (
      select u.id, u.username, row_number() over (order by u.username) as place
      from jobs j cross join users u
      where j.id = ${jobId} and ${canApproveFor('u', sql`j.instance_id`)} and ${isNoAuthor(sql`u.id`)}
    )
    select
      case when j.status = 'Pending' and j.review <> 'approved' then j.approve_by end as approve_by,
      j.status = 'Pending' and j.review is not distinct from 'in_review' and exists (
        select from approvers a where a.id = ${caller.id}) and ${caller.apiKey === null} as can_review,
      (
        select jsonb_build_object('total', count(*), 'first', coalesce(
          jsonb_agg(a.username order by a.username) filter (where a.place <= ${limits.firstApprovers}), '[]'))
        from approvers a
      ) as approvers,
      h.history
    from jobs j
      cross join lateral (
        select coalesce(jsonb_agg(jsonb_build_object('at', ${asInstant(sql`r.at`)}, 'what', r.what,
          'by', r.by_user_name, 'words', r.words) order by r.id desc), '[]') as history
        from (select * from job_reviews where job_id = j.id order by id desc limit ${limits.jobReviews}) r
      ) h
    where j.id = ${jobId} and (j.review is not null or h.history <> '[]')`)
  return approval ?? null
}
