import { Refusal } from './refusal.ts'

type Limits = {
  /** How many of a user run at once. */
  atOnce: number
  /** How many more of a user wait. */
  waiting: number
  /** The refusal of what finds the queue full. */
  whenFull: () => Refusal
}
type Turns = { running: number; waiting: (() => void)[] }

/** Runs `work` when it is the user's turn, or rejects with `whenFull`. */
export type InTurn = <T>(userId: number, limits: Limits, work: () => Promise<T>) => Promise<T>

/** Runs a few things of each user at once, and lets the others wait in memory. So a user's many do not slow down others. */
export function openTurns(): InTurn {
  const users = new Map<number, Turns>()

  return async function run(userId, { atOnce, waiting, whenFull }, work) {
    const turns = users.get(userId) ?? { running: 0, waiting: [] }
    users.set(userId, turns)
    if (turns.running < atOnce) turns.running++
    else if (turns.waiting.length >= waiting) throw whenFull()
    // What ends gives its turn to the next one.
    else await new Promise<void>((resolve) => turns.waiting.push(resolve))
    try {
      return await work()
    } finally {
      const next = turns.waiting.shift()
      if (next) next()
      else turns.running--
      if (turns.running === 0) users.delete(userId)
    }
  }
}

/** A quarter of the server's connections: most requests use one at a time, and each one that waits for a lock holds it. */
const REQUESTS_AT_ONCE = 5
/** A busy page has a dozen requests, and a user several pages. */
const WAITING_REQUESTS = 200
const RETRY_SECONDS = 1

/** Runs the handler of a user's request when it is the user's turn. */
export type RequestTurns = <T>(userId: number, work: () => Promise<T>) => Promise<T>

export function limitRequests(): RequestTurns {
  const inTurn = openTurns()
  const whenFull = () => new Refusal('too_many_requests', {}, RETRY_SECONDS)
  return (userId, work) =>
    inTurn(userId, { atOnce: REQUESTS_AT_ONCE, waiting: WAITING_REQUESTS, whenFull }, work)
}
