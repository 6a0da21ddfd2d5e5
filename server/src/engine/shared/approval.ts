import { sql } from '../../platform/database/sql.ts'

/** Condition: the job `j` needs no approval, or has it. */
export const isCleared = sql`(j.review is null or j.review = 'approved')`

/** Condition: a person has to approve the job `j`, or to give it a new time, and nobody knows when. */
export const waitsForReview = sql`(
  j.status = 'Pending' and not ${isCleared} and coalesce(j.approve_by <= clock_now(), true))`
