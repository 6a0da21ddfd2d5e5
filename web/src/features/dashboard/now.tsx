import { Text } from '@mantine/core'
import type { DashboardNow } from '@sendroom/contract/dashboard'
import { IconCircleCheck } from '@tabler/icons-react'
import { memo } from 'react'
import { useTranslation } from 'react-i18next'
import { Attention } from './attention.tsx'
import { JobsNow } from './jobs-now.tsx'
import classes from './now.module.css'

type Props = {
  /** Undefined until it is loaded. */
  now: DashboardNow | undefined
  /** Whether there is any job. A new user has the guide instead of the line that all is well. */
  hasJobs: boolean
}

/** Shows what needs attention, and the jobs that run or come next. If nothing needs attention, one line says so. */
export const Now = memo(({ now, hasJobs }: Props) => {
  const { t } = useTranslation()
  const isCalm = now && now.accounts.total + now.waitingJobs.total + now.failedJobs.total === 0
  return (
    <>
      {now && !isCalm ? (
        <Attention now={now} />
      ) : (
        <Text size="sm" c="dimmed" className={classes.calm}>
          {isCalm && hasJobs && (
            <>
              <IconCircleCheck size={18} aria-hidden className={classes.check} />
              {t('DASHBOARD.ALL_WELL')}
            </>
          )}
        </Text>
      )}
      {now && now.runningJobs.total + now.upcomingJobs.total > 0 && <JobsNow now={now} />}
    </>
  )
})
