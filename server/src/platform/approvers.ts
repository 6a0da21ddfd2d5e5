import type { Db } from './database/connection.ts'
import { identifier, type Sql, sql } from './database/sql.ts'

/** SQL condition: the user of this alias can approve jobs of the instance with this id. */
export function canApproveFor(user: string, instanceId: Sql) {
  const u = identifier(user)
  return sql`(${u}.is_active and (${u}.role = 'Admin' or ${u}.can_approve_jobs and exists (
    select from user_instances ui where ui.user_id = ${u}.id and ui.instance_id = ${instanceId})))`
}

/** SQL condition: the user neither made the job `j` nor changed it last. */
export const isNoAuthor = (userId: Sql) =>
  sql`(${userId} is distinct from j.created_by_user_id and ${userId} is distinct from j.edited_by_user_id)`

/** SQL condition: somebody has approved the message of its own that the run `r` of a series has. */
const isApprovedRun = sql`coalesce(r.approved_message = message_content_hash(r.message_id), false)`

/** SQL: those runs `r` of the series `s` whose own message nobody has approved. */
export const unapprovedRuns = sql`
  from series_runs r where r.series_id = s.id and r.message_id is not null and not ${isApprovedRun}`

/**
 * SQL condition: the user has neither saved the series `s` nor changed a text of it since, nor chosen a message of its
 * runs that is to be approved.
 */
export const isNoAuthorOfSeries = (userId: Sql) => sql`(
  s.author_id is distinct from ${userId} and s.text_edited_by_user_id is distinct from ${userId}
  and not exists (select ${unapprovedRuns} and r.message_by_user_id = ${userId}))`

/** SQL condition: somebody has approved the series `s` as it is now, without the messages of single runs. */
export const isApprovedSeries = sql`coalesce(s.approved_hash = series_content_hash(s.id), false)`

/** SQL condition: somebody has approved the series `s` as it is now, with the messages of single runs. */
export const isWhollyApproved = sql`(${isApprovedSeries} and not exists (select ${unapprovedRuns}))`

/** SQL condition: an approver has asked for changes of the series `s` as it is now. */
export const areChangesAsked = sql`coalesce(s.changes_asked_version = s.version, false)`

/** How many users can approve jobs of this instance. */
export async function countApprovers(db: Db, instanceId: number): Promise<number> {
  const { count } = await db.one<{ count: number }>(sql`
    select count(*) from users u where ${canApproveFor('u', sql`${instanceId}::bigint`)}`)
  return count
}
