import { Checkbox, Stack, TextInput } from '@mantine/core'
import { limits } from '@sendroom/contract/limits'
import { ReceiverForm as Schema, type ReceiverForm as Values } from '@sendroom/contract/receivers'
import { webhookTopics } from '@sendroom/contract/webhook-topics'
import { useTranslation } from 'react-i18next'
import { FormPage } from '../../forms/form-page.tsx'
import { useContractForm } from '../../forms/use-contract-form.ts'

type Props = {
  title: string
  initialValues: Values
  save: (values: Values) => Promise<unknown>
  onSaved?: () => unknown
  onCancel: () => void
}

export function ReceiverForm({ title, initialValues, save, onSaved, onCancel }: Props) {
  const { t } = useTranslation()
  const { form, onSubmit } = useContractForm(Schema, {
    initialValues,
    send: save,
    ...(onSaved && { onSent: onSaved }),
  })
  return (
    <FormPage title={title} isBusy={form.submitting} onSubmit={onSubmit} onCancel={onCancel}>
      <TextInput
        label={t('RECEIVER_FORM.NAME')}
        required
        autoComplete="off"
        maxLength={limits.receiverName}
        {...form.getInputProps('name')}
      />
      <TextInput
        label={t('RECEIVER_FORM.URL')}
        type="url"
        placeholder="https://"
        required
        autoComplete="off"
        maxLength={limits.receiverUrl}
        {...form.getInputProps('url')}
      />
      <Checkbox.Group label={t('RECEIVER_FORM.TOPICS')} {...form.getInputProps('topics')}>
        <Stack gap="xs" mt="xs">
          {webhookTopics.map((topic) => (
            <Checkbox
              key={topic}
              value={topic}
              label={t(`RECEIVER_FORM.TOPIC_${topic.toUpperCase()}`)}
              description={t(`RECEIVER_FORM.TOPIC_${topic.toUpperCase()}_HINT`)}
            />
          ))}
        </Stack>
      </Checkbox.Group>
      <Checkbox
        label={t('RECEIVER_FORM.IS_ACTIVE')}
        {...form.getInputProps('isActive', { type: 'checkbox' })}
      />
      <Checkbox
        label={t('RECEIVER_FORM.ALLOWS_OWN_NETWORK')}
        description={t('RECEIVER_FORM.ALLOWS_OWN_NETWORK_HINT')}
        {...form.getInputProps('allowsOwnNetwork', { type: 'checkbox' })}
      />
    </FormPage>
  )
}
