import { expect, test } from 'vitest'
import { endOf } from './job-pace.tsx'

const now = Date.parse('2026-11-21T10:00:00.000Z')
const hourAgo = '2026-11-21T09:00:00.000Z'
const job = (waiting: number, sentLastMinute: number, endsAt: string | null, startedAt = hourAgo) => ({
  startedAt,
  endsAt,
  recipients: {
    total: 0,
    sent: 0,
    failed: 0,
    skipped: 0,
    unknown: 0,
    delivered: 0,
    read: 0,
    waiting,
    sentLastMinute,
  },
})

// R-2186
test.each([
  ['is predicted by the instance’s pace', job(120, 2, '2026-11-21T11:00:00.000Z'), 60],
  ['is predicted by its current rate if that is fast', job(30_000, 3000, '2026-11-21T10:00:00.000Z'), 10],
  [
    'is predicted by its rate since its start in the first minute',
    job(1800, 300, '2026-11-21T10:00:00.000Z', '2026-11-21T09:59:50.000Z'),
    1,
  ],
  ['is unknown while its instance waits', job(120, 0, null), null],
  ['is unknown when it is due now', job(1, 2, '2026-11-21T09:59:59.000Z'), null],
  ['is unknown when it has ended', job(0, 3000, null), null],
])('the end of a job %s', (_, running, minutes) => {
  expect(endOf(running, now)).toBe(minutes === null ? null : now + minutes * 60_000)
})
