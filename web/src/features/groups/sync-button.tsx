import { IconRefresh } from '@tabler/icons-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { BusyButton } from '../../ui/busy-button.tsx'
import { disabledProps } from '../../ui/button-props.ts'
import { lazyComponent } from '../../ui/lazy-component.tsx'
import { PAGE_SIZE, type Syncs } from './use-syncs.ts'

const InstanceDialog = lazyComponent(async () => (await import('./instance-dialog.tsx')).InstanceDialog)

/** Starts a sync. Asks for the instance if there are several. */
export function SyncButton({ syncs }: { syncs: Syncs }) {
  const { t } = useTranslation()
  const [isAsking, setAsking] = useState(false)
  const { instances, isRequested } = syncs
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
        isBusy={isRequested || (isOnly && only.isSyncing)}
        disabled={!instances}
        onClick={() => (isOnly ? start(only.id) : setAsking(true))}
        {...(instances && !only && disabledProps(t('GROUP.NO_ACCOUNT')))}
      >
        {t('ACCOUNT.SYNC')}
      </BusyButton>
      {isAsking && <InstanceDialog pageSize={PAGE_SIZE} onChoose={start} onClose={() => setAsking(false)} />}
    </>
  )
}
