import { Refusal } from './refusal.ts'

/** How many pieces of work run at once and how many more wait: of each user, and in all. */
export type Limits = {
  ofUser: number
  inAll?: number
  waitingOfUser: number
  waitingInAll?: number
  retrySeconds: number
  /** The refusal of a user who has too many waiting. */
  tooMany?: () => Refusal
}

export type Entry = {
  /** Or an address, where there is no session. */
  userId: number | string
  /** Aborts when the client has left. A piece of work that still waits is refused then. */
  signal?: AbortSignal
  /** A newer entry of the same user and kind takes the place of an older one that still waits. */
  replaces?: 'preview'
}

export type Turnstile = {
  /** Waits for the entry's turn. Returns a function that ends the turn. */
  enter: (entry: Entry) => Promise<() => void>
  /** Runs the work when it is the entry's turn. */
  run: <T>(entry: Entry, work: () => Promise<T>) => Promise<T>
}

type Waiting = Entry & { start: () => void; refuse: (refusal: Refusal) => void }
type User = { running: number; waiting: Waiting[] }

const isIdle = ({ running, waiting }: User) => running === 0 && waiting.length === 0

/**
 * Bounds how much runs and how much waits. Users take turns: one with many pieces of work delays another by one. When
 * too many wait in all, the user with the most of them loses the newest. Changes of `limits` count from the next entry.
 */
export function openTurnstile(limits: Limits): Turnstile {
  /** In the order of their turns. */
  const users = new Map<Entry['userId'], User>()
  let running = 0

  function startNext() {
    for (const user of users.values())
      while (user.running < limits.ofUser && running < (limits.inAll ?? Number.POSITIVE_INFINITY)) {
        const next = user.waiting.shift()
        if (!next) break
        user.running++
        running++
        next.start()
      }
  }

  function refuse(user: User, waiting: Waiting | undefined, refusal = unavailable()) {
    if (!waiting || !user.waiting.includes(waiting)) return
    user.waiting = user.waiting.filter((other) => other !== waiting)
    waiting.refuse(refusal)
    if (isIdle(user)) users.delete(waiting.userId)
  }
  const unavailable = () => new Refusal('unavailable', {}, limits.retrySeconds)
  const tooMany = limits.tooMany ?? (() => new Refusal('too_many_requests', {}, limits.retrySeconds))

  function refuseIfFull(user: User) {
    if (user.waiting.length > limits.waitingOfUser) return refuse(user, user.waiting.at(-1), tooMany())
    if (limits.waitingInAll === undefined) return
    const all = [...users.values()].toReversed()
    const count = all.reduce((sum, { waiting }) => sum + waiting.length, 0)
    if (count <= limits.waitingInAll) return
    // Otherwise two users could keep out all others.
    const most = all.reduce((one, other) => (other.waiting.length > one.waiting.length ? other : one), user)
    refuse(most, most.waiting.at(-1))
  }

  async function enter(entry: Entry) {
    if (entry.signal?.aborted) throw unavailable()
    const { userId, signal, replaces } = entry
    const user = users.get(userId) ?? { running: 0, waiting: [] }
    users.set(userId, user)
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const waiting = { ...entry, start: resolve, refuse: reject }
    const older = user.waiting.filter((other) => replaces && other.replaces === replaces)
    user.waiting.push(waiting)
    for (const replaced of older) refuse(user, replaced)
    startNext()
    refuseIfFull(user)
    const onAbort = () => refuse(user, waiting)
    signal?.addEventListener('abort', onAbort)
    await promise.finally(() => signal?.removeEventListener('abort', onAbort))
    return () => {
      user.running--
      running--
      users.delete(userId)
      if (!isIdle(user)) users.set(userId, user) // at the end of the turns
      startNext()
    }
  }

  return {
    enter,
    async run(entry, work) {
      const leave = await enter(entry)
      try {
        return await work()
      } finally {
        leave()
      }
    },
  }
}
