import type { InstanceStatus } from '@sendroom/contract/instance-status'
import type { Reason } from '@sendroom/contract/values'
import { backoffMs } from '../../platform/backoff.ts'
import type { InstanceProblem, SendOutcome } from '../../providers/provider.ts'
import type { InstanceChange } from '../shared/instance-change.ts'
import { type LogLine, reason, recipientLine } from '../shared/job-log.ts'
import type { IntendedMessage } from './intent.ts'

/**
 * After this many failed messages in a row the instance stops until a person resumes it: `failureEffects` below returns
 * the reason, settle.ts saves it in `instances.waiting`, and `instanceMaySend` (shared/pace.ts) excludes the instance.
 */
export const MAX_FAILURES_IN_A_ROW = 10
/** From this many unknown outcomes in a row on, the provider gets a rest. A single one says nothing about it. */
const UNKNOWN_IN_A_ROW = 3

/** The changes that an attempt makes to its delivery and its instance. */
export type OutcomeEffects = {
  status: 'sent' | 'failed' | 'queued' | 'doubt'
  providerMessageId: string | null
  reason: Reason | null
  /** For `queued`: ms until the next attempt. */
  retryInMs: number
  instance: InstanceChange
  /** The message does not count for the daily cap. A rejected message does count. */
  refund: boolean
  logLine: LogLine | null
}

/**
 * `withheld`: the intent was written, but the lease or the time to begin the send had run out, or the worker stops.
 * `limited`: refused, because WhatsApp limits the instance. Jobs to people wait until that ends.
 */
export type AttemptOutcome = SendOutcome | { kind: 'withheld' } | { kind: 'limited'; reason: Reason }

/** The part of an attempt that the rules depend on. */
type Tried = Pick<
  IntendedMessage,
  'attempt' | 'lastReason' | 'recipientName' | 'failuresInARow' | 'busyInARow'
>

/** The rule for each outcome. A pure function: `random` (0 to 1) supplies the jitter of waiting times. */
export function effectsOf(message: Tried, outcome: AttemptOutcome, random: number): OutcomeEffects {
  const unchanged = {
    failuresInARow: message.failuresInARow,
    busyInARow: message.busyInARow,
    ...healthyInstance,
  }
  switch (outcome.kind) {
    case 'sent':
      return {
        ...blank,
        status: 'sent',
        providerMessageId: outcome.providerMessageId,
        instance: { ...unchanged, failuresInARow: 0, busyInARow: 0 },
      }
    case 'rejected':
      return failureEffects(message, outcome.reason)
    case 'no_first_message':
      return failureEffects(message, reason('no_first_message'))
    case 'media_gone':
      return message.lastReason?.code === 'media_missing'
        ? failureEffects(message, reason('media_missing'))
        : { ...blank, status: 'queued', reason: reason('media_missing'), refund: true, instance: unchanged }
    case 'busy': {
      const holdMs = outcome.retryAfterMs ?? backoffMs(message.busyInARow, 60_000, random)
      return {
        ...blank,
        status: 'queued',
        reason: outcome.reason,
        retryInMs: Math.max(holdMs, backoffMs(message.attempt, 300_000, random)),
        refund: true,
        instance: { ...unchanged, busyInARow: message.busyInARow + 1, busy: outcome.reason, holdMs },
        logLine:
          message.busyInARow === 0
            ? recipientLine('Warning', 'delivery_retry', message, outcome.reason)
            : null,
      }
    }
    case 'account':
      return {
        ...blank,
        status: 'queued',
        reason: outcome.reason,
        refund: true,
        instance: { ...unchanged, busyInARow: 0, waiting: outcome.reason, status: statusOf[outcome.problem] },
      }
    case 'unknown': {
      const inARow = message.busyInARow + 1
      const holdMs = inARow < UNKNOWN_IN_A_ROW ? 0 : backoffMs(inARow - UNKNOWN_IN_A_ROW, 60_000, random)
      return {
        ...blank,
        status: 'doubt',
        reason: outcome.reason,
        instance: { ...unchanged, busyInARow: inARow, holdMs, busy: holdMs > 0 ? outcome.reason : null },
        logLine: recipientLine('Warning', 'delivery_doubt', message, outcome.reason),
      }
    }
    case 'limited':
      return {
        ...blank,
        status: 'queued',
        reason: outcome.reason,
        refund: true,
        instance: unchanged,
        logLine: recipientLine('Warning', 'delivery_retry', message, outcome.reason),
      }
    case 'withheld':
      return { ...blank, status: 'queued', refund: true, instance: unchanged }
  }
}

function failureEffects(message: Tried, why: Reason): OutcomeEffects {
  const failuresInARow = message.failuresInARow + 1
  const mustStop = failuresInARow >= MAX_FAILURES_IN_A_ROW
  return {
    ...blank,
    status: 'failed',
    reason: why,
    instance: {
      ...healthyInstance,
      failuresInARow,
      busyInARow: 0,
      waiting: mustStop ? reason('account_failures', { count: failuresInARow }) : null,
    },
    logLine: recipientLine('Error', 'delivery_failed', message, why),
  }
}

const blank = { providerMessageId: null, reason: null, retryInMs: 0, refund: false, logLine: null }
const healthyInstance = { busy: null, holdMs: 0, waiting: null, status: null }

const statusOf: Record<InstanceProblem, InstanceStatus | null> = {
  account_not_linked: 'NeedsLogin',
  account_unpaid: 'Unpaid',
  account_bad_token: 'BadToken',
  account_restricted: null,
}
