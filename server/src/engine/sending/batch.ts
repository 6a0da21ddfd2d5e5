import type { Pool } from '../../platform/database/connection.ts'
import { isDatabaseDown } from '../../platform/database/errors.ts'
import { type GroupCommit, openGroupCommit } from '../shared/group-commit.ts'
import { type Locking, repeatWhileLocked } from '../shared/lock.ts'
import { isMatchedAlready } from '../shared/matched-ids.ts'
import type { Claim } from './claim.ts'
import { type NextStep, stepOf, writeIntents } from './intent.ts'
import { type Result, type Settled, writeResults } from './settle.ts'

/** Exchanges in a batch. The cost of each stays the same in larger batches, and the first one waits longer. */
const MAX_BATCH = 128

/** An instance submits the result of its last message and the token of the intent that it requests. */
export type Exchange = { claim: Claim; result: Result | null; intent: string | null; lastBeatSeen: number }

export type ExchangeAnswer = Settled & {
  step: NextStep
  /** Nothing was written, because another delivery has the provider's message id. */
  isMatchedAlready: boolean
}

export type Batches = GroupCommit<Exchange, ExchangeAnswer>

/**
 * All instances of a worker share their transactions. `submit` rejects when the exchange could not be written, or when
 * nobody knows whether it was.
 */
export function openBatches(db: Pool, isGivingUp: () => boolean = () => false): Batches {
  const alone = (exchange: Exchange) => writeAlone(db, exchange, isGivingUp)
  return openGroupCommit(db, {
    startBatch: takeEachInstanceOnce,
    /** An exchange without an answer is written alone, and so is each one of a batch that failed. */
    async write(connection, exchanges) {
      try {
        const answers = await writeExchanges(connection, exchanges, 'skip')
        return exchanges.map((exchange) => answers.get(exchange) ?? alone(exchange))
      } catch (error) {
        if (isDatabaseDown(error)) throw error
        return exchanges.map(alone)
      }
    },
  })
}

function takeEachInstanceOnce() {
  const instances = new Set<number>()
  return ({ claim: { instanceId } }: Exchange) => {
    if (instances.size >= MAX_BATCH || instances.has(instanceId)) return false
    instances.add(instanceId)
    return true
  }
}

/**
 * Waits for the instance's lock, and holds no other meanwhile. After a second it gives its connection to the next one
 * that waits (see INSTANCE_CONNECTIONS in engine.ts), and then tries again for as long as the instance is locked. An
 * exchange without a result has no answer when nothing can be sent or the claim is lost: `isHeld` stays true then, and
 * the sender's release is a no-op for a lost claim.
 *
 * @throws an error for `isLockTimedOut` if the instance is still locked when `isGivingUp`; nothing is written then.
 */
export async function writeAlone(
  db: Pool,
  exchange: Exchange,
  isGivingUp: () => boolean = () => false,
): Promise<ExchangeAnswer> {
  const noAnswer = { ...nothingToSend, isHeld: exchange.result === null }
  try {
    const answers = await repeatWhileLocked(isGivingUp, () => writeExchanges(db, [exchange], 'wait'))
    return answers.get(exchange) ?? noAnswer
  } catch (error) {
    if (isMatchedAlready(error)) return { ...noAnswer, isMatchedAlready: true }
    throw error
  }
}

/**
 * Writes the results, then the intents, each in one statement: the next message of an instance is chosen in the light
 * of the last one's result.
 *
 * With `locking` 'skip', an exchange whose instance is locked has no answer, and the caller writes it alone. If only
 * the result was skipped, because the lock was freed between the two statements, no intent can have been written
 * either: the delivery of the unwritten result is still in flight, and `instanceMaySend` excludes such an instance.
 */
async function writeExchanges(
  db: Pool,
  exchanges: Exchange[],
  locking: Locking,
): Promise<Map<Exchange, ExchangeAnswer>> {
  const results = exchanges.flatMap(({ result }) => result ?? [])
  const requests = exchanges.flatMap(({ claim, intent, lastBeatSeen }) =>
    intent === null ? [] : { claim, intent, lastBeatSeen },
  )
  const intendedAt = performance.now()
  const [settled, intended] = await db.beginPipelined(SETTINGS, (tx) =>
    Promise.all([writeResults(tx, results, locking), writeIntents(tx, requests, locking)]),
  )
  const settledOf = new Map(settled.map((row) => [row.instanceId, row]))
  const stepsOf = new Map(intended.map((row) => [row.instanceId, stepOf(row, intendedAt)]))
  const answers = new Map<Exchange, ExchangeAnswer>()
  for (const exchange of exchanges) {
    const { instanceId } = exchange.claim
    const own = exchange.result ? settledOf.get(instanceId) : nothingToSend
    const step = stepsOf.get(instanceId)
    if (own && (exchange.result || step))
      answers.set(exchange, { ...nothingToSend, ...own, ...(step && { step }) })
  }
  return answers
}

/** The answer when no message can be sent now: the sender ends and releases its claim. */
export const nothingToSend: ExchangeAnswer = {
  isHeld: true,
  mayBeOver: false,
  isMatchedAlready: false,
  step: { kind: 'nothing' },
}

/**
 * The settings of a batch. A batch touches few rows and finds them by an index. Fresh statistics come minutes after
 * 100,000 new rows; until then the planner would believe the tables to be small and read them from end to end.
 */
const SETTINGS = {
  ...{ enable_seqscan: 'off', enable_hashjoin: 'off', enable_mergejoin: 'off' },
  plan_cache_mode: 'force_generic_plan',
  // A result that is not written puts its message in doubt. So it waits for as long as the instance is locked.
  statement_timeout: '0',
  lock_timeout: '1000',
}
