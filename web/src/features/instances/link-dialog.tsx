import { Alert, Button, Group, Stack } from '@mantine/core'
import { IconAlertTriangle, IconCheck } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { Dialog } from '../../ui/dialog.tsx'
import { useLink } from './use-link.ts'

type Props = {
  id: number
  title: string
  onClose: () => void
  /** Asks for a code, and says so when the provider answers that there is nothing to link. */
  children: (onConnected: () => void) => ReactNode
}

/** The frame of both ways to link an account: as soon as there is nothing left to link, it says so instead. */
export function LinkDialog({ id, title, onClose, children }: Props) {
  const { t } = useTranslation()
  const { link, onConnected } = useLink(id)
  return (
    <Dialog onClose={onClose} title={title}>
      {link === 'open' ? (
        children(onConnected)
      ) : (
        <Stack>
          {link === 'connected' ? (
            <Alert color="green" icon={<IconCheck size={18} aria-hidden />} role="status">
              {t('ACCOUNT.CONNECTED_NOW')}
            </Alert>
          ) : (
            <Alert color="orange" icon={<IconAlertTriangle size={18} aria-hidden />}>
              {t('ACCOUNT.GONE')}
            </Alert>
          )}
          <Group justify="flex-end">
            <Button onClick={onClose} ref={(button) => button?.focus()}>
              {t('ACCOUNT.DONE')}
            </Button>
          </Group>
        </Stack>
      )}
    </Dialog>
  )
}
