import { Button, Text } from '@mantine/core'
import type { DashboardJob, DashboardNow, InstanceAttention } from '@sendroom/contract/dashboard'
import type { ReasonCode } from '@sendroom/contract/reasons'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { isAdmin, mayDo, useCurrentUser } from '../../api/session.ts'
import { useResumeSending } from '../../api/use-resume-sending.ts'
import { daysUntil, formatDate, formatDateTime, formatNumber } from '../../format.ts'
import { counted, holdText, reasonText, sentences } from '../../i18n/words.ts'
import { BusyButton } from '../../ui/busy-button.tsx'
import { Name } from '../../ui/name.tsx'
import { Section } from '../../ui/section.tsx'
import classes from './now.module.css'
import { NowList, NowText } from './now-list.tsx'

type Props = {
  now: DashboardNow
  /** The button for what came later, if anything did. */
  later: ReactNode
}

/** The instances and jobs that need a person, each with the one button that helps. */
export function Attention({ now: { accounts, waitingJobs, failedJobs }, later }: Props) {
  const { t } = useTranslation()
  return (
    <div className={classes.attention}>
      <Section title={t('DASHBOARD.ATTENTION')}>
        <div className={classes.later}>{later}</div>
        <div className={classes.groups}>
          <NowList
            title={t('DASHBOARD.ATTENTION_ACCOUNTS', counted(accounts.total))}
            list={accounts}
            all={{ to: '/instances', search: { only: 'attention' } }}
          >
            {(attention) => <InstanceLine key={attention.instance.id} attention={attention} />}
          </NowList>
          <NowList
            title={t('DASHBOARD.ATTENTION_WAITING', counted(waitingJobs.total))}
            list={waitingJobs}
            all={{ to: '/jobs', search: { only: 'stuck' } }}
          >
            {(job) => (
              <JobRow key={job.id} job={job}>
                {job.waiting ? reasonText(job.waiting) : t('DASHBOARD.STANDS_STILL')}
              </JobRow>
            )}
          </NowList>
          <NowList
            title={t('DASHBOARD.ATTENTION_FAILED', counted(failedJobs.total))}
            list={failedJobs}
            all={{ to: '/jobs', search: { only: 'failures' } }}
          >
            {(job) => (
              <JobRow key={job.id} job={job} outcome="Failed">
                {t('DASHBOARD.FAILED_OF', {
                  failed: formatNumber(job.failedCount),
                  total: formatNumber(job.recipientCount),
                  time: formatDateTime(job.completedAt),
                })}
              </JobRow>
            )}
          </NowList>
        </div>
      </Section>
    </div>
  )
}

/** Reasons that do not say themselves what to do next. */
const hints = new Map<ReasonCode, string>([
  ['account_bad_token', 'DASHBOARD.HINT_TOKEN'],
  ['account_unpaid', 'DASHBOARD.HINT_UNPAID'],
  ['account_restricted', 'DASHBOARD.HINT_RESTRICTED'],
  ['provider_unreachable', 'DASHBOARD.HINT_UNREACHABLE'],
])

function InstanceLine({ attention }: { attention: InstanceAttention }) {
  const { t } = useTranslation()
  const { instance, reason, until } = attention
  const hint = reason ? hints.get(reason.code) : 'DASHBOARD.HINT_EXPIRING'
  return (
    <li>
      <NowText subject={<Name>{instance.name}</Name>}>
        {sentences([reason ? holdText({ why: reason, until }) : expiryText(until), hint && t(hint)])}
      </NowText>
      <InstanceHelp attention={attention} />
    </li>
  )

  function expiryText(at: string | null) {
    if (at === null) return ''
    return t(daysUntil(at) < 0 ? 'DASHBOARD.EXPIRED' : 'DASHBOARD.EXPIRES', { time: formatDate(at) })
  }
}

/** The button that helps. Users without the right learn whom to ask. */
function InstanceHelp({ attention: { instance, reason } }: { attention: InstanceAttention }) {
  const { t } = useTranslation()
  const user = useCurrentUser()
  const resume = useResumeSending(instance, reason)
  const toInstance = (label: string, scan?: number) => (
    <Button
      size="compact-sm"
      variant={scan ? 'filled' : 'default'}
      renderRoot={(props) => (
        <Link {...props} to="/instances" search={{ search: instance.name, ...(scan && { scan }) }} />
      )}
    >
      {t(label)}
    </Button>
  )
  switch (reason?.code) {
    case 'account_failures':
    case 'history_unreadable':
      return resume ? (
        <BusyButton size="compact-sm" isBusy={resume.isPending} onClick={resume.ask}>
          {t('ACCOUNT.RESUME')}
        </BusyButton>
      ) : (
        <WhomToAsk />
      )
    case 'account_not_linked':
      return mayDo('canLinkAccounts', user) ? toInstance('ACCOUNT.SCAN_QR', instance.id) : <WhomToAsk />
    case 'account_bad_token':
    case undefined:
      return isAdmin(user) ? (
        <Button
          size="compact-sm"
          renderRoot={(props) => (
            <Link {...props} to="/instances/edit/$id" params={{ id: String(instance.id) }} />
          )}
        >
          {t('DASHBOARD.EDIT_ACCOUNT')}
        </Button>
      ) : (
        <WhomToAsk />
      )
    default:
      return toInstance('DASHBOARD.VIEW_ACCOUNT')
  }
}

function WhomToAsk() {
  const { t } = useTranslation()
  return (
    <Text size="sm" c="dimmed">
      {t('DASHBOARD.ASK_ADMIN')}
    </Text>
  )
}

type JobRowProps = { job: DashboardJob; outcome?: 'Failed'; children: string }

function JobRow({ job, outcome, children }: JobRowProps) {
  const { t } = useTranslation()
  return (
    <li>
      <NowText subject={<Name>{`#${job.id} ${job.messageTitle}`}</Name>}>
        <bdi>{job.instanceName}</bdi>
        {' · '}
        {children}
      </NowText>
      <Button
        size="compact-sm"
        variant="default"
        renderRoot={(props) => (
          <Link
            {...props}
            to="/jobs/$id"
            params={{ id: String(job.id) }}
            search={outcome ? { outcome } : {}}
          />
        )}
      >
        {t('DASHBOARD.VIEW_JOB')}
      </Button>
    </li>
  )
}
