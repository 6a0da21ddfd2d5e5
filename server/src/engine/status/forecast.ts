import { type QuietHours, quietTimes } from '@sendroom/contract/quiet-hours'
import { type PeoplePace, peopleLimits } from './people-pace.ts'

const HOUR_MS = 3_600_000
/** The forecast looks this far ahead. Nobody plans for longer. */
const HORIZON_MS = 5 * 365 * 24 * HOUR_MS
/** Bounds the work to a few hundredths of a second, during which the process does nothing else. */
const MAX_LOOKS = 300_000

/**
 * How long a send itself takes, which limits a job without a pause: measured with 322 groups of a test account in 11 s.
 * A real provider answers later, but its accounts have pauses, beside which a send counts as no time.
 */
export const SEND_MS = 35

/** 'g' for groups, 'p' for private chats, as `chat_kind` in SQL. Each kind has its own pause and its own cap. */
export type ChatKind = 'g' | 'p'

/**
 * The messages that a job still has to send. `beginsAt` is in ms since 1970. The last `newPeople` of them go to new
 * people.
 */
export type Queue = { kind: ChatKind; left: number; beginsAt: number; newPeople?: number }

export type InstancePace = {
  /** The average pause after a message of that kind, in ms. */
  pauseMs: Record<ChatKind, number>
  /** Messages in any 24 hours; 0 means no cap. */
  cap: Record<ChatKind, number>
  /**
   * The messages that count for the caps already, as in `instances.sent_by_hour`: kind and hour since 1970 → messages.
   */
  usage: Readonly<Record<string, number>>
  quiet: QuietHours | null
  /** The limits of messages to people; null without any. */
  people?: PeoplePace | null
  /** No message is sent before this, in ms since 1970. */
  freeAt: number
}

/**
 * When the last message of a job is sent (ms since 1970), if nothing fails and nobody steps in. The rules of pace
 * apply: average pauses, caps by the hour, quiet hours, the limits of messages to people (people-pace.ts), and the
 * instance's other jobs, which take turns with this one. Returns null when that moment lies too far ahead, when
 * computing it takes too long, or when there is nothing to send. A pure function.
 *
 * While nothing changes the forecast advances by whole rounds of turns, so 100,000 messages cost about as much as
 * 1,000.
 */
