import { Text } from '@mantine/core'
import type { DashboardNow } from '@sendroom/contract/dashboard'
import { IconCircleCheck } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import { useRead } from '../../api/queries.ts'
import { lazyComponent } from '../../ui/lazy-component.tsx'
import { LoadFailed } from '../../ui/load-failed.tsx'
import classes from './now.module.css'

// Loaded only when there is something to say.
const NowPanels = lazyComponent(async () => (await import('./now-panels.tsx')).NowPanels)

/** Expected ends move on, and no event says that a job begins to stand still. */
const REFRESH_MS = 30_000

/**
 * What needs attention, and the jobs that run or come next. If nothing needs attention, one line says so.
 *
 * @param hasJobs Whether there is any job. A new user has the guide instead.
 */
export function Now({ hasJobs }: { hasJobs: boolean }) {
  const { t } = useTranslation()
  const {
    data: now,
    isLoadingError,
    refetch,
  } = useRead('GET /dashboard/now', {}, { refetchInterval: REFRESH_MS, meta: { isQuiet: true } })
  if (isLoadingError) return <LoadFailed retry={refetch} />
  const isCalm = now && !needsAttention(now)
  return (
    <>
      {/* Keeps its height, so that the numbers below do not move when the answer arrives. */}
      {(!now || isCalm) && (
        <Text size="sm" c="dimmed" className={classes.calm}>
          {isCalm && hasJobs && (
            <>
              <IconCircleCheck size={18} aria-hidden className={classes.check} />
              {t('DASHBOARD.ALL_WELL')}
            </>
          )}
        </Text>
      )}
      {now && (!isCalm || now.runningJobs.total + now.upcomingJobs.total > 0) && <NowPanels now={now} />}
    </>
  )
}

const needsAttention = ({ accounts, waitingJobs, failedJobs }: DashboardNow) =>
  accounts.total + waitingJobs.total + failedJobs.total > 0
