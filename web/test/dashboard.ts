import type { DashboardNow, DashboardStats } from '@sendroom/contract/dashboard'

const none = { total: 0, first: [] }

/** A dashboard on which nothing goes on and nothing needs attention. */
export const calm: DashboardNow = {
  accounts: none,
  waitingJobs: none,
  failedJobs: none,
  runningJobs: none,
  upcomingJobs: none,
  possibleOptOuts: 0,
  hasGeneratedPassword: false,
}

export const stats: DashboardStats = {
  totalGroups: 1234,
  totalMessages: 5,
  totalJobs: 9,
  pendingJobs: 2,
  runningJobs: 1,
  completedJobs: 4,
  failedJobs: 2,
  totalUniqueUsers: 42,
  totalSentMessages: 17,
  topGroups: [
    { groupName: 'Family', participantCount: 1200, messagesSent: 8 },
    { groupName: 'Work', participantCount: 1, messagesSent: 1 },
  ],
}
