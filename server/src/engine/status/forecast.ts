import { type QuietHours, quietTimes } from './quiet-hours.ts'

const HOUR_MS = 3_600_000
/** The forecast looks this far ahead. Nobody plans for longer. */
const HORIZON_MS = 5 * 365 * 24 * HOUR_MS
/** Bounds the work to a few hundredths of a second, during which the process does nothing else. */
const MAX_LOOKS = 300_000

/** 'g' for groups, 'p' for private chats, as `chat_kind` in SQL. Each kind has its own pause and its own cap. */
export type ChatKind = 'g' | 'p'

/** The messages that a job still has to send. `beginsAt` is in ms since 1970. */
export type Queue = { kind: ChatKind; left: number; beginsAt: number }

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
  /** No message is sent before this, in ms since 1970. */
  freeAt: number
}

/**
 * When the last message of a job is sent (ms since 1970), if nothing fails and nobody steps in. The rules of pace
 * apply: average pauses, caps by the hour, quiet hours, and the instance's other jobs, which take turns with this one.
 * A send itself counts as no time. Returns null when that moment lies too far ahead, when computing it takes too long,
 * or when there is nothing to send. A pure function.
 *
 * While nothing changes the forecast advances by whole rounds of turns, so 100,000 messages cost about as much as
 * 1,000.
 */
export function lastSendAt(job: Queue, others: readonly Queue[], instance: InstancePace): number | null {
  if (job.left === 0) return null
  const ours = { ...job }
  // The other jobs have waited longer for their turn.
  let queues = [...others.map((other) => ({ ...other })), ours]
  const cap = capsOf(instance)
  const quietAt = instance.quiet && quietTimes(instance.quiet)
  let now = instance.freeAt

  function takeTurns(turns: readonly Queue[], rounds: number): number {
    for (const queue of turns) {
      queue.left -= rounds
      cap.recordUsage(queue.kind, now, rounds)
    }
    // A queue without a turn has waited longer now.
    queues = [...queues.filter((queue) => !turns.includes(queue)), ...turns]
    return now + rounds * roundMsOf(turns, instance)
  }

  const horizon = now + HORIZON_MS
  for (let looks = 0; looks < MAX_LOOKS && now < horizon; looks += 1 + queues.length) {
    const quiet = quietAt?.(now)
    if (quiet && quiet.from <= now) {
      now = quiet.to
      continue
    }
    queues = queues.filter(({ left }) => left > 0)
    const room = { g: cap.room('g', now), p: cap.room('p', now) }
    const open = queues.filter(({ beginsAt }) => beginsAt <= now)
    const turns = open.filter(({ kind }) => room[kind] > 0)
    const begins = queues.flatMap(({ beginsAt }) => (beginsAt > now ? [beginsAt] : []))
    const [next] = turns
    if (!next) {
      now = Math.min(...begins, ...open.map(({ kind }) => cap.freeAt(kind, now)))
      continue
    }
    const sameUntil = Math.min(...begins, quiet?.from ?? Number.POSITIVE_INFINITY, cap.sameUntil(now))
    const rounds = wholeRounds(turns, ours, sameUntil - now, instance, room)
    if (rounds > 0) {
      now = takeTurns(turns, rounds)
      continue
    }
    if (next === ours && ours.left === 1) return now
    now = takeTurns([next], 1)
  }
  return null
}

const roundMsOf = (turns: readonly Queue[], { pauseMs }: InstancePace) =>
  turns.reduce((sum, { kind }) => sum + pauseMs[kind], 0)

/** How many rounds of turns fit before something changes. Our own last message is left over. */
function wholeRounds(
  turns: readonly Queue[],
  ours: Queue,
  ms: number,
  instance: InstancePace,
  room: Record<ChatKind, number>,
): number {
  const roundMs = roundMsOf(turns, instance)
  const people = turns.filter(({ kind }) => kind === 'p').length
  return Math.min(
    roundMs === 0 ? Number.POSITIVE_INFINITY : Math.floor(ms / roundMs),
    ...turns.map((queue) => queue.left - (queue === ours ? 1 : 0)),
    people === 0 ? Number.POSITIVE_INFINITY : Math.floor(room.p / people),
    people === turns.length ? Number.POSITIVE_INFINITY : Math.floor(room.g / (turns.length - people)),
  )
}

const hourOf = (moment: number) => Math.floor(moment / HOUR_MS)

/** The rule of `cap_free_at` in SQL: an hour leaves the window as a whole, when all of it is 24 hours old. */
function capsOf({ cap, usage }: InstancePace) {
  const byHour = { g: hoursOf(usage, 'g'), p: hoursOf(usage, 'p') }

  function used(kind: ChatKind, moment: number): number {
    const hour = hourOf(moment)
    let sum = 0
    for (let ago = 0; ago <= 24; ago++) sum += byHour[kind].get(hour - ago) ?? 0
    return sum
  }

  return {
    /** How many more messages the cap allows now. */
    room: (kind: ChatKind, moment: number) =>
      cap[kind] === 0 ? Number.POSITIVE_INFINITY : cap[kind] - used(kind, moment),

    /** When the cap allows one more message, if there is no room now. */
    freeAt(kind: ChatKind, moment: number): number {
      let hour = hourOf(moment) - 25
      for (let left = used(kind, moment); left >= cap[kind]; ) left -= byHour[kind].get(++hour) ?? 0
      return (hour + 25) * HOUR_MS
    },

    recordUsage(kind: ChatKind, moment: number, count: number) {
      const hour = hourOf(moment)
      byHour[kind].set(hour, (byHour[kind].get(hour) ?? 0) + count)
    },

    /** Until when the usage stays in the same hour, if there is a cap. */
    sameUntil: (moment: number) =>
      cap.g === 0 && cap.p === 0 ? Number.POSITIVE_INFINITY : (hourOf(moment) + 1) * HOUR_MS,
  }
}

const hoursOf = (usage: InstancePace['usage'], kind: ChatKind) =>
  new Map(
    Object.entries(usage).flatMap(([key, count]) => (key[0] === kind ? [[Number(key.slice(1)), count]] : [])),
  )
