import type { Params } from '@sendroom/contract/errors'
import type { ReasonCode } from '@sendroom/contract/reasons'
import type { Reason } from '@sendroom/contract/values'
import type { Db } from '../../platform/database/connection.ts'
import { identifier, json, type Sql, sql } from '../../platform/database/sql.ts'
import { isRunning } from './pace.ts'

/*
 * Everything that is written to a job's log. Texts are reason codes with parameters (contract/src/reasons.ts); the
 * reader's language is chosen when they are shown.
 */

/** Lines about single recipients that one run may have. The list of recipients shows the rest. */
const MAX_RECIPIENT_LINES = 1000

export type LogLine = { level: 'Info' | 'Warning' | 'Error'; reason: Reason }

export const reason = (code: ReasonCode, params: Params = {}): Reason => ({ code, params })

/** A line about one recipient. `why` is named by its code, and its parameters are added to the line's own. */
export const recipientLine = (
  level: LogLine['level'],
  code: ReasonCode,
  { recipientName }: { recipientName: string },
  why?: Reason,
): LogLine => ({
  level,
  reason: reason(code, { ...why?.params, recipient: recipientName, ...(why && { why: why.code }) }),
})

/** Inserts the rows of a select with the columns job id, level and reason. */
export const insertLogLines = (rows: Sql) => sql`insert into job_logs (job_id, log_level, reason) ${rows}`

/** Writes one line about the job as a whole. */
export const logJob = (db: Db, jobId: number, why: Reason, level: LogLine['level'] = 'Info') =>
  db.run(insertLogLines(sql`values (${jobId}, ${level}, ${json(why)})`))

/** Writes one line about a recipient, unless the job's log has reached its cap. */
export const logDelivery = (db: Db, jobId: number, line: LogLine) =>
  db.run(sql`
    with line as (
      select ${jobId}::bigint as job_id, ${line.level}::text as level, ${json(line.reason)} as reason
    ), counted as (
      ${countLogLines('line')}
    )
    ${insertLogLines(cappedLines('counted'))}`)

/**
 * Writes what was found in a chat history: for each job how many of these deliveries, then a line for each, unless the
 * job's log has reached its cap.
 */
export async function logFound(tx: Db, deliveryIds: number[]): Promise<void> {
  await tx.run(sql`
    with found as materialized (
      select d.id, d.job_id, d.recipient_name, row_number() over (partition by d.job_id order by d.id) as line
      from deliveries d where d.id = any(${deliveryIds})
    )
    ${insertLogLines(sql`
      select job_id, 'Info', reason from (
        select job_id, 0 as line, jsonb_build_object(
          'code', 'history_found', 'params', jsonb_build_object('count', count(*))) as reason
        from found group by job_id
        union all
        select f.job_id, f.line, jsonb_build_object(
          'code', 'delivery_found', 'params', jsonb_build_object('recipient', f.recipient_name))
        from found f join jobs j on j.id = f.job_id
        where j.log_line_count + f.line <= ${MAX_RECIPIENT_LINES}
      ) lines
      order by job_id, line`)}`)
  await tx.run(sql`
    update jobs j set log_line_count = least(j.log_line_count + found.count, ${MAX_RECIPIENT_LINES})
    from (
      select job_id, count(*)::int from deliveries where id = any(${deliveryIds}) group by job_id
    ) found
    where j.id = found.job_id`)
}

/**
 * A CTE that counts lines about recipients and returns those to write. `lines` names a relation with job_id, level and
 * reason, and at most one row per job.
 */
export const countLogLines = (lines: string) => sql`
  update jobs j set log_line_count = j.log_line_count + 1
  from ${identifier(lines)} line
  where j.id = line.job_id and j.log_line_count <= ${MAX_RECIPIENT_LINES}
  returning j.id, j.log_line_count, line.level, line.reason`

/** The lines that `countLogLines` returned. The last one says that further recipients are not logged. */
export const cappedLines = (counted: string) => sql`
  select id, level,
    case when log_line_count <= ${MAX_RECIPIENT_LINES} then reason else ${json(reason('log_full'))} end
  from ${identifier(counted)}`

/**
 * A line for each running job of the instances in `changed` (id, new_trouble) whose trouble has just begun. A job that
 * starts later gets its line from `startDueJobs` (jobs/lifecycle.ts).
 */
export const troubleLines = (changed: string) => sql`
  select j.id, 'Warning', ${instanceWaits(sql`changed.new_trouble`)}
  from ${identifier(changed)} changed join jobs j on j.instance_id = changed.id and ${isRunning}
  where changed.new_trouble is not null`

/**
 * A line for each running job of the instances in `settled` (instance_id, status, waiting_since, is_waiting) that have
 * sent a message after a trouble.
 */
export const recoveryLines = (settled: string) => sql`
  select j.id, 'Info', ${json(reason('account_resumed'))}
  from ${identifier(settled)} settled join jobs j on j.instance_id = settled.instance_id and ${isRunning}
  where settled.status = 'sent' and settled.waiting_since is not null and not settled.is_waiting`

/** The reason of a line that says why the instance waits. `waiting` is the column `instances.waiting`. */
export const instanceWaits = (waiting: Sql) => sql`
  jsonb_build_object('code', 'account_waits',
    'params', ${waiting}->'params' || jsonb_build_object('why', ${waiting}->>'code'))`
