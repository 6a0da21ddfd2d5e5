import { Stack } from '@mantine/core'
import { isLive } from '@sendroom/contract/job-life'
import { useParams } from '@tanstack/react-router'
import { useEffect } from 'react'
import { Failure, reportFailure } from '../../api/failure.ts'
import { usePolling } from '../../api/live.ts'
import { useRead } from '../../api/queries.ts'
import { useWayBack } from '../../api/use-way-back.ts'
import { idOf, paths } from '../../paths.ts'
import { Loading } from '../../ui/loading.tsx'
import { JobContent } from './job-content.tsx'
import { JobFacts } from './job-facts.tsx'
import { JobHeader } from './job-header.tsx'
import { JobProgress } from './job-progress.tsx'
import { JobRecipients } from './job-recipients.tsx'
import { JobLogs, JobSentMessages } from './job-rows.tsx'
import { useJobActions } from './use-job-actions.ts'

const LIVE_REFRESH_MS = 1500
/** What time alone changes (the rate, the beginning of quiet hours) no event tells. */
const QUIET_REFRESH_MS = 15_000

export function JobDetailPage() {
  const id = idOf(useParams({ strict: false }))
  return id === null ? <NoJob /> : <JobDetail key={id} id={id} />
}

const noId = new Failure(404)

/** An address without a job's id. */
function NoJob() {
  useReturnToList(noId)
  return null
}

function JobDetail({ id }: { id: number }) {
  const actions = useJobActions(id)
  const polling = usePolling()
  const { data: job, error } = useRead(
    'GET /jobs/:id',
    { params: { id } },
    {
      // A job that is being deleted would be looked for in vain.
      enabled: !actions.remove.isPending && !actions.remove.isDone,
      refetchInterval: ({ state }) =>
        state.data !== undefined && isLive(state.data) && (polling(LIVE_REFRESH_MS) || QUIET_REFRESH_MS),
      meta: { isQuiet: true },
    },
  )
  const isGone = error instanceof Failure && error.status === 404
  useReturnToList(job === undefined || isGone ? error : null)
  if (!job) return <Loading />
  return (
    <Stack>
      <JobHeader job={job} actions={actions} />
      <JobProgress job={job} />
      <JobFacts job={job} />
      <JobContent job={job} />
      <JobRecipients job={job} />
      <JobSentMessages job={job} />
      <JobLogs job={job} />
    </Stack>
  )
}

/** What can't be shown is said, and the list comes instead. */
function useReturnToList(error: Error | null) {
  useEffect(() => {
    if (error) reportFailure(error, 'JOB.DETAILS_FAILED')
  }, [error])
  useWayBack(error !== null, paths.jobs)
}
