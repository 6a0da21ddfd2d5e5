import { warmUpSteps } from '@sendroom/contract/pace'
import { wallClock } from '@sendroom/contract/wall-clock'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const QUARTER_MS = 15 * 60_000

/** The limits of an instance's messages to people, and what counts for them already: columns of `instances`. */
export type PeoplePace = {
  perQuarter: number
  hours: number
  days: number
  newPeople: number
  slowAfter: number
  /** The average pause from so many messages of a day on, in ms. */
  slowPauseMs: number
  warmUpStep: number | null
  timeZone: string
  /** The times of the last 15 minutes in ms since 1970, the oldest first. */
  lastAt: readonly number[]
  /** As `instances.sent_by_day`. */
  byDay: Readonly<Record<string, number>>
  /** WhatsApp's quota of new people, which goes before our limit until its end. */
  quota: { left: number; until: number } | null
  /** WhatsApp has warned: pauses are twice as long until then. */
  warnedUntil: number
}

/**
 * Plays through the limits of messages to people, as the SQL functions of migrations/0053-private-pace.sql hold them. A
 * test compares the two. The moments must not decrease. Nobody answers in the forecast, and each day that uses most of
 * the warm-up's step ends well.
 */
export function peopleLimits(pace: PeoplePace, usage: Readonly<Record<string, number>>) {
  const today = localDays(pace.timeZone)
  const sent = countsOf(pace.byDay, 'p')
  const met = countsOf(pace.byDay, 'n')
  const hours = new Set(countsOf(usage, 'p').keys())
  const times = [...pace.lastAt]
  const quota = pace.quota && { ...pace.quota }
  let step = pace.warmUpStep
  let stepDay: number | null = null

  /** When 15 minutes allow another message; 0 for now. */
  function quarterFreeAt(now: number): number {
    const first = pace.perQuarter > 0 ? times[times.length - pace.perQuarter] : undefined
    return first !== undefined && first + QUARTER_MS > now ? first + QUARTER_MS : 0
  }

  function hoursAreUsed(now: number): boolean {
    if (pace.hours === 0 || hours.has(Math.floor(now / HOUR_MS))) return false
    const { from } = today(now)
    let used = 0
    for (const hour of hours) {
      if ((hour + 1) * HOUR_MS > from) used++
      else hours.delete(hour)
    }
    return used >= pace.hours
  }

  function isRestDay(now: number): boolean {
    const { day } = today(now)
    for (let ago = 1; ago <= pace.days; ago++) if ((sent.get(day - ago) ?? 0) < 20) return false
    return pace.days > 0
  }

  const hasQuota = (now: number) => quota !== null && quota.until > now

  function metUntil(day: number): number {
    let sum = 0
    for (const [on, count] of met) {
      if (on >= day - 30) sum += count
      else met.delete(on)
    }
    return sum
  }

  function newRoom(now: number): number {
    if (quota && hasQuota(now)) return quota.left
    return pace.newPeople === 0 ? Number.POSITIVE_INFINITY : pace.newPeople - metUntil(today(now).day)
  }

  return {
    /** When a message may be sent, if none may now; 0 if one may. `isNew`: to somebody new. */
    freeAt(now: number, isNew: boolean): number {
      const { day, to, startOf } = today(now)
      let at = quarterFreeAt(now)
      if (hoursAreUsed(now) || isRestDay(now)) at = Math.max(at, to)
      if (!isNew || newRoom(now) > 0) return at
      if (quota && hasQuota(now)) return Math.max(at, quota.until)
      let first = day - 30
      for (let left = metUntil(day); left >= pace.newPeople; first++) left -= met.get(first) ?? 0
      return Math.max(at, startOf(first + 30))
    },

    /** The smaller one of the daily cap and the step of the warm-up. */
    capAt(now: number, cap: number): number {
      const { day } = today(now)
      if (step !== null && stepDay !== null && day > stepDay && (sent.get(stepDay) ?? 0) >= 0.8 * step)
        step = warmUpSteps.find((next) => next > (step ?? 0)) ?? null
      stepDay = day
      return step === null || (cap > 0 && cap < step) ? cap : step
    },

    /** The average pause after the next message, in ms. */
    pauseMs(now: number, pauseMs: number): number {
      const isSlow = pace.slowAfter > 0 && (sent.get(today(now).day) ?? 0) + 1 >= pace.slowAfter
      return (isSlow ? pace.slowPauseMs : pauseMs) * (now < pace.warnedUntil ? 2 : 1)
    },

    /** How many messages fit in before the pause or a limit changes, `newOnes` of them in each round to new people. */
    rounds(now: number, inRound: number, newOnes: number): number {
      const { perQuarter, slowAfter } = pace
      const fast = slowAfter - 1 - (sent.get(today(now).day) ?? 0)
      const recent = times.filter((at) => at + QUARTER_MS > now).length
      return Math.min(
        perQuarter > 0 ? Math.floor((perQuarter - recent) / inRound) : Number.POSITIVE_INFINITY,
        slowAfter > 0 && fast > 0 ? Math.floor(fast / inRound) : Number.POSITIVE_INFINITY,
        newOnes > 0 ? Math.floor(newRoom(now) / newOnes) : Number.POSITIVE_INFINITY,
      )
    },

    /** When the warm-up may go a step up. */
    stepsUpAt: (now: number) => (step === null ? Number.POSITIVE_INFINITY : today(now).to),

    /** Until when nothing changes by itself. */
    sameUntil(now: number): number {
      const { to } = today(now)
      const changes = [to, (Math.floor(now / HOUR_MS) + 1) * HOUR_MS, pace.warnedUntil, quarterFreeAt(now)]
      return Math.min(...[...changes, quota?.until ?? 0].filter((at) => at > now))
    },

    /** Counts messages, one each round, the first of them at this moment. */
    record(at: number, roundMs: number, rounds: number, isNew: boolean): void {
      const { day } = today(at)
      sent.set(day, (sent.get(day) ?? 0) + rounds)
      hours.add(Math.floor(at / HOUR_MS))
      if (pace.perQuarter > 0) {
        for (let round = 0; round < rounds; round++) times.push(at + round * roundMs)
        times.splice(0, times.length - pace.perQuarter)
      }
      if (!isNew) return
      met.set(day, (met.get(day) ?? 0) + rounds)
      if (quota) quota.left -= rounds
    },
  }
}

/** Numbers by day or hour, of one kind. */
const countsOf = (counts: Readonly<Record<string, number>>, kind: string) =>
  new Map(
    Object.entries(counts).flatMap(([key, count]) =>
      key[0] === kind ? [[Number(key.slice(1)), count]] : [],
    ),
  )

/** The local day of a moment: its number since 1970, as `local_day` in SQL, and when it begins and ends. */
function localDays(timeZone: string) {
  const wall = wallClock(timeZone)
  const startOf = (day: number) => wall.instantOf(day * DAY_MS)
  const dayAt = (moment: number) => {
    const day = Math.floor((moment + wall.offsetAt(moment)) / DAY_MS)
    return { day, from: startOf(day), to: startOf(day + 1), startOf }
  }
  let known = { ...dayAt(0), to: 0 }
  return (moment: number) => {
    if (moment < known.from || moment >= known.to) known = dayAt(moment)
    return known
  }
}
