import type { Params } from '@sendroom/contract/errors'
import type { InstanceStatus } from '@sendroom/contract/instance-status'
import type { ReasonCode } from '@sendroom/contract/reasons'
import type { Reason } from '@sendroom/contract/values'
import type { AccountProblem, SendOutcome } from '../providers/provider.ts'
import type { Work } from './intent.ts'

/** Rejections in a row after which the account waits for a person. */
export const FAILURES_IN_A_ROW = 10
/** Unknown outcomes in a row after which the provider gets a rest: one alone says nothing about the account. */
const UNKNOWN_IN_A_ROW = 3

/** What the account looks like afterwards. */
export type AccountChange = {
  failuresInARow: number
  busyInARow: number
  /** Why the provider, not the pace, holds the account back. */
  busy: Reason | null
  /** Nothing is sent for so long; 0 leaves it to the pace. */
  holdMs: number
  /** A new trouble of the account itself. */
  waiting: Reason | null
  status: InstanceStatus | null
}

/** What follows from an attempt, for the delivery and for its account. */
export type Consequence = {
  status: 'sent' | 'failed' | 'queued' | 'doubt'
  providerMessageId: string | null
  reason: Reason | null
  /** For `queued`: how long until the next attempt. */
  retryInMs: number
  account: AccountChange
  /** Nothing went out, so it does not count for the cap. */
  refund: boolean
  note: Note | null
}

/** A line of the job's log. */
export type Note = { level: 'Info' | 'Warning' | 'Error'; reason: Reason }

/** `withheld`: we wrote the intent and then did not send, for our lease or our time had run out. */
export type Attempt = SendOutcome | { kind: 'withheld' }

/** What the rules look at. */
type Tried = Pick<Work, 'attempt' | 'lastReason' | 'recipientName' | 'failuresInARow' | 'busyInARow'>

/** The rule for each outcome. Pure: `random` (0 to 1) makes the jitter. */
export function consequenceOf(work: Tried, outcome: Attempt, random: number): Consequence {
  const calm = { failuresInARow: work.failuresInARow, busyInARow: work.busyInARow, ...wellAccount }
  switch (outcome.kind) {
    case 'sent':
      return {
        ...blank,
        status: 'sent',
        providerMessageId: outcome.providerMessageId,
        account: { ...calm, failuresInARow: 0, busyInARow: 0 },
      }
    case 'rejected':
      return failed(work, outcome.reason)
    case 'media_gone':
      return work.lastReason?.code === 'media_missing'
        ? failed(work, reason('media_missing'))
        : { ...blank, status: 'queued', reason: reason('media_missing'), refund: true, account: calm }
    case 'busy': {
      const holdMs = outcome.retryAfterMs ?? backoffMs(work.busyInARow, 60_000, random)
      return {
        ...blank,
        status: 'queued',
        reason: outcome.reason,
        retryInMs: Math.max(holdMs, backoffMs(work.attempt, 300_000, random)),
        refund: true,
        account: { ...calm, busyInARow: work.busyInARow + 1, busy: outcome.reason, holdMs },
        note: work.busyInARow === 0 ? note('Warning', 'delivery_retry', work, outcome.reason) : null,
      }
    }
    case 'account':
      return {
        ...blank,
        status: 'queued',
        reason: outcome.reason,
        refund: true,
        account: { ...calm, busyInARow: 0, waiting: outcome.reason, status: statusOf[outcome.problem] },
      }
    case 'unknown': {
      const inARow = work.busyInARow + 1
      const holdMs = inARow < UNKNOWN_IN_A_ROW ? 0 : backoffMs(inARow - UNKNOWN_IN_A_ROW, 60_000, random)
      return {
        ...blank,
        status: 'doubt',
        reason: outcome.reason,
        account: { ...calm, busyInARow: inARow, holdMs, busy: holdMs > 0 ? outcome.reason : null },
        note: note('Warning', 'delivery_doubt', work, outcome.reason),
      }
    }
    case 'withheld':
      return { ...blank, status: 'queued', refund: true, account: calm }
  }
}

function failed(work: Tried, why: Reason): Consequence {
  const failuresInARow = work.failuresInARow + 1
  const guard = failuresInARow >= FAILURES_IN_A_ROW
  return {
    ...blank,
    status: 'failed',
    reason: why,
    account: {
      ...wellAccount,
      failuresInARow,
      busyInARow: 0,
      waiting: guard ? reason('account_failures', { count: failuresInARow }) : null,
    },
    note: note('Error', 'delivery_failed', work, why),
  }
}

/** Doubles from 1 s to the most, between half and all of it so that many do not come back together. */
export const backoffMs = (times: number, mostMs: number, random: number) =>
  Math.round(Math.min(mostMs, 1000 * 2 ** times) * (0.5 + random / 2))

export const reason = (code: ReasonCode, params: Params = {}): Reason => ({ code, params })

/** A line about one recipient; the reason is named by its code and lends its params (see contract/reasons.ts). */
export const note = (
  level: Note['level'],
  code: ReasonCode,
  { recipientName }: { recipientName: string },
  why?: Reason,
): Note => ({
  level,
  reason: reason(code, { ...why?.params, recipient: recipientName, ...(why && { why: why.code }) }),
})

const blank = { providerMessageId: null, reason: null, retryInMs: 0, refund: false, note: null }
const wellAccount = { busy: null, holdMs: 0, waiting: null, status: null }

const statusOf: Record<AccountProblem, InstanceStatus | null> = {
  account_not_linked: 'NeedsLogin',
  account_unpaid: 'Unpaid',
  account_bad_token: 'BadToken',
  account_restricted: null,
}
