import { normalizeIP } from '@fastify/rate-limit'
import { Refusal } from './refusal.ts'

/** For whom a password is hashed. */
export type Asker = {
  /** Whose password it is, or who sets it. */
  user: string
  address: string
  /** Whether the user has signed in before with this browser. */
  isKnown?: boolean
}

type Entry = Asker & { start: () => void }

// Each hash takes 19 MiB of memory and 30 ms of one of Node's four threads, which files and name lookups need as well.
const AT_ONCE = 2
/** More than this many would wait for seconds. */
const MAX_WAITING = 100
/** An office may share one address. */
const MAX_WAITING_OF_ADDRESS = 20
const MAX_WAITING_OF_USER = 5
const RETRY_SECONDS = 5

const running = new Set<Entry>()
let waiting: Entry[] = []

/**
 * Runs the work when it is its turn. One user has one turn at a time, so that whoever signs in again and again leaves
 * room for others. Known browsers come first, because strangers can't make themselves known. Then the addresses take
 * turns.
 *
 * @throws Refusal too_many_requests if too much waits, of this user, of this address or in all
 */
export async function inTurn<T>(asker: Asker, work: () => Promise<T>): Promise<T> {
  const { promise, resolve } = Promise.withResolvers<void>()
  // Only the first 64 bits of an IPv6 address count: the customer chooses the others.
  const entry = { ...asker, address: normalizeIP(asker.address), start: resolve }
  waiting.push(entry)
  startNext()
  refuseIfFull(entry)
  await promise
  try {
    return await work()
  } finally {
    running.delete(entry)
    startNext()
  }
}

function startNext(): void {
  if (running.size >= AT_ONCE) return
  const next = findNext()
  if (!next) return
  waiting = waiting.filter((entry) => entry !== next)
  running.add(next)
  next.start()
}

/**
 * Finds the next entry among the oldest of each user who has no turn: the entry before which the fewest of its
 * address run or wait.
 */
function findNext(): Entry | undefined {
  const busy = new Set([...running].map(({ user }) => user))
  const before = new Map<string, number>()
  for (const { address } of running) before.set(address, (before.get(address) ?? 0) + 1)
  let next: { entry: Entry; place: number } | undefined
  for (const entry of waiting) {
    if (busy.has(entry.user)) continue
    busy.add(entry.user)
    const ofAddress = before.get(entry.address) ?? 0
    before.set(entry.address, ofAddress + 1)
    const place = entry.isKnown ? -1 : ofAddress
    if (!next || place < next.place) next = { entry, place }
  }
  return next?.entry
}

function refuseIfFull(entry: Entry): void {
  if (!waiting.includes(entry)) return
  const count = (isLike: (other: Entry) => boolean) => waiting.filter(isLike).length
  const isFull =
    count(({ user }) => user === entry.user) > MAX_WAITING_OF_USER ||
    (!entry.isKnown &&
      (waiting.length > MAX_WAITING ||
        count(({ address }) => address === entry.address) > MAX_WAITING_OF_ADDRESS))
  if (!isFull) return
  waiting = waiting.filter((other) => other !== entry)
  throw new Refusal('too_many_requests', { seconds: RETRY_SECONDS }, RETRY_SECONDS)
}
