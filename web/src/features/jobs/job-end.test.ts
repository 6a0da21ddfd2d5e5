import { expect, test } from 'vitest'
import { endOf } from './job-end.ts'

const now = Date.parse('2026-11-21T10:00:00.000Z')
const job = (waiting: number, sentLastMinute: number, endsAt: string | null) => ({
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

test.each([
  ['by its account’s pace', job(120, 2, '2026-11-21T11:00:00.000Z'), 60],
  ['by what it does now, where no pause holds it back', job(30_000, 3000, '2026-11-21T10:00:00.000Z'), 10],
  ['nobody knows: its account waits', job(120, 0, null), null],
  ['this very moment', job(1, 2, '2026-11-21T09:59:59.000Z'), null],
  ['it has ended', job(0, 3000, null), null],
])('a job is through %s', (_, running, minutes) => {
  expect(endOf(running, now)).toBe(minutes === null ? null : now + minutes * 60_000)
})
