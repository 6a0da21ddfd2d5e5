import { expect, test } from 'vitest'
import { backoffMs } from '../../platform/backoff.ts'
import { type Look, type Verdict, verdictOf } from '../in-doubt/verdict.ts'
import { effectsOf, MAX_FAILURES_IN_A_ROW } from './outcome-effects.ts'

const look: Look = {
  candidates: [],
  emptyAnswerCounts: true,
  sinceIntentMs: 60_000,
  believeAfterMs: 30_000,
  sinceNotFoundMs: null,
  failingForMs: 0,
  doubts: 1,
  isEvidenceCertain: true,
}

test.each<[string, Partial<Look>, Verdict]>([
  ['one candidate', { candidates: ['a'], sinceIntentMs: 1 }, { kind: 'sent', providerMessageId: 'a' }],
  ['several candidates', { candidates: ['a', 'b'] }, { kind: 'outcome_unknown' }],
  ['no candidate before 30 s', { sinceIntentMs: 29_999, sinceNotFoundMs: 6_000 }, { kind: 'too_early' }],
  ['no candidate for the first time', { sinceIntentMs: 30_000 }, { kind: 'not_found' }],
  ['no candidate twice within 5 s', { sinceNotFoundMs: 4_999 }, { kind: 'not_found' }],
  ['no candidate twice, 5 s apart', { sinceNotFoundMs: 5_000 }, { kind: 'not_sent' }],
  // R-1601
  [
    'no candidate of a file that may look different',
    { sinceNotFoundMs: 5_000, isEvidenceCertain: false },
    { kind: 'outcome_unknown' },
  ],
  [
    'no candidate, but an unhealthy instance',
    { emptyAnswerCounts: false, sinceNotFoundMs: 6_000 },
    { kind: 'failing' },
  ],
  [
    'no candidate, but an instance unhealthy for 10 minutes',
    { emptyAnswerCounts: false, failingForMs: 600_000 },
    { kind: 'outcome_unknown' },
  ],
  ['an unreadable chat', { candidates: null, failingForMs: 599_999 }, { kind: 'failing' }],
  [
    'a chat unreadable for 10 minutes',
    { candidates: null, failingForMs: 600_000 },
    { kind: 'outcome_unknown' },
  ],
  ['no candidate in the tenth doubt', { sinceNotFoundMs: 5_000, doubts: 10 }, { kind: 'out_of_retries' }],
])('a look-up with %s', (_name, change, verdict) => {
  expect(verdictOf({ ...look, ...change })).toEqual(verdict)
})

const message = { attempt: 1, lastReason: null, recipientName: 'Ann', failuresInARow: 3, busyInARow: 1 }
const why = { code: 'refused', params: { detail: 'no' } } as const

test('sent: earlier failures and trouble are forgotten', () => {
  expect(effectsOf(message, { kind: 'sent', providerMessageId: 'a' }, 0)).toMatchObject({
    status: 'sent',
    providerMessageId: 'a',
    instance: { failuresInARow: 0, busyInARow: 0, waiting: null },
    logLine: null,
  })
})

test('rejected: the delivery fails, and the tenth failure in a row stops the instance', () => {
  const effects = effectsOf(message, { kind: 'rejected', reason: why }, 0)
  expect(effects).toMatchObject({
    status: 'failed',
    reason: why,
    instance: { failuresInARow: 4, waiting: null },
  })
  expect(effects.logLine?.reason).toEqual({
    code: 'delivery_failed',
    params: { recipient: 'Ann', why: 'refused', detail: 'no' },
  })

  const tenth = { ...message, failuresInARow: MAX_FAILURES_IN_A_ROW - 1 }
  expect(effectsOf(tenth, { kind: 'rejected', reason: why }, 0).instance.waiting).toEqual({
    code: 'account_failures',
    params: { count: 10 },
  })
})

test('busy: the message is requeued, Retry-After is honoured, and the message does not count for the cap', () => {
  expect(effectsOf(message, { kind: 'busy', reason: why, retryAfterMs: 90_000 }, 0)).toMatchObject({
    status: 'queued',
    retryInMs: 90_000,
    refund: true,
    instance: { holdMs: 90_000, busyInARow: 2, busy: why, failuresInARow: 3 },
  })
  expect(
    effectsOf({ ...message, attempt: 5 }, { kind: 'busy', reason: why, retryAfterMs: null }, 1),
  ).toMatchObject({
    retryInMs: 32_000,
    instance: { holdMs: 2_000 },
  })
})

test('unknown: the delivery is in doubt, and the instance pauses only after the third in a row', () => {
  const first = effectsOf({ ...message, busyInARow: 0 }, { kind: 'unknown', reason: why }, 1)
  expect(first).toMatchObject({ status: 'doubt', refund: false, instance: { holdMs: 0, busy: null } })
  const third = effectsOf({ ...message, busyInARow: 2 }, { kind: 'unknown', reason: why }, 1)
  expect(third).toMatchObject({ status: 'doubt', instance: { holdMs: 1_000, busy: why, busyInARow: 3 } })
})

test('account: the message is requeued, and the instance waits', () => {
  const outcome = { kind: 'account', problem: 'account_bad_token', reason: why } as const
  expect(effectsOf(message, outcome, 0)).toMatchObject({
    status: 'queued',
    retryInMs: 0,
    refund: true,
    instance: { waiting: why, status: 'BadToken' },
  })
})

test('withheld: the message is requeued, and nothing else changes', () => {
  expect(effectsOf(message, { kind: 'withheld' }, 0)).toMatchObject({
    status: 'queued',
    reason: null,
    refund: true,
    instance: { failuresInARow: 3, busyInARow: 1, holdMs: 0, waiting: null },
  })
})

test('a backoff doubles up to its maximum, and jitter takes at most half of it', () => {
  expect([0, 1, 2, 9].map((times) => backoffMs(times, 60_000, 1))).toEqual([1_000, 2_000, 4_000, 60_000])
  expect(backoffMs(2, 60_000, 0)).toBe(2_000)
})
