import { Alert, Box, SimpleGrid, Stack, Text } from '@mantine/core'
import type { JobApproval as Approval, ReviewEntry } from '@sendroom/contract/job-approval'
import type { JobReview } from '@sendroom/contract/job-life'
import type { Job } from '@sendroom/contract/jobs'
import { useTranslation } from 'react-i18next'
import { formatDateTime, formatNumber, formatSecond } from '../../../format.ts'
import { enumerated } from '../../../i18n/punctuation.ts'
import { Fact } from '../../../ui/fact.tsx'
import { Name } from '../../../ui/name.tsx'
import { Section } from '../../../ui/section.tsx'
import { JobTypeName, reviewColors } from '../shared/job-labels.tsx'
import { ApprovalActions } from './approval-actions.tsx'
import classes from './job-detail.module.css'
import { JobMessage, OwnTexts } from './job-message.tsx'

type Props = { job: Job; approval: Approval }

/** Whether the page shows first what would be sent, because somebody may have to approve it. */
export const isPlanned = ({ status, approval }: Job) => status === 'Pending' && approval !== null

/** The approval of a job: its state and history and, until the job begins, what would be sent beside the buttons. */
export function JobApproval({ job }: { job: Job }) {
  const { t } = useTranslation()
  const { approval } = job
  if (!approval) return null
  return (
    <Section title={t('JOB.APPROVAL')}>
      <Stack>
        {isPlanned(job) && (
          <>
            {job.review && <State review={job.review} history={approval.history} />}
            <SimpleGrid cols={{ base: 1, md: 2 }}>
              <Stack gap="sm">
                <JobMessage job={job} />
                {job.isPersonal && <OwnTexts key={job.version} job={job} />}
              </Stack>
              <Plan job={job} approval={approval} />
            </SimpleGrid>
            <ApprovalActions job={job} approval={approval} />
          </>
        )}
        <History history={approval.history} />
      </Stack>
    </Section>
  )
}

/** The step that led to each state, as far as the state does not say it itself. */
const stepOf: Partial<Record<JobReview, ReviewEntry['what'][]>> = {
  changes_asked: ['changes_asked'],
  approved: ['approved', 'overridden'],
}

function State({ review, history }: { review: JobReview; history: ReviewEntry[] }) {
  const { t } = useTranslation()
  const step = history.find(({ what }) => stepOf[review]?.includes(what))
  const approved = step?.what === 'overridden' ? 'REASON.overridden_by' : 'REASON.approved_by'
  const sentences = {
    in_review: t('REASON.in_review'),
    changes_asked: t('REASON.changes_asked'),
    taken_back: t('REASON.taken_back'),
    approved: t(approved, { user: step?.by ?? '' }),
    overdue: t('REASON.approval_overdue'),
  }
  return (
    <Alert color={reviewColors[review]} role="note">
      {sentences[review]}
      {step && <Words>{step.words}</Words>}
    </Alert>
  )
}

/** To how many, from which account, and when. */
function Plan({ job, approval: { approveBy, approvers } }: Props) {
  const { t } = useTranslation()
  const needsApproval = job.review !== 'approved'
  return (
    <SimpleGrid component="dl" cols={2} m={0} style={{ alignContent: 'start' }}>
      <Fact name={t('JOB.COUNT_TOTAL')}>{formatNumber(job.recipientCount)}</Fact>
      <Fact name={t('JOB.TYPE')}>
        <JobTypeName type={job.jobType} />
      </Fact>
      <Fact name={t('JOB.INSTANCE')}>
        <Name>{job.instanceName}</Name>
      </Fact>
      <Fact name={t('JOB.SCHEDULED_AT')}>
        {job.scheduledAt ? formatDateTime(job.scheduledAt) : t('JOB.WHEN_APPROVED')}
      </Fact>
      <Fact name={t('JOB.CREATED_BY')}>
        <Name>{job.createdByUserName}</Name>
      </Fact>
      {needsApproval && (
        <Fact name={t('JOB.APPROVE_BY')}>{approveBy ? formatDateTime(approveBy) : t('JOB.NO_DEADLINE')}</Fact>
      )}
      {needsApproval && (
        <Fact name={t('JOB.APPROVERS')}>
          <Approvers approvers={approvers} />
        </Fact>
      )}
    </SimpleGrid>
  )
}

function Approvers({ approvers: { total, first } }: Pick<Approval, 'approvers'>) {
  const { t } = useTranslation()
  if (total === 0) return t('JOB.NO_APPROVERS')
  const more = total - first.length
  return (
    <>
      <Name>{enumerated(first)}</Name>
      {more > 0 && ` ${t('COMMON.AND_MORE', { number: formatNumber(more) })}`}
    </>
  )
}

function History({ history }: { history: ReviewEntry[] }) {
  const { t } = useTranslation()
  return (
    <Box component="ol" className={classes.history ?? ''} aria-label={t('JOB.APPROVAL_HISTORY')}>
      {history.map(({ at, what, by, words }, i) => (
        // Two steps may have the same time. A new step comes first, so they are counted from the end.
        // biome-ignore lint/suspicious/noArrayIndexKey: see above
        <li key={history.length - i}>
          <Text size="sm">
            <Text span inherit fw={500}>
              {t(`JOB.STEP_${what.toUpperCase()}`)}
            </Text>
            <Text span inherit c="dimmed">
              {' · '}
              {by !== '' && (
                <>
                  <bdi className={classes.words}>{by}</bdi>
                  {' · '}
                </>
              )}
              {formatSecond(at)}
            </Text>
          </Text>
          <Words>{words}</Words>
        </li>
      ))}
    </Box>
  )
}

/** A text that somebody has written, in its lines. */
const Words = ({ children }: { children: string }) =>
  children !== '' && (
    <Text size="sm" className={classes.words ?? ''} dir="auto">
      {children}
    </Text>
  )
