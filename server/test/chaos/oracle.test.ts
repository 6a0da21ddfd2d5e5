import { expect, test } from 'vitest'
import type { JobRow, LogRow } from './evidence.ts'
import type { StoryLine } from './instruments.ts'
import { logsAgree, nobodyGaveUpEarly } from './oracle.ts'

const job: JobRow = {
  id: 1,
  instanceId: 1,
  status: 'Cancelled',
  run: 1,
  textContent: 'Hello',
  imageId: null,
  settling: false,
  recipientCount: 2,
  completedAt: '2026-01-02T03:04:05.000Z',
}

/** One got it, one failed; sent to the rest, and cancelled before anything began. */
const story = [
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
  ([what, was, became], place) =>
    ({
      ...{ id: place + 1, jobId: 1, run: 1, was, became },
      ...(what === 'job' ? { what } : { what: 'delivery', deliveryId: what }),
    }) as StoryLine,
)

function logOf(sent: number, failed: number): LogRow[] {
  const params = (code: string): LogRow['params'] => (code === 'job_completed' ? { sent, failed } : {})
  return ['job_created', 'job_started', 'job_completed', 'job_retried', 'job_started', 'job_cancelled'].map(
    (code) => ({ jobId: 1, at: '2026-01-02T03:04:05.000Z', code, params: params(code) }),
  )
}

test.each([
  ['what was so then', 1, 1, 0],
  ['one too few failed', 1, 0, 1],
  ['one too many sent', 2, 0, 1],
])('the log of a job that was reopened since and cancelled tells %s', (_, sent, failed, faults) => {
  expect(logsAgree({ jobs: [job], logs: logOf(sent, failed), story })).toHaveLength(faults)
})

const line = (code: string, at: string, jobId = 1): LogRow => ({
  jobId,
  at: `2026-01-0${at}Z`,
  code,
  params: {},
})
test.each([
  ['when its trouble was as old as that', [line('account_waits', '1T10:00:00')], 0],
  [
    'when a new trouble was younger',
    [line('account_waits', '1T10:00:00'), line('account_waits', '1T10:00:01')],
    1,
  ],
  [
    'when it was sent to the rest as long ago',
    [
      line('job_retried', '1T10:00:00'),
      line('job_started', '1T11:00:00'),
      line('account_waits', '1T11:00:00'),
    ],
    0,
  ],
  ['when only another had trouble', [line('account_waits', '1T10:00:00', 2)], 1],
])('a job is given up %s', (_, logs, faults) => {
  const over = [...logs, line('account_wait_over', '2T10:00:00')]
  expect(nobodyGaveUpEarly({ logs: over, accountWaitMs: 24 * 3600_000 })).toHaveLength(faults)
})
