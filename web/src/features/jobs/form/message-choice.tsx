import { SegmentedControl, Stack } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { useTranslation } from 'react-i18next'
import { mayDo, useCurrentUser } from '../../../api/session.ts'
import { ImageField } from '../../../forms/image-field.tsx'
import { MessageFields } from '../../../forms/message-fields.tsx'
import { type Choices, NamedSelect } from '../../../forms/named-select.tsx'
import type { MessageFields as Fields } from '../../../forms/use-message-fields.ts'
import type { Values } from './new-job-values.ts'

type Props = {
  form: UseFormReturnType<Values>
  /** The fields of the message that is written here. */
  fields: Fields
  messages: Choices
  onChoose: (id: number) => void
  change: (values: Partial<Values>) => void
  /** A URL at which the browser shows the chosen image. */
  fileUrl: string | null
}

/** The message of a job: a saved one, or one that is written here. What was typed stays while the other is shown. */
export function MessageChoice({ form, fields, messages, onChoose, change, fileUrl }: Props) {
  const { t } = useTranslation()
  const mayWrite = mayDo('canWriteMessages', useCurrentUser())
  const { isWritten, messageId, imageFile } = form.values
  return (
    <Stack gap="sm">
      {mayWrite && (
        <SegmentedControl
          aria-label={t('JOB.MESSAGE_SOURCE')}
          data={[
            { value: 'saved', label: t('JOB.MESSAGE_SAVED') },
            { value: 'written', label: t('JOB.MESSAGE_WRITTEN') },
          ]}
          value={isWritten ? 'written' : 'saved'}
          onChange={(source) => change({ isWritten: source === 'written' })}
        />
      )}
      {!isWritten && (
        <NamedSelect
          label={t('JOB.MESSAGE')}
          required
          choices={messages}
          {...form.getInputProps('messageId')}
          value={messageId}
          onChange={onChoose}
        />
      )}
      {isWritten && (
        <MessageFields
          fields={fields}
          hasImage={imageFile !== null}
          image={
            <ImageField
              currentUrl={null}
              file={imageFile}
              fileUrl={fileUrl}
              isRemoved={false}
              isBusy={form.submitting}
              error={form.getInputProps('imageFile').error}
              onFile={(file) => change({ imageFile: file })}
              onRefuse={(why) => form.setFieldError('imageFile', why)}
              onRemove={() => {}}
            />
          }
        />
      )}
    </Stack>
  )
}
