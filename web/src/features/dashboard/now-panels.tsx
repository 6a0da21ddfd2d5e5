import { Stack } from '@mantine/core'
import type { DashboardNow } from '@sendroom/contract/dashboard'
import { Attention } from './attention.tsx'
import { JobsNow } from './jobs-now.tsx'

export function NowPanels({ now }: { now: DashboardNow }) {
  const { accounts, waitingJobs, failedJobs, runningJobs, upcomingJobs } = now
  return (
    <Stack>
      {accounts.total + waitingJobs.total + failedJobs.total > 0 && <Attention now={now} />}
      {runningJobs.total + upcomingJobs.total > 0 && <JobsNow now={now} />}
    </Stack>
  )
}
