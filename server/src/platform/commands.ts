import type { Caller } from './access.ts'
import { turnOf } from './api-keys.ts'
import { Refusal } from './refusal.ts'

/** Something that a user does to jobs or an instance, and that may wait for the instance's lock, such as a cancel. */
type Command = { caller: Caller; name: string; kind: 'job' | 'instance'; ids: readonly number[] }
type Entry = Command & { key: string; answer: Promise<unknown>; start: () => void }

export type Commands = { run: <T>(command: Command, work: () => Promise<T>) => Promise<T> }

/** A command holds a connection while it waits for a lock. The others are left for everybody else. */
const AT_ONCE = 8
/** Two, so that a user can cancel a job while a long delete runs. */
const OF_USER_AT_ONCE = 2
const WAITING_OF_USER = 1
const MAX_WAIT_MS = 10_000
const RETRY_SECONDS = 2

/**
 * Limits the commands: on each job or instance one runs at a time, of each user two, and eight in all. One more of each
 * user waits in memory, for ten seconds at most. A repeated command, as by a double click, gets the answer of the
 * first.
 */
export function openCommands(maxWaitMs = MAX_WAIT_MS): Commands {
  const running = new Set<Entry>()
  let queue: Entry[] = []

  const isOnSame = (entry: Entry) => {
    const ids = new Set(entry.ids)
    return (other: Entry) => other.kind === entry.kind && other.ids.some((id) => ids.has(id))
  }
  const isOf = (user: Caller) => (entry: Entry) => turnOf(entry.caller) === turnOf(user)
  const count = (entries: Iterable<Entry>, test: (entry: Entry) => boolean) =>
    [...entries].filter(test).length
  const mayStart = (entry: Entry) =>
    running.size < AT_ONCE &&
    count(running, isOf(entry.caller)) < OF_USER_AT_ONCE &&
    !count(running, isOnSame(entry))

  function startNext() {
    for (const entry of queue.filter(mayStart)) {
      if (!mayStart(entry)) continue
      queue = queue.filter((other) => other !== entry)
      running.add(entry)
      entry.start()
    }
  }

  function takeTurn(entry: Entry, started: Promise<void>): Promise<void> {
    queue.push(entry)
    startNext()
    if (running.has(entry)) return started
    if (count(queue, isOf(entry.caller)) > WAITING_OF_USER) {
      leave(entry)
      throw busy()
    }
    const late = Promise.withResolvers<never>()
    const timer = setTimeout(() => {
      leave(entry)
      late.reject(busy())
    }, maxWaitMs)
    return Promise.race([started, late.promise]).finally(() => clearTimeout(timer))
  }

  function leave(entry: Entry) {
    queue = queue.filter((other) => other !== entry)
    running.delete(entry)
    startNext()
  }

  async function runInTurn<T>(entry: Entry, started: Promise<void>, work: () => Promise<T>): Promise<T> {
    await takeTurn(entry, started)
    try {
      return await work()
    } finally {
      leave(entry)
    }
  }

  return {
    run<T>(command: Command, work: () => Promise<T>): Promise<T> {
      // The session is part of the key: another session of the user may have lost the right to do this.
      const { caller, name, kind, ids } = command
      const key = [caller.tokenHash.toString('hex'), name, kind, ...ids].join(' ')
      const same = [...running, ...queue].find((entry) => entry.key === key)
      if (same) return same.answer as Promise<T> // the same command has the same answer
      const { promise, resolve } = Promise.withResolvers<void>()
      const entry: Entry = { ...command, key, start: resolve, answer: promise }
      const answer = runInTurn(entry, promise, work)
      entry.answer = answer
      return answer
    },
  }
}

const busy = () => new Refusal('job_busy', {}, RETRY_SECONDS)
