import { z } from 'zod'
import { endpoint } from './endpoint.ts'
import { jobReviews, jobStatuses, jobTypes } from './job-life.ts'
import { limits } from './limits.ts'
import { blankable, Id, Instant, Named, TimeZone } from './values.ts'

/** The states of a run without a job, as in `runStates`. */
const plannedStates = ['planned', 'waiting', 'missed', 'skipped', 'failed'] as const

/** A job, or a run of a series that has no job yet or never got one. */
export const CalendarEntry = z
  .object({
    kind: z.enum(['job', 'run']),
    /** The id of the job or of the run. */
    id: z.number(),
    /** The series of the run, or of the run whose job this is. */
    seriesId: z.number().nullable(),
    name: z.string().meta({
      description: 'The name of the series or job. A job without a name has the beginning of its text',
    }),
    instance: Named,
    jobType: z.enum(jobTypes),
    state: z
      .enum([...jobStatuses, ...plannedStates])
      .meta({ description: 'The status of the job, or the state of the run' }),
    /** Whether the job, or the series of the run, is paused. */
    isPaused: z.boolean(),
    review: z.enum(jobReviews).nullable().meta({ description: 'Of the approval of a job that waits' }),
    startsAt: Instant.meta({
      description: 'When the job began or is to begin, or the run is due',
    }),
    endsAt: Instant.nullable().meta({
      description:
        'When the job ended. Before that, about when it ends: its recipients at the pace of the account, with its daily caps and quiet hours and without its other jobs. Null if that is unknown, such as for a paused or overdue job',
    }),
    recipientCount: z.number().nullable().meta({
      description:
        'Of a run: as many as of the run before, or of its groups and lists. Null for a first run to lists with a filter',
    }),
    competes: z.boolean().meta({
      description: 'Whether another entry of this answer sends with the same account in the same time',
    }),
    /** Whether the start can still be changed. */
    isMovable: z.boolean(),
    /** The version of the job, for a change of it. Null for a run. */
    version: z.number().nullable(),
  })
  .meta({ id: 'CalendarEntry' })
export type CalendarEntry = z.output<typeof CalendarEntry>

export const CalendarDay = z
  .object({
    day: z.iso.date(),
    count: z.number(),
    /** There are more than `count`, which are not counted. */
    isMore: z.boolean(),
    /** The earliest ones. */
    entries: z.array(CalendarEntry),
  })
  .meta({ id: 'CalendarDay' })
export type CalendarDay = z.output<typeof CalendarDay>

const CalendarQuery = z.object({
  from: z.iso
    .date()
    .refine((day) => day >= '2000-01-01' && day < '2200-01-01')
    .describe('The first day, from 2000 to 2199'),
  days: blankable(z.coerce.number().int().min(1).max(limits.calendarDays).default(limits.calendarDays)),
  timeZone: blankable(
    TimeZone.default('Asia/Ho_Chi_Minh').describe('The zone by whose midnight the days begin'),
  ),
  instanceId: blankable(Id.optional()),
  perDay: blankable(
    z.coerce
      .number()
      .int()
      .min(1)
      .max(limits.calendarEntries)
      .default(limits.calendarEntries)
      .describe('The most entries of each of several days'),
  ),
})
export type CalendarQuery = z.output<typeof CalendarQuery>

export const calendar = {
  read: endpoint({
    method: 'GET',
    path: '/calendar',
    access: 'signedIn',
    allowsApiKeys: true,
    summary:
      'The jobs and the planned runs of series of some days: each day with its number, up to 200, and its first 20. A single day has its first 200',
    query: CalendarQuery,
    response: z.object({ days: z.array(CalendarDay) }),
  }),
}
