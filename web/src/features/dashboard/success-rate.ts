/** Whole percent of the ended jobs that completed; 0 when none has ended. */
export function successRate({ completedJobs, failedJobs }: { completedJobs: number; failedJobs: number }) {
  const ended = completedJobs + failedJobs
  return ended === 0 ? 0 : Math.round((completedJobs * 100) / ended)
}
