import { SimpleGrid, Stack, Text } from '@mantine/core'
import type { Job } from '@sendroom/contract/jobs'
import { useParams } from '@tanstack/react-router'
import { useEffect } from 'react'
import { useTranslation } from 'react-i18next'
import { idOf } from '../../../address.ts'
import { Failure, reportFailure } from '../../../api/failure.ts'
import { useRedirectOnFailure } from '../../../api/use-redirect-on-failure.ts'
import { Loading } from '../../../ui/loading.tsx'
import { Section } from '../../../ui/section.tsx'
import { useJobActions } from '../shared/use-job-actions.ts'
import { isPlanned, JobApproval } from './job-approval.tsx'
import { JobFacts } from './job-facts.tsx'
import { JobHeader } from './job-header.tsx'
import { JobMessage } from './job-message.tsx'
import { JobPoll } from './job-poll.tsx'
import { JobProgress } from './job-progress.tsx'
import { JobRecipients } from './job-recipients.tsx'
import { JobResults } from './job-results.tsx'
import { JobLogs } from './job-rows.tsx'
import { useJob } from './use-job.ts'

export function JobDetailPage() {
  const id = idOf(useParams({ strict: false }))
  return id === null ? <NoJob /> : <JobDetail key={id} id={id} />
}

const noId = new Failure(404)

/** Shown for an address without a valid id: leads back to the list. */
function NoJob() {
  useReturnToList(noId)
  return null
}

function JobDetail({ id }: { id: number }) {
  const actions = useJobActions(id)
  const { data: job, error } = useJob(id, {
    // While the job is being deleted, reading it would report a 404.
    enabled: !actions.remove.isPending && !actions.remove.isDone,
  })
  const isGone = error instanceof Failure && error.status === 404
  useReturnToList(job === undefined || isGone ? error : null)
  if (!job) return <Loading />
  return (
    <Stack>
      <JobHeader job={job} actions={actions} />
      {isPlanned(job) ? <PlannedJob job={job} /> : <OtherJob job={job} />}
      {hasPollResults(job) && <JobPoll job={job} />}
      {!job.areRecipientsDeleted && <JobResults job={job} />}
      <JobLogs job={job} />
    </Stack>
  )
}

/** Whether messages of a poll may have gone out, and their results are still kept. */
const hasPollResults = ({ content, startedAt, areRecipientsDeleted }: Job) =>
  content?.kind === 'poll' && startedAt !== null && !areRecipientsDeleted

/** Begins with all that an approval is about: the text, the recipients and the time. */
const PlannedJob = ({ job }: { job: Job }) => (
  <>
    <JobApproval job={job} />
    <JobRecipients job={job} />
    <JobProgress job={job} />
    <JobFacts job={job} />
  </>
)

function OtherJob({ job }: { job: Job }) {
  const { t } = useTranslation()
  return (
    <>
      <JobProgress job={job} />
      <SimpleGrid cols={{ base: 1, md: 2 }}>
        <Section title={t('JOB.MESSAGE')}>
          <JobMessage job={job} />
        </Section>
        <JobFacts job={job} />
      </SimpleGrid>
      <JobApproval job={job} />
      {job.areRecipientsDeleted ? <DeletedRecipients /> : <JobRecipients job={job} />}
    </>
  )
}

function DeletedRecipients() {
  const { t } = useTranslation()
  return (
    <Section title={t('JOB.RESULTS')}>
      <Text size="sm" c="dimmed">
        {t('JOB.RECIPIENTS_DELETED')}
      </Text>
    </Section>
  )
}

/** Reports why the job can't be shown and goes back to the list. */
function useReturnToList(error: Error | null) {
  useEffect(() => {
    if (error) reportFailure(error, 'JOB.DETAILS_FAILED')
  }, [error])
  useRedirectOnFailure(error !== null, '/jobs')
}
