import type { Instance } from '@sendroom/contract/instances'
import type { Pace } from '@sendroom/contract/pace'

export type QuietHours = Instance['quietHours']

export const kinds = ['groups', 'private'] as const
export type Kind = (typeof kinds)[number]

/** The field that holds the pause of this kind of chat. */
export const pauseOf = { groups: 'groupPauseSeconds', private: 'privatePauseSeconds' } as const

/** How many messages of this kind an account sends at most; Infinity where nothing holds it back. */
export function throughput(
  pace: Pace & { quietHours: QuietHours },
  kind: Kind,
): { hour: number; day: number } {
  const [from, to] = pace[pauseOf[kind]]
  const anHour = from + to === 0 ? Number.POSITIVE_INFINITY : 3600 / ((from + to) / 2)
  const day = Math.min(pace.dailyCap[kind] || Number.POSITIVE_INFINITY, anHour * hoursAwake(pace.quietHours))
  return { hour: Math.round(Math.min(anHour, day)), day: Math.round(day) }
}

/** Shorter pauses or more messages than advised. */
export function isHasty(pace: Pace, kind: Kind, advised: Pace): boolean {
  const [from, to] = pace[pauseOf[kind]]
  const [advisedFrom, advisedTo] = advised[pauseOf[kind]]
  const cap = pace.dailyCap[kind] || Number.POSITIVE_INFINITY
  return from < advisedFrom || to < advisedTo || cap > (advised.dailyCap[kind] || Number.POSITIVE_INFINITY)
}

function hoursAwake(quiet: QuietHours): number {
  if (quiet === null) return 24
  // The quiet hours may span midnight.
  const asleep = (minutesOf(quiet.to) - minutesOf(quiet.from) + DAY_MINUTES) % DAY_MINUTES
  return (DAY_MINUTES - asleep) / 60
}

const DAY_MINUTES = 24 * 60

function minutesOf(timeOfDay: string): number {
  const [hours = 0, minutes = 0] = timeOfDay.split(':').map(Number)
  return hours * 60 + minutes
}
