import type { Db } from '../../platform/database/connection.ts'
import { sql } from '../../platform/database/sql.ts'
import { type JobContent, jobContent } from '../shared/job-content.ts'
import type { History, UnknownMessage } from './match.ts'
import { messagesWith } from './messages-with.ts'
import { messagesOfPersonalJob } from './personal-jobs.ts'

/** The clocks of a failed database server and of the present one agree to this. */
export const CLOCK_SLACK_MS = 60_000
const JOBS_PER_QUERY = 500

/**
 * Condition: the job `j` may have sent a message that this database has lost, and could send it again. A job that has
 * ended counts as long as it has remaining recipients, however long ago it ended: its retry may be what was lost.
 */
export const maySendAgain = sql`(
  j.status in ('Pending', 'Running') or j.settling
  or (j.status = 'Cancelled' or j.failed_count > 0) and j.has_deliveries and j.final_counts is null
)`

/**
 * When the job's present run was due. Its `started_at` may be later than its first messages: a database that has lost
 * the start has started the job again. So may `created_at` be, for the job of a series: one that has lost the job makes
 * it again, scheduled for the same time. The run after a restart has messages from the restart on.
 */
export const dueAt = sql`greatest(coalesce(j.scheduled_at, j.created_at), case when j.run > 1 then coalesce((
  select l.created_at from job_logs l
  where l.job_id = j.id and l.reason->>'code' = 'job_restarted' order by l.id limit 1), j.started_at) end)`

/**
 * When the first of those jobs was due, in ms since 1970. No message from before is of interest. `ofRuns`: the same for
 * the jobs that were made later than their time, or Infinity. Messages of these may be older than the last intent: the
 * account may have sent for other jobs before a lost one was made again.
 */
export async function firstDueAt(db: Db, instanceId: number): Promise<{ first: number; ofRuns: number }> {
  const { first, ofRuns } = await db.one<{ first: number; ofRuns: number | null }>(sql`
    select coalesce(extract(epoch from min(${dueAt})) * 1000, 0)::float8 as first,
      (extract(epoch from min(j.scheduled_at)
        filter (where j.status in ('Pending', 'Running') and j.scheduled_at < j.created_at)) * 1000)::float8 as of_runs
    from jobs j where j.instance_id = ${instanceId} and ${maySendAgain}`)
  return { first, ofRuns: ofRuns ?? Number.POSITIVE_INFINITY }
}

/**
 * The messages that have the content of such a job, with these jobs. An instance may have a hundred thousand of them
 * with long texts, so they are read in slices, and not at all if nothing is unknown. Call this under the instance's
 * lock: the restart of a job begins another run, to which older messages do not belong.
 */
export async function withTheirJobs(tx: Db, instanceId: number, history: History): Promise<UnknownMessage[]> {
  const messages = new Map<string, UnknownMessage>()
  for (let after = 0, more = history.size > 0; more; ) {
    const jobs = await readJobs(tx, instanceId, after)
    for (const job of jobs)
      for (const message of job.isPersonal
        ? await messagesOfPersonalJob(tx, job, history)
        : messagesWith(history, job))
        if (message.sentAt >= job.dueAt - CLOCK_SLACK_MS) {
          const known = messages.get(message.id) ?? { ...message, jobIds: [] }
          known.jobIds.push(job.id)
          messages.set(message.id, known)
        }
    after = jobs.at(-1)?.id ?? 0
    more = jobs.length === JOBS_PER_QUERY
  }
  return [...messages.values()]
}

export const jobsOf = (messages: readonly UnknownMessage[]): number[] => [
  ...new Set(messages.flatMap(({ jobIds }) => jobIds)),
]

const readJobs = (tx: Db, instanceId: number, after: number) =>
  tx.many<JobContent & { id: number; text: string; isPersonal: boolean; dueAt: number }>(sql`
    select j.id, j.text_content as text, j.is_personal, ${jobContent},
      (extract(epoch from ${dueAt}) * 1000)::float8 as due_at
    from jobs j
    where j.instance_id = ${instanceId} and j.id > ${after} and ${maySendAgain} and ${dueAt} <= clock_now()
    order by j.id limit ${JOBS_PER_QUERY}`)
