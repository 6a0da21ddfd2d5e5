import { Button, Text } from '@mantine/core'
import type { DashboardNow } from '@sendroom/contract/dashboard'
import { IconAlertTriangle, IconCircleCheck, IconMessageQuestion } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import { memo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { counted } from '../../i18n/words.ts'
import { giveFocus } from '../../ui/focus.ts'
import { ApprovalReminder } from './approval-reminder.tsx'
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
  const { shown, showLater } = useHeldBack(now)
  const isCalm = now && now.possibleOptOuts === 0 && linesOf(now) === 0 && !now.hasGeneratedPassword
  const later = showLater && (
    <Button size="compact-sm" variant="light" onClick={showLater}>
      {t('DASHBOARD.SHOW_NEW')}
    </Button>
  )
  return (
    <>
      {now?.hasGeneratedPassword && <PasswordReminder />}
      {now && now.possibleOptOuts > 0 && <PossibleReminder count={now.possibleOptOuts} />}
      {now && <ApprovalReminder />}
      {shown && linesOf(shown) > 0 ? (
        <Attention now={shown} later={later} />
      ) : (
        (!now || isCalm || later) && (
          <div className={classes.calm}>
            {isCalm && hasJobs && (
              <>
                <IconCircleCheck size={18} aria-hidden className={classes.check} />
                <Text size="sm" c="dimmed">
                  {t('DASHBOARD.ALL_WELL')}
                </Text>
              </>
            )}
            {later && (
              <>
                <IconAlertTriangle size={18} aria-hidden className={classes.warning} />
                <Text size="sm">{t('DASHBOARD.ATTENTION')}</Text>
                {later}
              </>
            )}
          </div>
        )
      )}
      {now && now.runningJobs.total + now.upcomingJobs.total > 0 && <JobsNow now={now} />}
    </>
  )
})

/** A reminder and no forced step. The user's menu, which the button opens, changes the password. */
function PasswordReminder() {
  const { t } = useTranslation()
  return (
    <div className={classes.reminder} role="note">
      <IconAlertTriangle size={18} aria-hidden className={classes.warning} />
      <Text size="sm">{t('DASHBOARD.GENERATED_PASSWORD')}</Text>
      <Button size="compact-sm" variant="light" popoverTarget="user-menu" className={classes.fixed}>
        {t('DASHBOARD.OPEN_MENU')}
      </Button>
    </div>
  )
}

/** The messages that may mean an opt-out. Until somebody decides, messages go to these people. */
function PossibleReminder({ count }: { count: number }) {
  const { t } = useTranslation()
  return (
    <div className={classes.reminder} role="note">
      <IconMessageQuestion size={18} aria-hidden className={classes.warning} />
      <Text size="sm">{t('DASHBOARD.POSSIBLE_OPT_OUTS', counted(count))}</Text>
      <Button
        size="compact-sm"
        variant="light"
        className={classes.fixed}
        renderRoot={(props) => <Link {...props} to="/possible-opt-outs" />}
      >
        {t('DASHBOARD.DECIDE')}
      </Button>
    </div>
  )
}

/**
 * Holds an answer back with which the section "Needs attention" would grow, until the user asks for it. Otherwise that
 * would move what the user is about to click.
 */
function useHeldBack(now: DashboardNow | undefined) {
  const [shown, setShown] = useState(now)
  const isHeld = now && shown && linesOf(now) > linesOf(shown)
  if (!isHeld && now !== shown) setShown(now)
  const showLater = () => {
    setShown(now)
    // After the button has disappeared.
    setTimeout(() => giveFocus())
  }
  return { shown: isHeld ? shown : now, showLater: isHeld ? showLater : null }
}

/** The lines of the section "Needs attention": each list has a title, its rows, and a link if there are more. */
const linesOf = ({ accounts, waitingJobs, failedJobs }: DashboardNow) =>
  [accounts, waitingJobs, failedJobs]
    .filter(({ total }) => total > 0)
    .reduce((sum, { total, first }) => sum + 1 + first.length + (total > first.length ? 1 : 0), 0)
