import type { Instance } from '@sendroom/contract/instances'
import type { Pace } from '@sendroom/contract/pace'
import i18next from 'i18next'
import { formatNumber } from '../../format.ts'

export type QuietHours = Instance['quietHours']

export const kinds = ['groups', 'private'] as const
export type Kind = (typeof kinds)[number]

/** The field with the pause for each kind of chat. */
export const pauseOf = { groups: 'groupPauseSeconds', private: 'privatePauseSeconds' } as const

type WholePace = Pace & Pick<Instance, 'quietHours' | 'warmUpStep'>

/** The maximum number of messages per hour and per day; Infinity without a limit, NaN while a number is missing. */
export function throughput(pace: WholePace, kind: Kind): { hour: number; day: number } {
  const toPeople = kind === 'private'
  const slowly = toPeople && pace.privateSlowAfter > 0 ? pace.privateSlowAfter - 1 : NONE
  const first = Math.min(perHour(pace[pauseOf[kind]]), (toPeople && pace.privatePerQuarterHour * 4) || NONE)
  const later = Math.min(perHour(pace.privateSlowPauseSeconds), first)
  const hours = Math.min(sendingHours(pace.quietHours), (toPeople && pace.privateHoursPerDay) || NONE)
  const within = (time: number) => {
    const fast = first * time
    return fast <= slowly ? fast : slowly + later * (time - slowly / first)
  }
  const day = Math.min(pace.dailyCap[kind] || NONE, (toPeople && pace.warmUpStep) || NONE, within(hours))
  return { hour: Math.round(Math.min(within(1), day)), day: Math.round(day) }
}

const NONE = Number.POSITIVE_INFINITY

const perHour = ([from, to]: [number, number]) => (from + to === 0 ? NONE : 3600 / ((from + to) / 2))

/** The throughput of a pace as a sentence. Empty while a number is missing. */
export function paceWords(pace: WholePace, kind: Kind): string {
  const { t } = i18next
  const { hour, day } = throughput(pace, kind)
  if (Number.isNaN(hour) || Number.isNaN(day)) return ''
  if (day === NONE) return t('ACCOUNT_FORM.PACE_FREE')
  if (hour === day) return t('ACCOUNT_FORM.PACE_DAY', { day: formatNumber(day) })
  return t('ACCOUNT_FORM.PACE_MEANS', { hour: formatNumber(hour), day: formatNumber(day) })
}

/** Whether the pauses are shorter or the daily cap is higher than advised. */
export function isFasterThanAdvised(pace: Pace, kind: Kind, advised: Pace): boolean {
  const [from, to] = pace[pauseOf[kind]]
  const [advisedFrom, advisedTo] = advised[pauseOf[kind]]
  const cap = pace.dailyCap[kind] || Number.POSITIVE_INFINITY
  return from < advisedFrom || to < advisedTo || cap > (advised.dailyCap[kind] || Number.POSITIVE_INFINITY)
}

/** Whether none of the limits of messages to people is set, as for accounts from before there were any. */
export const lacksLimits = (pace: Pace): boolean =>
  pace.privatePerQuarterHour + pace.privateHoursPerDay + pace.privateDaysInARow + pace.newPeopleCap === 0

/** Hours per day outside of the quiet hours. */
function sendingHours(quiet: QuietHours): number {
  if (quiet === null) return 24
  // The quiet hours may span midnight.
  const quietMinutes = (minutesOf(quiet.to) - minutesOf(quiet.from) + DAY_MINUTES) % DAY_MINUTES
  return (DAY_MINUTES - quietMinutes) / 60
}

const DAY_MINUTES = 24 * 60

function minutesOf(timeOfDay: string): number {
  const [hours = 0, minutes = 0] = timeOfDay.split(':').map(Number)
  return hours * 60 + minutes
}
