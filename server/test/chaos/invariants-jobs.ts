import { recipientCounts } from '../../src/engine/index.ts'
import { type Evidence, formatChanges, type JobLogRow, type JobRow } from './evidence.ts'
import type { LogEntry } from './instruments.ts'
import type { DeliveryRow } from './receipts.ts'

/** Check the status, the log and the sends of each job. */
export const jobInvariants: ((evidence: Evidence) => string[])[] = [
  jobsAgreeWithDeliveries,
  jobLogsAgree,
  noJobGaveUpEarly,
  onlyRunningJobsSend,
]

function jobsAgreeWithDeliveries({ jobs, deliveries, log }: Evidence) {
  return jobs.flatMap((job) => {
    const rows = deliveriesOf(job, deliveries)
    const { least, most, settled } = countsAtEnd(job, log)
    // Without a failure either, everybody has opted out.
    const expected = [
      ...(most > 0 || settled - most <= 0 ? ['Completed'] : []),
      ...(least <= 0 && settled - least > 0 ? ['Failed'] : []),
      'Cancelled',
    ]
    const isWrong =
      !expected.includes(job.status) ||
      job.completedAt === null ||
      job.settling ||
      rows.length !== job.recipientCount
    return isWrong
      ? [`Job ${job.id} is ${job.status}, not ${expected.join(' or ')}: ${JSON.stringify({ job, rows })}`]
      : []
  })
}

/**
 * Counts the deliveries that were sent (at least, at most), and those that were sent or failed, when the job last ended
 * by itself. The job may have been reopened and cancelled since. A late result or receipt may turn sent into failed or
 * back, and the engine may or may not have seen such a change when it ended the job.
 */
function countsAtEnd(job: JobRow, log: LogEntry[]): { least: number; most: number; settled: number } {
  const isEnd = ({ was, became }: LogEntry) =>
    ['Completed', 'Failed'].includes(statusIn(became) ?? '') && statusIn(became) !== statusIn(was)
  const endedAt = changesOf(job, log).findLast(isEnd)?.id ?? 0
  const results = log.filter(
    (entry) => entry.kind === 'delivery' && entry.jobId === job.id && entry.run === job.run,
  )
  const atEnd = new Map(
    results.filter(({ id }) => id < endedAt).map((entry) => [entry.deliveryId, entry.became]),
  )
  const countOf = (...statuses: string[]) =>
    [...atEnd.values()].filter((status) => statuses.includes(status ?? '')).length
  const reversals = ['sent → failed', 'failed → sent']
  const reversed = results.filter(({ was, became }) => reversals.includes(`${was} → ${became}`)).length
  const sent = countOf('sent')
  return { least: sent - reversed, most: sent + reversed, settled: countOf('sent', 'failed') }
}

/** The changes of the job itself in its current job run. */
const changesOf = (job: JobRow, log: LogEntry[]) =>
  log.filter((entry) => entry.kind === 'job' && entry.jobId === job.id && entry.run === job.run)

/** The status in 'Running' and in 'Running paused'. */
const statusIn = (state: string | null) => state?.split(' ')[0]

