import { IconRefresh } from '@tabler/icons-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { barred } from '../../ui/barred.ts'
import { BusyButton } from '../../ui/busy-button.tsx'
import { lazily } from '../../ui/lazily.tsx'
import { PAGE_SIZE, type Syncs } from './use-syncs.ts'

const AccountDialog = lazily(async () => (await import('./account-dialog.tsx')).AccountDialog)

/** Reads the groups of an account again; asks which one, where there are several. */
export function SyncButton({ syncs }: { syncs: Syncs }) {
  const { t } = useTranslation()
  const [isAsking, setAsking] = useState(false)
  const { instances, isAsked } = syncs
  const [only, ...others] = instances ?? []
  const isOnly = only !== undefined && others.length === 0
  const start = (id: number) => {
    setAsking(false)
    syncs.start(id)
  }
  return (
    <>
      <BusyButton
        leftSection={<IconRefresh size={16} aria-hidden />}
        isBusy={isAsked || (isOnly && only.isSyncing)}
        disabled={!instances}
        onClick={() => (isOnly ? start(only.id) : setAsking(true))}
        {...(instances && !only && barred(t('GROUP.NO_ACCOUNT')))}
      >
        {t('ACCOUNT.SYNC')}
      </BusyButton>
      {isAsking && <AccountDialog pageSize={PAGE_SIZE} onChoose={start} onClose={() => setAsking(false)} />}
    </>
  )
}
