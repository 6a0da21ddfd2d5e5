import { Stack, Text, Textarea } from '@mantine/core'
import { limits } from '@sendroom/contract/limits'
import type { MessageChange, NewMessage } from '@sendroom/contract/messages'
import { useNavigate } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { formatNumber } from '../../format.ts'
import { FormPage } from '../../forms/form-page.tsx'
import { GroupPicker } from '../../forms/group-picker.tsx'
import { InstanceSelect } from '../../forms/instance-select.tsx'
import { useContractForm } from '../../forms/use-contract-form.ts'
import { paths } from '../../paths.ts'
import { ImageField } from './image-field.tsx'
import type { MessageValues } from './message-values.ts'

const PAGE_SIZE = 100

type Props = {
  title: string
  schema: typeof NewMessage | typeof MessageChange
  initialValues: MessageValues
  /** The image the message has now. */
  imageUrl?: string | null
  save: (values: MessageValues) => Promise<unknown>
}

export function MessageForm({ title, schema, initialValues, imageUrl = null, save }: Props) {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const toList = () => navigate({ to: paths.messages })
  const { form, onSubmit } = useContractForm(schema, {
    initialValues,
    send: async (values) => {
      await save(values)
      await toList()
    },
  })
  const { textContent, instanceId, groupIds, imageFile, removeImage } = form.values
  return (
    <FormPage title={title} isBusy={form.submitting} onSubmit={onSubmit} onCancel={toList}>
      <Stack gap={4}>
        <Textarea
          label={t('MESSAGE.TEXT')}
          required
          autosize
          minRows={5}
          maxRows={16}
          {...form.getInputProps('textContent')}
        />
        <Text size="xs" ta="right" c={textContent.length > limits.messageText ? 'red.9' : 'dimmed'}>
          {formatNumber(textContent.length)}/{formatNumber(limits.messageText)}
        </Text>
      </Stack>
      <InstanceSelect
        pageSize={PAGE_SIZE}
        clearable
        {...form.getInputProps('instanceId')}
        value={instanceId ?? 0}
        // Groups belong to an account: those of another one are no choice.
        onChange={(id) => form.setValues({ instanceId: id || null, groupIds: [] })}
      />
      <ImageField
        currentUrl={imageUrl}
        file={imageFile}
        isRemoved={removeImage}
        error={form.getInputProps('imageFile').error}
        // A new file and the removal of the image exclude each other.
        onFile={(file) => form.setValues({ imageFile: file, ...(file && { removeImage: false }) })}
        onRemove={(isRemoved) =>
          form.setValues({ removeImage: isRemoved, ...(isRemoved && { imageFile: null }) })
        }
      />
      <GroupPicker
        instanceId={instanceId ?? 0}
        pageSize={PAGE_SIZE}
        value={groupIds}
        onChange={(ids) => form.setFieldValue('groupIds', ids)}
        error={form.getInputProps('groupIds').error}
      />
    </FormPage>
  )
}
