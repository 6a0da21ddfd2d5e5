import { Button } from '@mantine/core'
import { IconRefresh } from '@tabler/icons-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useInstances } from '../../forms/use-instances.ts'
import { lazily } from '../../ui/lazily.tsx'
import type { Sync } from './use-sync.ts'

const AccountDialog = lazily(async () => (await import('./account-dialog.tsx')).AccountDialog)

const PAGE_SIZE = 1000

/** Reads the groups of an account again; asks which one, where there are several. */
export function SyncButton({ sync }: { sync: Sync }) {
  const { t } = useTranslation()
  const { data: instances } = useInstances(PAGE_SIZE)
  const [isAsking, setAsking] = useState(false)
  const [only, ...others] = instances ?? []
  const start = (id: number) => {
    setAsking(false)
    sync.mutate(id)
  }
  return (
    <>
      <Button
        leftSection={<IconRefresh size={16} aria-hidden />}
        loading={sync.isPending}
        disabled={!only}
        title={instances && !only ? t('GROUP.NO_ACCOUNT') : undefined}
        onClick={() => (only && others.length === 0 ? start(only.id) : setAsking(true))}
      >
        {t('ACCOUNT.SYNC')}
      </Button>
      {isAsking && <AccountDialog pageSize={PAGE_SIZE} onChoose={start} onClose={() => setAsking(false)} />}
    </>
  )
}
