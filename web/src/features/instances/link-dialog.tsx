import { Alert, Button, Group, Stack } from '@mantine/core'
import type { InstanceRow } from '@sendroom/contract/instances'
import { IconAlertTriangle, IconCheck } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { Dialog } from '../../ui/dialog.tsx'
import { NextStep } from './next-step.tsx'
import { useLink } from './use-link.ts'

type Props = {
  instance: InstanceRow
  title: string
  onClose: () => void
  /** Renders the code. Calls `onConnected` if the provider answers that the instance is already connected. */
  children: (onConnected: () => void) => ReactNode
}

/** The dialog around a QR or pairing code. Once the instance is connected or gone, it says so instead. */
export function LinkDialog({ instance, title, onClose, children }: Props) {
  const { t } = useTranslation()
  const { link, onConnected } = useLink(instance)
  return (
    <Dialog onClose={onClose} title={title}>
      {link === 'open' ? (
        children(onConnected)
      ) : (
        <Stack>
          {link !== 'gone' ? (
            <Alert color="green" icon={<IconCheck size={18} aria-hidden />} role="status">
              {t(link === 'already' ? 'ACCOUNT.ALREADY_CONNECTED' : 'ACCOUNT.CONNECTED_NOW')}
            </Alert>
          ) : (
            <Alert color="orange" icon={<IconAlertTriangle size={18} aria-hidden />}>
              {t('ACCOUNT.GONE')}
            </Alert>
          )}
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose} ref={(button) => button?.focus()}>
              {t('ACCOUNT.DONE')}
            </Button>
            {link !== 'gone' && <NextStep />}
          </Group>
        </Stack>
      )}
    </Dialog>
  )
}
