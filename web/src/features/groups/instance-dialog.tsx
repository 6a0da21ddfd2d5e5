import { Button, Group, Stack } from '@mantine/core'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { InstanceSelect } from '../../forms/instance-select.tsx'
import { Dialog } from '../../ui/dialog.tsx'

type Props = { pageSize: number; onChoose: (id: number) => void; onClose: () => void }

/** Asks which instance to sync. */
export function InstanceDialog({ pageSize, onChoose, onClose }: Props) {
  const { t } = useTranslation()
  const [id, setId] = useState(0)
  return (
    <Dialog onClose={onClose} title={t('ACCOUNT.SYNC')}>
      <Stack>
        <InstanceSelect pageSize={pageSize} value={id} onChange={setId} />
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {t('COMMON.CANCEL')}
          </Button>
          <Button disabled={id === 0} onClick={() => onChoose(id)}>
            {t('ACCOUNT.SYNC')}
          </Button>
        </Group>
      </Stack>
    </Dialog>
  )
}
