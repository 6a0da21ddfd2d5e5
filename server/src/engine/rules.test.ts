import { expect, test } from 'vitest'
import { backoffMs, consequenceOf, FAILURES_IN_A_ROW } from './consequence.ts'
import { type Look, type Verdict, verdictOf } from './verdict.ts'

const look: Look = {
  candidates: [],
  isWell: true,
  sinceIntentMs: 60_000,
  sinceNotFoundMs: null,
  failingForMs: 0,
  doubts: 1,
}

test.each<[string, Partial<Look>, Verdict]>([
  ['one candidate', { candidates: ['a'], sinceIntentMs: 1 }, { kind: 'sent', providerMessageId: 'a' }],
  ['several candidates', { candidates: ['a', 'b'] }, { kind: 'unknown' }],
  ['none, before 30 s', { sinceIntentMs: 29_999, sinceNotFoundMs: 6_000 }, { kind: 'too_early' }],
  ['none, the first time', { sinceIntentMs: 30_000 }, { kind: 'not_found' }],
  ['none, twice, but too close', { sinceNotFoundMs: 4_999 }, { kind: 'not_found' }],
  ['none, twice, 5 s apart', { sinceNotFoundMs: 5_000 }, { kind: 'not_sent' }],
  ['none, but the account is not well', { isWell: false, sinceNotFoundMs: 6_000 }, { kind: 'failing' }],
  ['none, not well for 10 minutes', { isWell: false, failingForMs: 600_000 }, { kind: 'unknown' }],
  ['no look possible', { candidates: null, failingForMs: 599_999 }, { kind: 'failing' }],
  ['no look possible for 10 minutes', { candidates: null, failingForMs: 600_000 }, { kind: 'unknown' }],
  ['the tenth time in vain', { sinceNotFoundMs: 5_000, doubts: 10 }, { kind: 'hopeless' }],
])('a look-up with %s', (_name, given, verdict) => {
  expect(verdictOf({ ...look, ...given })).toEqual(verdict)
})

const tried = { attempt: 1, lastReason: null, recipientName: 'Ann', failuresInARow: 3, busyInARow: 1 }
const why = { code: 'refused', params: { detail: 'no' } } as const

test('sent: nothing is left of former trouble', () => {
  expect(consequenceOf(tried, { kind: 'sent', providerMessageId: 'a' }, 0)).toMatchObject({
    status: 'sent',
    providerMessageId: 'a',
    account: { failuresInARow: 0, busyInARow: 0, waiting: null },
    note: null,
  })
})

test('rejected: failed, and the tenth in a row stops the account', () => {
  const after = consequenceOf(tried, { kind: 'rejected', reason: why }, 0)
  expect(after).toMatchObject({
    status: 'failed',
    reason: why,
    account: { failuresInARow: 4, waiting: null },
  })
  expect(after.note?.reason).toEqual({
    code: 'delivery_failed',
    params: { recipient: 'Ann', why: 'refused', detail: 'no' },
  })

  const tenth = { ...tried, failuresInARow: FAILURES_IN_A_ROW - 1 }
  expect(consequenceOf(tenth, { kind: 'rejected', reason: why }, 0).account.waiting).toEqual({
    code: 'account_failures',
    params: { count: 10 },
  })
})

test('busy: queued again, the account rests, Retry-After is honoured, and the cap is given back', () => {
  expect(consequenceOf(tried, { kind: 'busy', reason: why, retryAfterMs: 90_000 }, 0)).toMatchObject({
    status: 'queued',
    retryInMs: 90_000,
    refund: true,
    account: { holdMs: 90_000, busyInARow: 2, busy: why, failuresInARow: 3 },
  })
  expect(
    consequenceOf({ ...tried, attempt: 5 }, { kind: 'busy', reason: why, retryAfterMs: null }, 1),
  ).toMatchObject({
    retryInMs: 32_000,
    account: { holdMs: 2_000 },
  })
})

test('unknown: in doubt, and only a row of them holds the account', () => {
  const first = consequenceOf({ ...tried, busyInARow: 0 }, { kind: 'unknown', reason: why }, 1)
  expect(first).toMatchObject({ status: 'doubt', refund: false, account: { holdMs: 0, busy: null } })
  const third = consequenceOf({ ...tried, busyInARow: 2 }, { kind: 'unknown', reason: why }, 1)
  expect(third).toMatchObject({ status: 'doubt', account: { holdMs: 1_000, busy: why, busyInARow: 3 } })
})

test('account: queued again, and the account waits', () => {
  const outcome = { kind: 'account', problem: 'account_bad_token', reason: why } as const
  expect(consequenceOf(tried, outcome, 0)).toMatchObject({
    status: 'queued',
    retryInMs: 0,
    refund: true,
    account: { waiting: why, status: 'BadToken' },
  })
})

test('withheld by ourselves: queued again, and nothing is held against anybody', () => {
  expect(consequenceOf(tried, { kind: 'withheld' }, 0)).toMatchObject({
    status: 'queued',
    reason: null,
    refund: true,
    account: { failuresInARow: 3, busyInARow: 1, holdMs: 0, waiting: null },
  })
})

test('a backoff doubles, ends at the most, and is never less than half of it', () => {
  expect([0, 1, 2, 9].map((times) => backoffMs(times, 60_000, 1))).toEqual([1_000, 2_000, 4_000, 60_000])
  expect(backoffMs(2, 60_000, 0)).toBe(2_000)
})
