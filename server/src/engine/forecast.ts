import { type QuietHours, quietTimes } from './quiet.ts'

const HOUR_MS = 3_600_000
/** How far is looked ahead. Nobody plans for longer. */
const HORIZON_MS = 5 * 365 * 24 * HOUR_MS
/** Bounds the work to some hundredths of a second, in which the process does nothing else. */
const MOST_LOOKS = 300_000

/** Groups and private chats: each has its own pause and its own cap, as `chat_kind` in SQL. */
export type ChatKind = 'g' | 'p'

/** What a job still has to send. Instants are in ms since 1970. */
export type Queue = { kind: ChatKind; left: number; beginsAt: number }

export type AccountPace = {
  /** On average, after a message of that kind. */
  pauseMs: Record<ChatKind, number>
  /** Messages in any 24 hours; 0 is no cap. */
  cap: Record<ChatKind, number>
  /** What counts for the caps already, as in `instances.sent_by_hour`: kind and hour since 1970 → messages. */
  spent: Readonly<Record<string, number>>
  quiet: QuietHours | null
  /** No message goes before this. */
  freeAt: number
}

/**
 * When the last message of a job goes, if nothing fails and nobody steps in, by the rules of pace: pauses at their
 * average, caps by hours, quiet hours, and the other jobs of the account taking turns with it. A send itself counts
 * as no time. Pure; null when it lies too far ahead or takes too long to tell, or when there is nothing to send.
 *
 * It goes by whole rounds of turns as long as nothing changes, so 100,000 messages cost about as much as 1,000.
 */
export function lastSendAt(job: Queue, others: readonly Queue[], account: AccountPace): number | null {
  if (job.left === 0) return null
  const ours = { ...job }
  // The others have waited longer for their turn.
  let queues = [...others.map((other) => ({ ...other })), ours]
  const cap = capsOf(account)
  const quietAt = account.quiet && quietTimes(account.quiet)
  let now = account.freeAt

  function takeTurns(turns: readonly Queue[], rounds: number): number {
    for (const queue of turns) {
      queue.left -= rounds
      cap.spend(queue.kind, now, rounds)
    }
    // Whoever had no turn has waited longer now.
    queues = [...queues.filter((queue) => !turns.includes(queue)), ...turns]
    return now + rounds * roundMsOf(turns, account)
  }

  const horizon = now + HORIZON_MS
  for (let looks = 0; looks < MOST_LOOKS && now < horizon; looks += 1 + queues.length) {
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
    const rounds = wholeRounds(turns, ours, sameUntil - now, account, room)
    if (rounds > 0) {
      now = takeTurns(turns, rounds)
      continue
    }
    if (next === ours && ours.left === 1) return now
    now = takeTurns([next], 1)
  }
  return null
}

const roundMsOf = (turns: readonly Queue[], { pauseMs }: AccountPace) =>
  turns.reduce((sum, { kind }) => sum + pauseMs[kind], 0)

/** How many times each may have its turn before something changes; the last message of ours is left over. */
function wholeRounds(
  turns: readonly Queue[],
  ours: Queue,
  ms: number,
  account: AccountPace,
  room: Record<ChatKind, number>,
): number {
  const roundMs = roundMsOf(turns, account)
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
function capsOf({ cap, spent }: AccountPace) {
  const byHour = { g: hoursOf(spent, 'g'), p: hoursOf(spent, 'p') }

  function used(kind: ChatKind, moment: number): number {
    const hour = hourOf(moment)
    let sum = 0
    for (let ago = 0; ago <= 24; ago++) sum += byHour[kind].get(hour - ago) ?? 0
    return sum
  }

  return {
    /** How many more may go now. */
    room: (kind: ChatKind, moment: number) =>
      cap[kind] === 0 ? Number.POSITIVE_INFINITY : cap[kind] - used(kind, moment),

    /** From when on one more may go, where there is no room. */
    freeAt(kind: ChatKind, moment: number): number {
      let hour = hourOf(moment) - 25
      for (let left = used(kind, moment); left >= cap[kind]; ) left -= byHour[kind].get(++hour) ?? 0
      return (hour + 25) * HOUR_MS
    },

    spend(kind: ChatKind, moment: number, count: number) {
      const hour = hourOf(moment)
      byHour[kind].set(hour, (byHour[kind].get(hour) ?? 0) + count)
    },

    /** Where a cap counts, what is sent now belongs to this hour. */
    sameUntil: (moment: number) =>
      cap.g === 0 && cap.p === 0 ? Number.POSITIVE_INFINITY : (hourOf(moment) + 1) * HOUR_MS,
  }
}

const hoursOf = (spent: AccountPace['spent'], kind: ChatKind) =>
  new Map(
    Object.entries(spent).flatMap(([key, count]) => (key[0] === kind ? [[Number(key.slice(1)), count]] : [])),
  )
