import { Alert, Loader } from '@mantine/core'
import { IconAlertTriangle, IconCheck } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import { formatDateTime } from '../../format.ts'
import { reasonText } from '../../i18n/words.ts'
import type { Sync } from './use-sync.ts'

/** That a sync runs, and how it went. There from the start, so that screen readers hear what comes into it. */
export const SyncNotice = ({ sync }: { sync: Sync }) => (
  <div role="status">
    {sync.isPending && <Running />}
    {sync.data && <Result {...sync.data} />}
  </div>
)

function Running() {
  const { t } = useTranslation()
  return (
    <Alert mb="md" color="cyan" icon={<Loader size={18} aria-hidden />}>
      {t('ACCOUNT.SYNCING')}
    </Alert>
  )
}

function Result({ instance, isWhole }: NonNullable<Sync['data']>) {
  const { t } = useTranslation()
  const { name, syncProblem, lastSyncAt } = instance
  if (isWhole)
    return (
      <Alert mb="md" color="green" icon={<IconCheck size={18} aria-hidden />}>
        {t('GROUP.SYNCED', { name })}
      </Alert>
    )
  return (
    <Alert mb="md" color="yellow" icon={<IconAlertTriangle size={18} aria-hidden />}>
      {syncProblem ? `${t('GROUP.SYNC_FAILED', { name })} ${reasonText(syncProblem)}` : t('GROUP.SYNC_WAITS')}{' '}
      {lastSyncAt ? t('GROUP.LAST_WHOLE', { time: formatDateTime(lastSyncAt) }) : t('GROUP.NEVER_WHOLE')}
    </Alert>
  )
}
