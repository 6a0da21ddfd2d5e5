import { TextInput } from '@mantine/core'
import type { GetInputPropsReturnType } from '@mantine/form'
import { useTranslation } from 'react-i18next'
import { FieldDialog, type FieldDialogProps } from './field-dialog.tsx'

type Props = Omit<FieldDialogProps, 'answer'> & {
  /** The time zone in words. */
  zone: string
  /** The input props of the field. */
  field: GetInputPropsReturnType
}

/** Asks for the time to which a job or a run is moved. */
export function TimeDialog({ zone, field, ...dialog }: Props) {
  const { t } = useTranslation()
  return (
    <FieldDialog {...dialog} answer={t('SERIES.MOVE')}>
      <TextInput
        label={t('SERIES.NEW_TIME')}
        description={zone}
        type="datetime-local"
        required
        max="2099-12-31T23:59"
        data-autofocus
        {...field}
      />
    </FieldDialog>
  )
}
