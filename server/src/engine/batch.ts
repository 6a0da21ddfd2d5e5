import { isDatabaseDown, type Sql } from '../platform/database/connection.ts'
import type { Claim } from './claim.ts'
import { type Step, stepOf, writeIntents } from './intent.ts'
import type { Locking } from './lock.ts'
import { type Result, type Settled, writeResults } from './settle.ts'

/*
 * The messages of all accounts share their statements: what has gathered is written in one transaction as soon as a
 * lane is free. No timer: under load batches grow by themselves, and without load nothing waits.
 */

/** Batches under way at once: the database works on one while we take the answers of the other. */
const LANES = 2
const MOST = 128

/** What an account hands in: what became of its last message, and whether it asks for the next one. */
export type Turn = { claim: Claim; result: Result | null; intent: string | null }

export type Answer = Settled & { step: Step }

export type Batches = {
  /** Rejects when it could not be written, or nobody knows whether it was. */
  hand: (turn: Turn) => Promise<Answer>
}

type Handed = {
  turn: Turn
  resolve: (answer: Answer | Promise<Answer>) => void
  reject: (error: unknown) => void
}

export function openBatches(sql: Sql): Batches {
  let gathered: Handed[] = []
  let lanes = 0

  function fill() {
    while (lanes < LANES && gathered.length > 0) {
      const [batch, rest] = cut(gathered)
      gathered = rest
      lanes++
      void write(batch).finally(() => {
        lanes--
        fill()
      })
    }
  }

  /** Never rejects. Whoever can't be written with the others, as their lock is held or one is bad, is written alone. */
  async function write(batch: Handed[]) {
    const turns = batch.map(({ turn }) => turn)
    try {
      const answers = await writeTurns(sql, turns, 'pass')
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
        // After all that came in together: their answers are read in one go.
        if (gathered.length === 1) setImmediate(fill)
      }),
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
  const answers = await writeTurns(sql, [turn], 'wait')
  return answers.get(turn) ?? { ...stillHeld, isHeld: turn.result === null, step: nothing }
}

/**
 * First the results, then the intents, each in one statement: so the next message of an account is chosen in the light
 * of what became of its last one. Turns whose account was passed over are missing in the answer.
 */
async function writeTurns(sql: Sql, turns: Turn[], locking: Locking): Promise<Map<Turn, Answer>> {
  const results = turns.flatMap(({ result }) => result ?? [])
  const wishes = turns.flatMap(({ claim, intent }) => (intent === null ? [] : { claim, intent }))
  const intendedAt = performance.now()
  const [, settled, intended] = await sql.begin((tx) =>
    // Sent together: none needs the answer of another.
    Promise.all([
      tx.unsafe(PLAN_BY_INDEX),
      writeResults(tx, results, locking),
      writeIntents(tx, wishes, locking),
    ]),
  )
  const settledOf = new Map(settled.map((row) => [row.instanceId, row]))
  const stepsOf = new Map(intended.map((row) => [row.instanceId, stepOf(row, intendedAt)]))
  const answers = new Map<Turn, Answer>()
  for (const turn of turns) {
    const { instanceId } = turn.claim
    const own = turn.result ? settledOf.get(instanceId) : stillHeld
    const step = stepsOf.get(instanceId)
    if (own && (turn.result || step)) answers.set(turn, { ...own, step: step ?? nothing })
  }
  return answers
}

const nothing: Step = { kind: 'nothing' }
const stillHeld: Settled = { isHeld: true, mayBeOver: false, isTaken: false }

/**
 * Everything in a batch is few, and is found by an index. Fresh statistics come minutes after 100,000 new rows, and
 * until then a planner that thinks the tables small would read them from end to end.
 */
const PLAN_BY_INDEX = `
  set local enable_seqscan = off; set local enable_hashjoin = off;
  set local enable_mergejoin = off; set local plan_cache_mode = force_generic_plan`
