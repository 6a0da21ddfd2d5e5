import { z } from 'zod'
import { endpoint } from './endpoint.ts'

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

export const dashboard = {
  stats: endpoint({
    method: 'GET',
    path: '/groups/stats',
    access: 'signedIn',
    summary: 'The numbers of the dashboard, limited to what you may see',
    response: DashboardStats,
  }),
}
