import { Paper, SimpleGrid, Skeleton, Stack, Text, Title } from '@mantine/core'
import type { DashboardStats } from '@sendroom/contract/dashboard'
import { Link, type LinkProps } from '@tanstack/react-router'
import { Fragment, memo, type ReactNode, useDeferredValue } from 'react'
import { useTranslation } from 'react-i18next'
import { usePolling } from '../../api/event-stream.ts'
import { useRead } from '../../api/queries.ts'
import { formatNumber } from '../../format.ts'
import { counted } from '../../i18n/words.ts'
import { idle } from '../../ui/idle.ts'
import { lazyComponent } from '../../ui/lazy-component.tsx'
import { LoadFailed } from '../../ui/load-failed.tsx'
import { Loading } from '../../ui/loading.tsx'
import { PageTitle } from '../../ui/page-title.tsx'
import classes from './dashboard-page.module.css'
import { FirstSteps } from './first-steps.tsx'
import { JobChart } from './job-chart.tsx'
import { Now } from './now.tsx'

// Below the rest, so that the first paint does not wait for its code.
const Days = lazyComponent(async () => {
  await idle()
  return (await import('./days.tsx')).Days
})

const LOADING_HEIGHT = 400
const REFRESH_MS = 10_000
/** Expected ends move on, and no event says that an instance expires. */
const NOW_REFRESH_MS = 30_000

export function DashboardPage() {
  const { t } = useTranslation()
  const stats = useRead(
    'GET /groups/stats',
    {},
    { refetchInterval: usePolling()(REFRESH_MS), meta: { isQuiet: true } },
  )
  const now = useRead('GET /dashboard/now', {}, { refetchInterval: NOW_REFRESH_MS, meta: { isQuiet: true } })
  // Drawn together, because what needs attention would push the numbers down. Deferred, so that React renders in slices
  // and a slow phone reacts to taps meanwhile.
  const isReady = !now.isPending
  const drawn = useDeferredValue(isReady ? stats.data : undefined)
  const drawnNow = useDeferredValue(isReady ? now.data : undefined)
  return (
    <Stack>
      <PageTitle>{t('DASHBOARD.TITLE')}</PageTitle>
      {stats.isLoadingError ? (
        <LoadFailed retry={stats.refetch} />
      ) : drawn ? (
        <Fragment key="drawn">
          {now.isLoadingError ? (
            <LoadFailed retry={now.refetch} />
          ) : (
            <Now now={drawnNow} hasJobs={drawn.totalJobs > 0} />
          )}
          <Stats stats={drawn} />
          {drawn.totalJobs > 0 && <Days />}
        </Fragment>
      ) : (
        <Fragment key="loading">
          <Now now={undefined} hasJobs={false} />
          <Stats stats={undefined} />
        </Fragment>
      )}
    </Stack>
  )
}

/** The dashboard's content. Reserves the space for the numbers until they are loaded. */
const Stats = memo(({ stats }: { stats: DashboardStats | undefined }) => {
  const { t } = useTranslation()
  return (
    <Stack aria-busy={!stats}>
      <SimpleGrid cols={{ base: 2, md: 4 }}>
        <StatCard label={t('DASHBOARD.TOTAL_GROUPS')} value={stats?.totalGroups} list={{ to: '/groups' }} />
        <StatCard
          label={t('DASHBOARD.TOTAL_MESSAGES')}
          value={stats?.totalMessages}
          list={{ to: '/messages' }}
        />
        <StatCard label={t('DASHBOARD.TOTAL_JOBS')} value={stats?.totalJobs} list={{ to: '/jobs' }} />
        <StatCard
          label={t('DASHBOARD.PENDING_JOBS')}
          value={stats?.pendingJobs}
          list={{ to: '/jobs', search: { only: 'pending' } }}
        />
      </SimpleGrid>
      {stats ? (
        <FirstSteps stats={stats} loading={<StatsLoading />}>
          <SimpleGrid cols={{ base: 1, md: 2, lg: 3 }}>
            <JobStatus stats={stats} />
            <TopGroups stats={stats} />
            <QuickStats stats={stats} />
          </SimpleGrid>
        </FirstSteps>
      ) : (
        <StatsLoading />
      )}
    </Stack>
  )
})

