import { connectAlone, type Db, isDatabaseDown, type Sql } from '../platform/database/connection.ts'
import type { Claim } from './claim.ts'
import { type IntentRow, type Step, stepOf, writeIntents } from './intent.ts'
import type { Locking } from './lock.ts'
import { isTaken, type Result, type Settled, type SettledRow, writeResults } from './settle.ts'

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

export function openBatches(sql: Sql): Batches {
  // Of its own, so that a whole transaction goes out in one write and never lies open while we are away.
  const connection = connectAlone(sql, PLAN_BY_INDEX)
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
      const answers = await writeTurns(turns, 'pass', (statements) => inOneWrite(connection, statements))
      for (const { turn, resolve } of batch) resolve(answers.get(turn) ?? writeAlone(sql, turn))
    } catch (error) {
      for (const { turn, resolve, reject } of batch)
        if (isDatabaseDown(error)) reject(error)
        else resolve(writeAlone(sql, turn))
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
    close: () => connection.end({ timeout: 1 }),
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
export async function writeAlone(sql: Sql, turn: Turn): Promise<Answer> {
  const unwritten = { ...idle, isHeld: turn.result === null }
  try {
    const answers = await writeTurns([turn], 'wait', (statements) =>
      sql.begin(async (tx) => {
        await tx.unsafe(setLocally)
        return statements(tx)
      }),
    )
    return answers.get(turn) ?? unwritten
  } catch (error) {
    if (!isTaken(error)) throw error
    return { ...unwritten, isTaken: true }
  }
}

/** A whole transaction without waiting for an answer in between: no lock of it outlasts a process that is stopped. */
async function inOneWrite<T>(connection: Sql, statements: (db: Db) => Promise<T>): Promise<T> {
  const begun = connection.unsafe('begin').execute()
  const written = statements(connection)
  const committed = connection`commit`.execute()
  await Promise.allSettled([begun, written, committed])
  await begun
  await committed
  return written
}

type Statements = (db: Db) => Promise<[SettledRow[], IntentRow[]]>

/**
 * First the results, then the intents, each in one statement: so the next message of an account is chosen in the light
 * of what became of its last one. Turns whose account was passed over are missing in the answer.
 */
async function writeTurns(
  turns: Turn[],
  locking: Locking,
  run: (statements: Statements) => ReturnType<Statements>,
): Promise<Map<Turn, Answer>> {
  const results = turns.flatMap(({ result }) => result ?? [])
  const wishes = turns.flatMap(({ claim, intent }) => (intent === null ? [] : { claim, intent }))
  const intendedAt = performance.now()
  // Sent together, and at once: a query that is only awaited goes out a moment later, behind the commit.
  const [settled, intended] = await run((db) =>
    Promise.all([writeResults(db, results, locking).execute(), writeIntents(db, wishes, locking).execute()]),
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
const setLocally = Object.entries(PLAN_BY_INDEX)
  .map(([name, value]) => `set local ${name} = ${value}`)
  .join('; ')
