import type { Pool } from '../platform/database/connection.ts'
import { isDatabaseDown } from '../platform/database/errors.ts'
import type { Claim } from './claim.ts'
import { type Step, stepOf, writeIntents } from './intent.ts'
import type { Locking } from './lock.ts'
import { isTaken, type Result, type Settled, writeResults } from './settle.ts'

/*
 * The messages of all accounts share their statements: what has gathered is written in one transaction as soon as the
 * last one is through. No timer: under load batches grow by themselves, and without load nothing waits.
 */

/** Messages in a batch: larger ones cost as much each, and the first of them waits longer. */
const MOST = 128

/** What an account hands in: what became of its last message, and whether it asks for the next one. */
export type Turn = { claim: Claim; result: Result | null; intent: string | null }

export type Answer = Settled & {
  step: Step
  /** Nothing was written: another delivery is credited with the provider's id. */
  isTaken: boolean
}

export type Batches = {
  /** Rejects when it could not be written, or nobody knows whether it was. */
  hand: (turn: Turn) => Promise<Answer>
  /** When nothing is handed in any more. */
  close: () => Promise<void>
}

type Handed = {
  turn: Turn
  resolve: (answer: Answer | Promise<Answer>) => void
  reject: (error: unknown) => void
}

export function openBatches(db: Pool): Batches {
  // Its own, so that a batch never waits for a free connection of the pool.
  const connection = db.dedicated()
  let gathered: Handed[] = []
  let isWriting = false

  /** One batch after another: a second one beside it would only take the processor from it. */
  async function writeGathered() {
    while (gathered.length > 0) {
      const [batch, rest] = cut(gathered)
      gathered = rest
      await write(batch)
    }
    isWriting = false
  }

  /** Never rejects. Whoever can't be written with the others, as their lock is held or one is bad, is written alone. */
  async function write(batch: Handed[]) {
    const turns = batch.map(({ turn }) => turn)
    try {
      const answers = await writeTurns(connection, turns, 'pass')
      for (const { turn, resolve } of batch) resolve(answers.get(turn) ?? writeAlone(db, turn))
    } catch (error) {
      for (const { turn, resolve, reject } of batch)
        if (isDatabaseDown(error)) reject(error)
        else resolve(writeAlone(db, turn))
    }
  }

  return {
    hand: (turn) =>
      new Promise((resolve, reject) => {
        gathered.push({ turn, resolve, reject })
        if (isWriting) return
        isWriting = true
        // After all that came in together: their answers are read in one go.
        setImmediate(() => void writeGathered())
      }),
    close: () => connection.end(1000),
  }
}

/** The next batch, in which each account is once at most, and what is left. */
function cut(gathered: Handed[]): [Handed[], Handed[]] {
  const batch = new Map<number, Handed>()
  const rest: Handed[] = []
  for (const handed of gathered) {
    const { instanceId } = handed.turn.claim
    if (batch.size < MOST && !batch.has(instanceId)) batch.set(instanceId, handed)
    else rest.push(handed)
  }
  return [[...batch.values()], rest]
}

/** Waits for the account's lock: it holds none meanwhile. */
export async function writeAlone(db: Pool, turn: Turn): Promise<Answer> {
  const unwritten = { ...idle, isHeld: turn.result === null }
  try {
    const answers = await writeTurns(db, [turn], 'wait')
    return answers.get(turn) ?? unwritten
  } catch (error) {
    if (!isTaken(error)) throw error
    return { ...unwritten, isTaken: true }
  }
}

/**
 * First the results, then the intents, each in one statement: so the next message of an account is chosen in the light
 * of what became of its last one. Turns whose account was passed over are missing in the answer.
 */
async function writeTurns(db: Pool, turns: Turn[], locking: Locking): Promise<Map<Turn, Answer>> {
  const results = turns.flatMap(({ result }) => result ?? [])
  const wishes = turns.flatMap(({ claim, intent }) => (intent === null ? [] : { claim, intent }))
  const intendedAt = performance.now()
  const [settled, intended] = await db.beginPipelined(PLAN_BY_INDEX, (tx) =>
    Promise.all([writeResults(tx, results, locking), writeIntents(tx, wishes, locking)]),
  )
  const settledOf = new Map(settled.map((row) => [row.instanceId, row]))
  const stepsOf = new Map(intended.map((row) => [row.instanceId, stepOf(row, intendedAt)]))
  const answers = new Map<Turn, Answer>()
  for (const turn of turns) {
    const { instanceId } = turn.claim
    const own = turn.result ? settledOf.get(instanceId) : idle
    const step = stepsOf.get(instanceId)
    if (own && (turn.result || step)) answers.set(turn, { ...idle, ...own, ...(step && { step }) })
  }
  return answers
}

/** Nothing came of it, and the account is still ours. */
export const idle: Answer = { isHeld: true, mayBeOver: false, isTaken: false, step: { kind: 'nothing' } }

/**
 * Everything in a batch is few, and is found by an index. Fresh statistics come minutes after 100,000 new rows, and
 * until then a planner that thinks the tables small would read them from end to end.
 */
const PLAN_BY_INDEX = {
  ...{ enable_seqscan: 'off', enable_hashjoin: 'off', enable_mergejoin: 'off' },
  plan_cache_mode: 'force_generic_plan',
}
