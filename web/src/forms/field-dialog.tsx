import { Button, Group, Stack, Text } from '@mantine/core'
import type { FormEventHandler, ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { BusyButton } from '../ui/busy-button.tsx'
import { Dialog } from '../ui/dialog.tsx'

export type FieldDialogProps = {
  title: string
  text: string
  answer: string
  isBusy: boolean
  onSubmit: FormEventHandler<HTMLFormElement>
  onClose: () => void
}

/** A dialog that asks for one value. Its children are the field. */
export function FieldDialog({
  title,
  text,
  answer,
  isBusy,
  onSubmit,
  onClose,
  children,
}: FieldDialogProps & { children: ReactNode }) {
  const { t } = useTranslation()
  return (
    <Dialog title={title} onClose={onClose}>
      <form onSubmit={onSubmit} noValidate>
        <Stack>
          <Text size="sm">{text}</Text>
          {children}
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose}>
              {t('COMMON.CANCEL')}
            </Button>
            <BusyButton type="submit" isBusy={isBusy}>
              {answer}
            </BusyButton>
          </Group>
        </Stack>
      </form>
    </Dialog>
  )
}
