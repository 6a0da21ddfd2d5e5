import { Alert, Loader } from '@mantine/core'
import { IconAlertTriangle, IconCheck } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import { formatDateTime, formatNumber } from '../../format.ts'
import { reasonText } from '../../i18n/words.ts'
import type { Syncs } from './use-syncs.ts'

/** The running syncs and the result of the newest. Always rendered, because screen readers announce only changes. */
export function SyncNotice({ syncs: { running, ended } }: { syncs: Syncs }) {
  return (
    <div role="status">
      {running.length > 0 && <Running running={running} />}
      {ended && !running.includes(ended.instance) && <Result {...ended} />}
    </div>
  )
}

function Running({ running }: Pick<Syncs, 'running'>) {
  const { t } = useTranslation()
  const [only, ...others] = running
  const words =
    others.length === 0
      ? t('GROUP.SYNCING_ONE', { name: only?.name })
      : t('GROUP.SYNCING_MANY', { number: formatNumber(running.length) })
  return (
    <Alert mb="md" color="cyan" icon={<Loader size={18} aria-hidden />}>
      {words}
    </Alert>
  )
}

function Result({ instance, how }: NonNullable<Syncs['ended']>) {
  const { t } = useTranslation()
  const { name, syncProblem, lastSyncAt } = instance
  if (how === 'whole')
    return (
      <Alert mb="md" color="green" icon={<IconCheck size={18} aria-hidden />}>
        {t('GROUP.SYNCED', { name })}
      </Alert>
    )
  return (
    <Alert mb="md" color="yellow" icon={<IconAlertTriangle size={18} aria-hidden />}>
      {how === 'waits' ? t('GROUP.SYNC_WAITS') : t('GROUP.SYNC_FAILED', { name })}{' '}
      {how === 'failed' && syncProblem && `${reasonText(syncProblem)} `}
      {lastSyncAt ? t('GROUP.LAST_WHOLE', { time: formatDateTime(lastSyncAt) }) : t('GROUP.NEVER_WHOLE')}
    </Alert>
  )
}
