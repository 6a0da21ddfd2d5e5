import { Button, Group, Stack, Text, Textarea } from '@mantine/core'
import type { GetInputPropsReturnType } from '@mantine/form'
import { limits } from '@sendroom/contract/limits'
import type { FormEventHandler } from 'react'
import { useTranslation } from 'react-i18next'
import { BusyButton } from '../ui/busy-button.tsx'
import { Dialog } from '../ui/dialog.tsx'

type Props = {
  title: string
  text: string
  /** The field of the note, with its input props. */
  field: GetInputPropsReturnType & {
    label: string
    description: string
    required?: boolean
    maxLength?: number
  }
  answer: string
  isBusy: boolean
  onSubmit: FormEventHandler<HTMLFormElement>
  onClose: () => void
}

/** Asks for a note before an action, such as the end of an opt-out. */
export function NoteDialog({ title, text, field, answer, isBusy, onSubmit, onClose }: Props) {
  const { t } = useTranslation()
  return (
    <Dialog title={title} onClose={onClose}>
      <form onSubmit={onSubmit} noValidate>
        <Stack>
          <Text size="sm">{text}</Text>
          <Textarea autosize minRows={2} maxLength={limits.optOutNote} data-autofocus {...field} />
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
