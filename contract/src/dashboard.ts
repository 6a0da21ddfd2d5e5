import { z } from 'zod'
import { endpoint } from './endpoint.ts'

export const DashboardStats = z
  .object({
    totalGroups: z.number(),
    totalMessages: z.number(),
    totalJobs: z.number(),
    pendingJobs: z.number(),
    runningJobs: z.number(),
    completedJobs: z.number(),
    failedJobs: z.number(),
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
    summary: 'The numbers of the dashboard, of what you may see',
    response: DashboardStats,
  }),
}
