import { expect, test } from 'vitest'
import type { Evidence, JobLogRow, JobRow } from './evidence.ts'
import type { LogEntry } from './instruments.ts'
import { jobLogsAgree, noJobGaveUpEarly } from './invariants-jobs.ts'
import { quartersHold } from './invariants-pace.ts'

const job: JobRow = {
  id: 1,
  instanceId: 1,
  status: 'Cancelled',
  run: 1,
  textContent: 'Hello',
  imageId: null,
  content: null,
  seconds: null,
  settling: false,
  recipientCount: 2,
  failedCount: 0,
  completedAt: '2026-01-02T03:04:05.000Z',
}

/** Delivery 1 is sent, delivery 2 fails. A user retries the failed one, and cancels the job before anything is sent. */
const log = [
  ['job', 'Pending', 'Running'],
  [1, 'sending', 'sent'],
  [2, 'sending', 'failed'],
  ['job', 'Running', 'Completed'],
  [2, 'failed', 'queued'],
  ['job', 'Completed', 'Pending'],
  ['job', 'Pending', 'Running'],
  ['job', 'Running', 'Cancelled'],
  [2, 'queued', 'skipped'],
].map(
  ([subject, was, became], index) =>
    ({
      ...{ id: index + 1, jobId: 1, run: 1, was, became },
      ...(subject === 'job' ? { kind: subject } : { kind: 'delivery', deliveryId: subject }),
    }) as LogEntry,
)

function jobLogWith(sent: number, failed: number): JobLogRow[] {
  const params = (code: string): JobLogRow['params'] => (code === 'job_completed' ? { sent, failed } : {})
  return ['job_created', 'job_started', 'job_completed', 'job_retried', 'job_started', 'job_cancelled'].map(
    (code) => ({ jobId: 1, at: '2026-01-02T03:04:05.000Z', code, params: params(code) }),
  )
}

test.each([
  ['the counts of that moment', 1, 1, 0],
  ['one failure too few', 1, 0, 1],
  ['one sent message too many', 2, 0, 1],
])(
  'the end of a job that was retried and cancelled later is checked: %s',
  (_case, sent, failed, violations) => {
    expect(jobLogsAgree({ jobs: [job], jobLogs: jobLogWith(sent, failed), log })).toHaveLength(violations)
  },
)

const line = (code: string, at: string, jobId = 1): JobLogRow => ({
  jobId,
  at: `2026-01-0${at}Z`,
  code,
  params: {},
})
test.each([
  ['after the whole wait is allowed', [line('account_waits', '1T10:00:00')], 0],
  [
    'is too early if new trouble came later',
    [line('account_waits', '1T10:00:00'), line('account_waits', '1T10:00:01')],
    1,
  ],
  [
    'is allowed if a retry is as old as the wait',
    [
      line('job_retried', '1T10:00:00'),
      line('job_started', '1T11:00:00'),
      line('account_waits', '1T11:00:00'),
    ],
    0,
  ],
  ['is too early if only another job had trouble', [line('account_waits', '1T10:00:00', 2)], 1],
])('giving up a job %s', (_case, earlierLines, violations) => {
  const jobLogs = [...earlierLines, line('account_wait_over', '2T10:00:00')]
  expect(noJobGaveUpEarly({ jobLogs, accountWaitMs: 24 * 3600_000 })).toHaveLength(violations)
})

test.each([
  ['the limit within 15 minutes', ['10:00:00', '10:14:00', '10:15:00', '10:29:00'], 0],
  ['one more', ['10:00:00', '10:14:00', '10:14:30'], 1],
])('messages to people: %s', (_case, times, violations) => {
  const sent = times.flatMap((time, deliveryId) =>
    ['sending', 'sent'].map((became) => ({
      ...{ kind: 'delivery', instanceId: 1, deliveryId, became, chatId: '84912345611@s.whatsapp.net' },
      at: `2026-01-02T${time}Z`,
    })),
  ) as LogEntry[]
  const instances = [{ id: 1, plan: { perQuarter: 2 } }] as Evidence['instances']
  expect(quartersHold({ log: sent, instances })).toHaveLength(violations)
})
