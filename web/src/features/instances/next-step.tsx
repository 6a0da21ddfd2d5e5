import { Button } from '@mantine/core'
import type { DashboardStats } from '@sendroom/contract/dashboard'
import { Link } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { useGuideHidden } from '../../api/guide-hidden.ts'
import { useRead } from '../../api/queries.ts'
import { mayDo, type SessionUser, useCurrentUser } from '../../api/session.ts'

/** Leads a new user from the linked instance to the next of the first steps. Nothing for users who hid the guide. */
export function NextStep() {
  const user = useCurrentUser()
  return user && <NextStepOf user={user} />
}

function NextStepOf({ user }: { user: SessionUser }) {
  const { t } = useTranslation()
  const [isHidden] = useGuideHidden(user)
  const { data } = useRead('GET /groups/stats', {}, { enabled: !isHidden, meta: { isQuiet: true } })
  const step = data && !isHidden && stepFor(user, data)
  if (!step) return null
  return (
    <Button component={Link} to={step.to}>
      {t(step.label)}
    </Button>
  )
}

function stepFor(user: SessionUser, { totalMessages, totalJobs }: DashboardStats) {
  const mayCreateJobs = mayDo('canCreateJobs', user)
  // The form for a job writes the message, too.
  if (totalMessages === 0 && mayDo('canWriteMessages', user))
    return { to: mayCreateJobs ? '/jobs/new' : '/messages/new', label: 'GUIDE.WRITE_BUTTON' }
  if (totalMessages > 0 && totalJobs === 0 && mayCreateJobs)
    return { to: '/jobs/new', label: 'GUIDE.SEND_BUTTON' }
  return null
}
