import { sql } from '../../platform/database/sql.ts'

/** Condition: the job `j` needs no approval, or has it. */
export const isCleared = sql`(j.review is null or j.review = 'approved')`