export function lastSendAt(job: Queue, others: readonly Queue[], instance: InstancePace): number | null {
  if (job.left === 0) return null
  const ours = { ...job }
  // The other jobs have waited longer for their turn.
  let queues = [...others.map((other) => ({ ...other })), ours]
  const usage = usageOf(instance)
  const quietAt = instance.quiet && quietTimes(instance.quiet)
  const people = instance.people ? peopleLimits(instance.people, instance.usage) : null
  let now = instance.freeAt

  const pauseOf = (kind: ChatKind) =>
    Math.max(
      SEND_MS,
      kind === 'p' && people ? people.pauseMs(now, instance.pauseMs.p) : instance.pauseMs[kind],
    )
  const roundMsOf = (turns: readonly Queue[]) => turns.reduce((sum, { kind }) => sum + pauseOf(kind), 0)

  function takeTurns(turns: readonly Queue[], rounds: number): number {
    const roundMs = roundMsOf(turns)
    // Before any message is recorded: the pause depends on how many there were.
    const pauses = turns.map(({ kind }) => pauseOf(kind))
    let at = now
    for (const [place, queue] of turns.entries()) {
      if (queue.kind === 'p') people?.record(at, roundMs, rounds, isNewNext(queue))
      queue.left -= rounds
      usage.record(queue.kind, now, rounds)
      at += pauses[place] ?? 0
    }
    // A queue without a turn has waited longer now.
    queues = [...queues.filter((queue) => !turns.includes(queue)), ...turns]
    return now + rounds * roundMs
  }

  /** How many rounds of turns fit before something changes. Our own last message is left over. */
  function wholeRounds(turns: readonly Queue[], ms: number, room: Record<ChatKind, number>): number {
    const roundMs = roundMsOf(turns)
    const toPeople = turns.filter(({ kind }) => kind === 'p')
    const toNew = toPeople.filter(isNewNext).length
    return Math.min(
      Math.floor(ms / roundMs),
      ...turns.map((queue) => queue.left - (queue === ours ? 1 : 0)),
      ...toPeople.map((queue) => (isNewNext(queue) ? queue.left : queue.left - (queue.newPeople ?? 0))),
      toPeople.length === 0 ? Number.POSITIVE_INFINITY : Math.floor(room.p / toPeople.length),
      toPeople.length === 0
        ? Number.POSITIVE_INFINITY
        : (people?.rounds(now, toPeople.length, toNew) ?? Infinity),
      toPeople.length === turns.length
        ? Number.POSITIVE_INFINITY
        : Math.floor(room.g / (turns.length - toPeople.length)),
    )
  }

  const horizon = now + HORIZON_MS
  for (let looks = 0; looks < MAX_LOOKS && now < horizon; looks += 1 + queues.length) {
    const quiet = quietAt?.(now)
    if (quiet && quiet.from <= now) {
      now = quiet.to
      continue
    }
    queues = queues.filter(({ left }) => left > 0)
    const cap = { g: instance.cap.g, p: people?.capAt(now, instance.cap.p) ?? instance.cap.p }
    const room = { g: usage.room('g', now, cap.g), p: usage.room('p', now, cap.p) }
    const open = queues.filter(({ beginsAt }) => beginsAt <= now)
    const freeAt = (queue: Queue) =>
      Math.max(
        room[queue.kind] > 0 ? 0 : usage.freeAt(queue.kind, now, cap[queue.kind]),
        (queue.kind === 'p' && people?.freeAt(now, isNewNext(queue))) || 0,
      )
    const turns = open.filter((queue) => freeAt(queue) === 0)
    const begins = queues.flatMap(({ beginsAt }) => (beginsAt > now ? [beginsAt] : []))
    const [next] = turns
    if (!next) {
      now = Math.min(...begins, ...open.map(freeAt), people?.stepsUpAt(now) ?? Number.POSITIVE_INFINITY)
      continue
    }
    const sameUntil = Math.min(
      ...begins,
      quiet?.from ?? Number.POSITIVE_INFINITY,
      cap.g === 0 && cap.p === 0 ? Number.POSITIVE_INFINITY : (hourOf(now) + 1) * HOUR_MS,
      people?.sameUntil(now) ?? Number.POSITIVE_INFINITY,
    )
    const rounds = wholeRounds(turns, sameUntil - now, room)
    if (rounds > 0) {
      now = takeTurns(turns, rounds)
      continue
    }
    if (next === ours && ours.left === 1) return now
    now = takeTurns([next], 1)
  }
  return null
}

/** Whether the next message of the job goes to somebody new. */
const isNewNext = ({ left, newPeople = 0 }: Queue) => left <= newPeople

const hourOf = (moment: number) => Math.floor(moment / HOUR_MS)

/** The rule of `cap_free_at` in SQL: an hour leaves the window as a whole, when all of it is 24 hours old. */
function usageOf({ usage }: InstancePace) {
  const byHour = { g: hoursOf(usage, 'g'), p: hoursOf(usage, 'p') }

  function used(kind: ChatKind, moment: number): number {
    const hour = hourOf(moment)
    let sum = 0
    for (let ago = 0; ago <= 24; ago++) sum += byHour[kind].get(hour - ago) ?? 0
    return sum
  }

  return {
    /** How many more messages the cap allows now. */
    room: (kind: ChatKind, moment: number, cap: number) =>
      cap === 0 ? Number.POSITIVE_INFINITY : cap - used(kind, moment),

    /** When the cap allows one more message, if there is no room now. */
    freeAt(kind: ChatKind, moment: number, cap: number): number {
      let hour = hourOf(moment) - 25
      for (let left = used(kind, moment); left >= cap; ) left -= byHour[kind].get(++hour) ?? 0
      return (hour + 25) * HOUR_MS
    },

    record(kind: ChatKind, moment: number, count: number) {
      const hour = hourOf(moment)
      byHour[kind].set(hour, (byHour[kind].get(hour) ?? 0) + count)
    },
  }
}

const hoursOf = (usage: InstancePace['usage'], kind: ChatKind) =>
  new Map(
    Object.entries(usage).flatMap(([key, count]) => (key[0] === kind ? [[Number(key.slice(1)), count]] : [])),
  )