/** The log that users see has one line for each change of the job, with the counts of that moment. */
export function jobLogsAgree({ jobs, jobLogs, log }: Pick<Evidence, 'jobs' | 'jobLogs' | 'log'>) {
  return jobs.flatMap((job) => {
    const lines = jobLogs.filter(({ jobId }) => jobId === job.id)
    const mistakes: string[] = []
    function expectLines(code: string, times: number) {
      const count = lines.filter((line) => line.code === code).length
      if (count !== times) mistakes.push(`${code} ${count} times, not ${times}`)
    }
    const changes = changesOf(job, log)
    const countChangesTo = (status: string) =>
      changes.filter(({ was, became }) => statusIn(became) === status && statusIn(was) !== status).length
    expectLines('job_created', job.run === 1 ? 1 : 0)
    expectLines('job_restarted', job.run === 1 ? 0 : 1)
    expectLines('job_started', countChangesTo('Running'))
    expectLines('job_completed', countChangesTo('Completed'))
    expectLines('job_failed', countChangesTo('Failed'))
    expectLines('job_cancelled', countChangesTo('Cancelled'))
    const end = lines.findLast(({ code }) => code === 'job_completed' || code === 'job_failed')
    const { least, most, settled } = countsAtEnd(job, log)
    const sent = Number(end?.params.sent)
    const failed = Number(end?.params.failed)
    if (end && (sent < least || sent > most || sent + failed !== settled))
      mistakes.push(`${JSON.stringify(end)} with ${least} to ${most} sent of ${settled}`)
    return mistakes.map((mistake) => `The log of job ${job.id} (${job.status}) is wrong: ${mistake}`)
  })
}

/**
 * The engine fails a job for its instance's trouble only after the whole wait. The wait counts from when the job began
 * to wait, or from when a user resumed it. A job that was sent to the remaining recipients but not started yet counts
 * from that request.
 */
export function noJobGaveUpEarly({ jobLogs, accountWaitMs }: Pick<Evidence, 'jobLogs' | 'accountWaitMs'>) {
  return jobLogs.flatMap((end, index) => {
    if (end.code !== 'account_wait_over') return []
    const before = jobLogs.slice(0, index).filter(({ jobId }) => jobId === end.jobId)
    const hasCode = (line: JobLogRow | undefined, ...codes: string[]) =>
      line !== undefined && codes.includes(line.code)
    let from = before.findLastIndex((line) => hasCode(line, 'account_waits', 'job_started', 'job_resumed'))
    while (hasCode(before[from - 1], 'job_started', 'job_retried')) from--
    const waitedMs = Date.parse(end.at) - Date.parse(before[from]?.at ?? end.at)
    return waitedMs >= accountWaitMs ? [] : [`Job ${end.jobId} gave up after ${waitedMs} ms of trouble`]
  })
}

/** No send begins after a cancel or during a pause. */
function onlyRunningJobsSend({ log }: Evidence) {
  const states = new Map<number | null, string | null>()
  const violations: string[] = []
  for (const entry of log) {
    if (entry.kind === 'job') states.set(entry.jobId, entry.became)
    const state = states.get(entry.jobId) ?? 'Running'
    if (entry.kind === 'delivery' && entry.became === 'sending' && state !== 'Running')
      violations.push(`A send began although the job was ${state}: ${formatChanges([entry])}`)
  }
  return violations
}

/** The counts that the engine reports are those of the rows. */
export async function recipientCountsAgree({
  jobs,
  deliveries,
  db,
}: Pick<Evidence, 'jobs' | 'deliveries' | 'db'>) {
  const violations: string[] = []
  for (const job of jobs) {
    const rows = deliveriesOf(job, deliveries)
    const countOf = (status: string) => rows.filter((row) => row.status === status).length
    const expected = {
      total: rows.length,
      waiting: 0,
      sent: countOf('sent'),
      failed: countOf('failed'),
      skipped: countOf('skipped'),
      unknown: rows.filter(({ status, reason }) => status === 'failed' && reason?.code === 'outcome_unknown')
        .length,
    }
    const counts = await recipientCounts(db, job.id)
    if (JSON.stringify({ ...expected, ...pick(counts, Object.keys(expected)) }) !== JSON.stringify(expected))
      violations.push(`Job ${job.id} counts ${JSON.stringify(counts)}, its rows ${JSON.stringify(expected)}`)
  }
  return violations
}

const pick = (from: object, names: string[]) =>
  Object.fromEntries(Object.entries(from).filter(([name]) => names.includes(name)))

const deliveriesOf = (job: JobRow, deliveries: DeliveryRow[]) =>
  deliveries.filter(({ jobId }) => jobId === job.id)
