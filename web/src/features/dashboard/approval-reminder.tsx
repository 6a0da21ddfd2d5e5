import { Button, Text } from '@mantine/core'
import { IconUserCheck } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { call } from '../../api/client.ts'
import { usePolling } from '../../api/event-stream.ts'
import { mayDo, useCurrentUser } from '../../api/session.ts'
import { counted } from '../../i18n/words.ts'
import { idle } from '../../ui/idle.ts'
import classes from './now.module.css'

const REFRESH_MS = 30_000

/** The jobs that wait for approval by the user, who has not made them. */
export function ApprovalReminder() {
  const { t } = useTranslation()
  const enabled = mayDo('canApproveJobs', useCurrentUser())
  const query = { only: 'to_approve', pageSize: 1 } as const
  const { data } = useQuery({
    // A list of jobs, which every change of a job refreshes.
    queryKey: ['jobs', 'list', query],
    queryFn: ({ signal }) => idle().then(() => call('GET /jobs', { query }, signal)),
    enabled,
    refetchInterval: usePolling()(REFRESH_MS),
    meta: { isQuiet: true },
  })
  const count = data?.pagination.totalCount ?? 0
  if (count === 0) return null
  return (
    <div className={classes.reminder} role="note">
      <IconUserCheck size={18} aria-hidden className={classes.warning} />
      <Text size="sm">{t('DASHBOARD.IN_REVIEW', counted(count))}</Text>
      <Button
        size="compact-sm"
        variant="light"
        className={classes.fixed}
        renderRoot={(props) => <Link {...props} to="/jobs" search={{ only: 'to_approve' }} />}
      >
        {t('DASHBOARD.REVIEW')}
      </Button>
    </div>
  )
}
