import type { DashboardDay } from '@sendroom/contract/dashboard'

/** The outcomes of a message, in the order of the table and the legend. */
export const outcomes = ['sent', 'delivered', 'read', 'failed'] as const
export type Outcome = (typeof outcomes)[number]

/** Translation key of an outcome. */
export const nameOf = (outcome: Outcome) => `JOB.COUNT_${outcome.toUpperCase()}`

export const sumOf = (days: DashboardDay[], outcome: Outcome) =>
  days.reduce((sum, day) => sum + day[outcome], 0)

/** An instant within a day in Vietnam. */
export const instantOf = (day: string) => `${day}T00:00:00+07:00`
