import { z } from 'zod'
import { endpoint } from './endpoint.ts'
import { JobRow } from './jobs.ts'
import { blankable, firstOf, Id, Instant, Named, Reason } from './values.ts'

/** The dashboard's counts, limited to what the user may see. Cancelled jobs are only part of `totalJobs`. */
export const DashboardStats = z
  .object({
    totalGroups: z.number(),
    totalMessages: z.number(),
    totalJobs: z.number(),
    pendingJobs: z.number(),
    runningJobs: z.number(),
    completedJobs: z.number(),
    failedJobs: z.number(),
    /** Distinct people among the participants of the groups. */
    totalUniqueUsers: z.number(),
    totalSentMessages: z.number(),
    topGroups: z.array(
      z.object({ groupName: z.string(), participantCount: z.number(), messagesSent: z.number() }),
    ),
  })
  .meta({ id: 'DashboardStats' })
export type DashboardStats = z.output<typeof DashboardStats>

/** An instance that needs a person. */
export const InstanceAttention = z
  .object({
    instance: Named,
    /** Why the instance sends nothing, or nothing to people. Null if it only expires soon or has expired. */
    reason: Reason.nullable(),
    /** When a restriction ends or, without a reason, when the instance expires. */
    until: Instant.nullable(),
  })
  .meta({ id: 'InstanceAttention' })
export type InstanceAttention = z.output<typeof InstanceAttention>

export const DashboardJob = JobRow.pick({
  id: true,
  messageTitle: true,
  instanceName: true,
  status: true,
  isPaused: true,
  recipientCount: true,
  sentCount: true,
  failedCount: true,
  scheduledAt: true,
  completedAt: true,
})
  .extend({
    /** Why nothing is sent at the moment. Null if the job has ended or is not held back. */
    waiting: Reason.nullable(),
    nextSendAt: Instant.nullable(),
    /** When the last message is expected to be sent. Null if that is unknown or the job has ended. */
    endsAt: Instant.nullable(),
  })
  .meta({ id: 'DashboardJob' })
export type DashboardJob = z.output<typeof DashboardJob>

/** The instances in trouble and the jobs of this moment, limited to those that the user may see. */
export const DashboardNow = z
  .object({
    /** Instances that are down, and those that expire within seven days. */
    accounts: firstOf(InstanceAttention),
    /** Jobs that should send and have not for a minute or longer. */
    waitingJobs: firstOf(DashboardJob),
    /** Jobs that ended within seven days, have failed recipients and were not sent again. */
    failedJobs: firstOf(DashboardJob),
    /** The newest first. */
    runningJobs: firstOf(DashboardJob),
    /** Pending jobs, in the order of their times. */
    upcomingJobs: firstOf(DashboardJob),
    possibleOptOuts: z.number().meta({
      description:
        'Messages that may have meant an opt-out and wait for a decision, counted up to 1,000. 0 for whoever can’t ' +
        'manage contacts',
    }),
    /** Whether you sign in with the password that was generated at the first start. */
    hasGeneratedPassword: z.boolean(),
  })
  .meta({ id: 'DashboardNow' })
export type DashboardNow = z.output<typeof DashboardNow>

/** The messages of a day in Vietnam, by outcome. Deliveries and reads count for the day of their message. */
export const DashboardDay = z
  .object({
    day: z.iso.date(),
    sent: z.number(),
    delivered: z.number(),
    read: z.number(),
    failed: z.number(),
  })
  .meta({ id: 'DashboardDay' })
export type DashboardDay = z.output<typeof DashboardDay>

export const DaysQuery = z.object({ instanceId: blankable(Id.optional()) })
export type DaysQuery = z.output<typeof DaysQuery>

export const dashboard = {
  stats: endpoint({
    method: 'GET',
    path: '/groups/stats',
    access: 'signedIn',
    allowsApiKeys: true,
    summary: 'The numbers of the dashboard, limited to what you may see',
    response: DashboardStats,
  }),
  now: endpoint({
    method: 'GET',
    path: '/dashboard/now',
    access: 'signedIn',
    summary:
      'The accounts and jobs that need attention, and the jobs that run or come next, limited to what you may see',
    response: DashboardNow,
  }),
  days: endpoint({
    method: 'GET',
    path: '/dashboard/days',
    access: 'signedIn',
    allowsApiKeys: true,
    summary:
      'The messages of each of the last 30 days, today included, of all accounts you may see or of one',
    query: DaysQuery,
    response: z.object({ days: z.array(DashboardDay) }),
  }),
  exportDays: endpoint({
    method: 'GET',
    path: '/dashboard/days/export',
    access: 'signedIn',
    summary: 'The messages of each of the last 30 days as a CSV file',
    query: DaysQuery,
    download: 'text/csv; charset=utf-8',
  }),
}
