import { Refusal } from '../refusal.ts'
import { openWorkerThread, type Task } from './worker-thread.ts'

/** The tools of a piece of heavy work: a signal to stop at, and the worker thread for the part that needs the CPU. */
export type HeavyContext = {
  signal: AbortSignal
  inWorker: <I, O>(task: Task<I, O>, input: I) => Promise<O>
}

export type HeavyRequest = {
  userId: number
  /** Aborts when the client has left. */
  signal: AbortSignal
  /** A newer request of the same user and kind takes the place of an older one that still waits. */
  replaces?: 'preview'
}

export type HeavyWork = {
  run: <T>(request: HeavyRequest, work: (context: HeavyContext) => Promise<T>) => Promise<T>
  /** Ends running work and refuses what waits. */
  stop: () => Promise<void>
}

type Waiting = HeavyRequest & { start: () => void; refuse: (refusal: Refusal) => void }

const AT_ONCE = 2
/** A waiting request keeps its body in memory, at most 6 MB. */
const MAX_WAITING = 10
const MAX_WAITING_OF_USER = 5
const RETRY_SECONDS = 2

/**
 * Limits the requests that take long or much memory: one of each user and `atOnce` in all run at a time. The others wait
 * while users take turns. When too many wait, the user with the most of them loses one.
 */
export function openHeavyWork(atOnce = AT_ONCE): HeavyWork {
  const thread = openWorkerThread()
  const stopping = new AbortController()
  const running = new Set<number>()
  let queue: Waiting[] = []

  const leave = (waiting: Waiting) => {
    queue = queue.filter((other) => other !== waiting)
  }

  /** Users take turns: one with many requests delays another by one. */
  function moveToEnd(userId: number) {
    const isOfUser = (waiting: Waiting) => waiting.userId === userId
    queue = [...queue.filter((waiting) => !isOfUser(waiting)), ...queue.filter(isOfUser)]
  }

  function startNext() {
    const next = queue.find(({ userId }) => !running.has(userId))
    if (!next || running.size >= atOnce) return
    leave(next)
    running.add(next.userId)
    next.start()
    startNext()
  }

  /** Resolves when the request may run. It then counts as running. */
  function takeSlot(request: HeavyRequest): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const waiting: Waiting = { ...request, start: resolve, refuse: reject }
    const isOlder = ({ userId, replaces }: Waiting) =>
      replaces !== undefined && replaces === request.replaces && userId === request.userId
    for (const older of queue.filter(isOlder)) {
      leave(older)
      older.refuse(unavailable())
    }
    queue.push(waiting)
    startNext()
    refuseIfFull(waiting)
    const onAbort = () => {
      leave(waiting)
      reject(unavailable())
    }
    request.signal.addEventListener('abort', onAbort)
    return promise.finally(() => request.signal.removeEventListener('abort', onAbort))
  }

  function refuseIfFull(waiting: Waiting) {
    if (!queue.includes(waiting)) return
    if (countOf(waiting) > MAX_WAITING_OF_USER) {
      leave(waiting)
      return waiting.refuse(new Refusal('too_many_requests', {}, RETRY_SECONDS))
    }
    if (queue.length <= MAX_WAITING) return
    // Whoever has the most waiting loses the newest. Otherwise two users could keep out all others.
    const last = queue
      .toReversed()
      .reduce((most, other) => (countOf(other) > countOf(most) ? other : most), waiting)
    leave(last)
    last.refuse(unavailable())
  }

  const countOf = ({ userId }: Waiting) => queue.filter((other) => other.userId === userId).length

  return {
    async run(request, work) {
      const signal = AbortSignal.any([request.signal, stopping.signal])
      if (signal.aborted) throw unavailable()
      await takeSlot({ ...request, signal })
      try {
        return await work({ signal, inWorker: (task, input) => thread.run(task, input, signal) })
      } catch (error) {
        throw signal.aborted ? unavailable() : error
      } finally {
        running.delete(request.userId)
        moveToEnd(request.userId)
        startNext()
      }
    },
    async stop() {
      stopping.abort()
      await thread.stop()
    },
  }
}

/** Browsers ask again after this answer, which a client that has left does not get. */
const unavailable = () => new Refusal('unavailable', {}, RETRY_SECONDS)
