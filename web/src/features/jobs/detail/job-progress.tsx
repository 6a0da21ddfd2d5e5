import { Alert, Button, Group, Progress, Text, VisuallyHidden } from '@mantine/core'
import { isUnfinished } from '@sendroom/contract/job-life'
import type { Job, RecipientCounts } from '@sendroom/contract/jobs'
import type { Reason } from '@sendroom/contract/values'
import { IconAlertTriangle, IconClock } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { useResumeSending } from '../../../api/use-resume-sending.ts'
import { formatNumber, formatPercent, formatSecond } from '../../../format.ts'
import { reasonText } from '../../../i18n/words.ts'
import { BusyButton } from '../../../ui/busy-button.tsx'
import { Section } from '../../../ui/section.tsx'
import classes from './job-detail.module.css'
import { JobPace } from './job-pace.tsx'

/** The counts shown, in this order. Delivered and read stay at zero if no receipts arrive. */
const counted = ['total', 'waiting', 'sent', 'failed', 'unknown', 'skipped', 'delivered', 'read'] as const
const shownAtZero: ReadonlySet<string> = new Set(['total', 'waiting', 'sent', 'failed'])

/** The job's progress, and why it sends nothing at the moment. */
export function JobProgress({ job }: { job: Job }) {
  const { t } = useTranslation()
  const isMoving = job.status === 'Running' && !job.isPaused && !(job.waiting && isTrouble(job.waiting))
  return (
    <Section title={t('JOB.PROGRESS')}>
      <Group gap="sm" wrap="nowrap">
        <Progress
          value={job.progress}
          aria-label={t('JOB.PROGRESS')}
          size="lg"
          flex={1}
          striped={isMoving}
          animated={isMoving}
        />
        <Text fw={600}>{formatPercent(job.progress)}</Text>
      </Group>
      <Counts recipients={job.recipients} />
      {isUnfinished(job) && <JobPace job={job} />}
      {isUnfinished(job) && !saysApproval(job) && <Waiting job={job} />}
      <Announcement job={job} />
    </Section>
  )
}

function Counts({ recipients }: { recipients: RecipientCounts }) {
  const { t } = useTranslation()
  return (
    <dl className={classes.figures}>
      {counted
        .filter((name) => recipients[name] > 0 || shownAtZero.has(name))
        .map((name) => (
          <div key={name}>
            <Text component="dt" size="xs" c="dimmed">
              {t(`JOB.COUNT_${name.toUpperCase()}`)}
            </Text>
            <Text component="dd" m={0} fw={600}>
              {formatNumber(recipients[name])}
            </Text>
          </div>
        ))}
    </dl>
  )
}

/** Whether a person has to fix the instance, or may overrule it. All other reasons pass without action. */
const isTrouble = ({ code }: Reason) => code.startsWith('account_') || code === 'history_unreadable'

/** Whether the job waits for nothing but its approval. The page says so already, beside the buttons. */
const saysApproval = ({ approval, waiting }: Job) =>
  approval !== null && waiting !== null && approvalReasons.has(waiting.code)
const approvalReasons: ReadonlySet<string> = new Set([
  'in_review',
  'changes_asked',
  'taken_back',
  'approval_overdue',
])

function Waiting({ job }: { job: Job }) {
  const { t } = useTranslation()
  const { waiting, nextSendAt } = job
  const resume = useResumeSending({ id: job.instanceId, name: job.instanceName }, waiting)
  if (!waiting) return null
  const Icon = isTrouble(waiting) ? IconAlertTriangle : IconClock
  return (
    <Alert
      mt="md"
      color={isTrouble(waiting) ? 'orange' : 'gray'}
      icon={<Icon size={18} aria-hidden />}
      role="note"
    >
      <div>{reasonText(waiting)}</div>
      {nextSendAt && <div>{t('JOB.NEXT_SEND', { time: formatSecond(nextSendAt) })}</div>}
      {isTrouble(waiting) && (
        <Group gap="xs" mt="xs">
          {resume && (
            <BusyButton size="compact-sm" isBusy={resume.isPending} onClick={resume.ask}>
              {t('ACCOUNT.RESUME')}
            </BusyButton>
          )}
          <Button size="compact-sm" variant="default" component={Link} to="/instances">
            {t('JOB.TO_ACCOUNTS')}
          </Button>
        </Group>
      )}
    </Alert>
  )
}

/** For screen readers: the status, the progress in steps of 10 %, and why the job waits. */
function Announcement({ job }: { job: Job }) {
  const { t } = useTranslation()
  const tenth = Math.floor(job.progress / 10) * 10
  return (
    <>
      <VisuallyHidden role="status">
        {t(`JOB.STATUS_${job.status.toUpperCase()}`)}, {tenth} %
      </VisuallyHidden>
      <VisuallyHidden role="status">{job.waiting && reasonText(job.waiting)}</VisuallyHidden>
    </>
  )
}