const StatsLoading = () => <Loading height={LOADING_HEIGHT} />

type StatProps = { label: string; value: number | undefined; list: LinkProps }

/** A number that links to the list it counts. */
const StatCard = ({ label, value, list }: StatProps) => (
  <Paper renderRoot={(props) => <Link {...props} {...list} />} withBorder p="md" className={classes.stat}>
    <Text size="sm" c="dimmed">
      {label}
    </Text>
    <Text fz={28} fw={650} lh={1.2}>
      {value === undefined ? (
        <Skeleton component="span" display="inline-block" w="2ch" h="0.7em" />
      ) : (
        formatNumber(value)
      )}
    </Text>
  </Paper>
)

const Panel = ({ title, children }: { title: string; children: ReactNode }) => (
  <Paper withBorder p="md" component="section" className={classes.surface}>
    <Title order={2} size="h5" mb="sm">
      {title}
    </Title>
    {children}
  </Paper>
)

function JobStatus({ stats }: { stats: DashboardStats }) {
  const { t } = useTranslation()
  return (
    <Panel title={t('DASHBOARD.JOB_STATUS')}>
      {stats.totalJobs === 0 ? <Text c="dimmed">{t('DASHBOARD.NO_JOBS')}</Text> : <JobChart stats={stats} />}
    </Panel>
  )
}

function TopGroups({ stats: { topGroups: groups, totalGroups } }: { stats: DashboardStats }) {
  const { t } = useTranslation()
  const empty = totalGroups === 0 ? 'DASHBOARD.NO_GROUP_FOUND' : 'DASHBOARD.NO_ACTIVE_GROUP'
  return (
    <Panel title={t('DASHBOARD.TOP_GROUPS')}>
      {groups.length === 0 ? (
        <Text c="dimmed">{t(empty)}</Text>
      ) : (
        <ol className={classes.groups}>
          {groups.map((group, place) => (
            // Two groups may have the same name. Only their position identifies them.
            // biome-ignore lint/suspicious/noArrayIndexKey: the list is replaced as a whole
            <li key={place}>
              <Text size="sm" fw={500}>
                {group.groupName}
              </Text>
              <Text size="xs" c="dimmed">
                {t('DASHBOARD.PARTICIPANTS', counted(group.participantCount))}
                {' · '}
                {t('DASHBOARD.MESSAGES_SENT', counted(group.messagesSent))}
              </Text>
            </li>
          ))}
        </ol>
      )}
    </Panel>
  )
}

function QuickStats({ stats }: { stats: DashboardStats }) {
  const { t } = useTranslation()
  return (
    <Panel title={t('DASHBOARD.QUICK_STATS')}>
      <dl className={classes.facts}>
        <Fact label={t('DASHBOARD.UNIQUE_USERS')} value={formatNumber(stats.totalUniqueUsers)} />
        <Fact label={t('DASHBOARD.COMPLETED_JOBS')} value={formatNumber(stats.completedJobs)} />
        <Fact label={t('DASHBOARD.SENT_MESSAGES')} value={formatNumber(stats.totalSentMessages)} />
        <Fact label={t('DASHBOARD.SUCCESS_RATE')} value={`${successRate(stats)}%`} />
      </dl>
    </Panel>
  )
}

const Fact = ({ label, value }: { label: string; value: string }) => (
  <div>
    <dt>{label}</dt>
    <dd>{value}</dd>
  </div>
)

/** The share of completed jobs among the ended ones, as a whole percentage; 0 if none has ended. */
export function successRate({ completedJobs, failedJobs }: { completedJobs: number; failedJobs: number }) {
  const ended = completedJobs + failedJobs
  return ended === 0 ? 0 : Math.round((completedJobs * 100) / ended)
}
