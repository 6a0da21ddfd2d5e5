import { Progress, Text } from '@mantine/core'
import type { DashboardJob, DashboardNow } from '@sendroom/contract/dashboard'
import { progressOf } from '@sendroom/contract/job-life'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { formatDateTime, formatNumber } from '../../format.ts'
import { counted, holdText, sentences } from '../../i18n/words.ts'
import { Name } from '../../ui/name.tsx'
import { Section } from '../../ui/section.tsx'
import classes from './now.module.css'
import { NowList, NowText } from './now-list.tsx'

/** The jobs that run, with progress and expected end, and those that come next. */
export function JobsNow({ now: { runningJobs, upcomingJobs } }: { now: DashboardNow }) {
  const { t } = useTranslation()
  return (
    <Section title={t('DASHBOARD.NOW')}>
      <div className={classes.groups}>
        <NowList
          title={t('DASHBOARD.RUNNING', counted(runningJobs.total))}
          list={runningJobs}
          all={{ to: '/jobs', search: { only: 'running' } }}
        >
          {(job) => (
            <JobRow key={job.id} job={job}>
              <JobProgress job={job} />
            </JobRow>
          )}
        </NowList>
        <NowList
          title={t('DASHBOARD.UPCOMING', counted(upcomingJobs.total))}
          list={upcomingJobs}
          all={{ to: '/jobs', search: { only: 'pending' } }}
        >
          {(job) => <JobRow key={job.id} job={job} />}
        </NowList>
      </div>
    </Section>
  )
}

function JobRow({ job, children }: { job: DashboardJob; children?: ReactNode }) {
  const subject = (
    <Link className={classes.link} to="/jobs/$id" params={{ id: String(job.id) }}>
      <Name>{`#${job.id} ${job.messageTitle}`}</Name>
    </Link>
  )
  return (
    <li>
      <NowText subject={subject}>
        <bdi>{job.instanceName}</bdi>
        <Outlook job={job} />
      </NowText>
      {children}
    </li>
  )
}

/** When the job begins, why it waits, and when it ends, as far as that is known. */
function Outlook({ job: { waiting, nextSendAt, scheduledAt, endsAt } }: { job: DashboardJob }) {
  const { t } = useTranslation()
  const isScheduled = waiting?.code === 'scheduled'
  const isAhead = endsAt !== null && Date.parse(endsAt) > Date.now()
  const text = sentences([
    isScheduled && t('DASHBOARD.BEGINS', { time: formatDateTime(scheduledAt) }),
    // A pause between two messages is how a job should run.
    waiting &&
      !isScheduled &&
      !usual.has(waiting.code) &&
      holdText({ why: waiting, until: isLong.has(waiting.code) ? nextSendAt : null }),
    isAhead && t('DASHBOARD.ENDS', { time: formatDateTime(endsAt) }),
  ])
  return text && ` · ${text}`
}

const usual: ReadonlySet<string> = new Set([
  'pause_between',
  'taking_turns',
  'uploading_file',
  'checking_outcome',
])
/** All others pass within seconds, or nobody knows when. */
const isLong: ReadonlySet<string> = new Set([
  ...['quiet_hours', 'daily_cap', 'account_restricted', 'capped_by_whatsapp', 'rest_day', 'warm_up'],
  ...['new_people', 'private_hours', 'quarter_hour', 'person_limit'],
])

function JobProgress({ job: { sentCount, recipientCount } }: { job: DashboardJob }) {
  const { t } = useTranslation()
  return (
    <div className={classes.progress}>
      <Progress
        value={progressOf(sentCount, recipientCount)}
        aria-label={t('JOB.PROGRESS')}
        size="md"
        flex={1}
      />
      <Text size="xs" c="dimmed" span>
        {formatNumber(sentCount)}/{formatNumber(recipientCount)}
      </Text>
    </div>
  )
}
