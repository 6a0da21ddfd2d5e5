import { Stack } from '@mantine/core'
import type { Message } from '@sendroom/contract/messages'
import { useNavigate } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { isAdmin, useCurrentUser } from '../../api/session.ts'
import { shownContent, textOf, writtenOf } from '../../forms/content-values.ts'
import { FormPage } from '../../forms/form-page.tsx'
import { GroupPicker } from '../../forms/group-picker.tsx'
import { ImageField } from '../../forms/image-field.tsx'
import { InstanceSelect } from '../../forms/instance-select.tsx'
import { MessageFields } from '../../forms/message-fields.tsx'
import { MessagePreview } from '../../forms/message-preview.tsx'
import { useContractForm } from '../../forms/use-contract-form.ts'
import { useFileUrl } from '../../forms/use-file-url.ts'
import { useMessageFields } from '../../forms/use-message-fields.ts'
import { useTextPreview } from '../../forms/use-text-preview.ts'
import { blank, MessageFormSchema, type MessageValues, valuesOf } from './message-values.ts'
import { TestSend } from './test-send.tsx'

const PAGE_SIZE = 100

type Props = {
  title: string
  /** The saved message; left out for a new one. */
  saved?: Message
  save: (values: MessageValues) => Promise<unknown>
}

export function MessageForm({ title, saved, save }: Props) {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const isWrittenByAdmin = isAdmin(useCurrentUser())
  const toList = () => navigate({ to: '/messages' })
  const { form, onSubmit, change } = useContractForm(MessageFormSchema, {
    initialValues: saved ? valuesOf(saved) : blank,
    send: save,
    onSent: toList,
  })
  const { content, instanceId, groupIds, imageFile, removeImage } = form.values
  const fields = useMessageFields(form, form.values)
  const isShared = instanceId === null && (saved?.isShared ?? isWrittenByAdmin)
  const currentUrl = saved?.imageUrl ?? null
  const fileUrl = useFileUrl(imageFile)
  const keptUrl = removeImage ? null : currentUrl
  const imageUrl = content.kind === 'text' ? (fileUrl ?? keptUrl) : null
  const text = textOf(form.values)
  const forContact = useTextPreview(text, content)
  return (
    <FormPage
      title={title}
      isBusy={form.submitting}
      onSubmit={onSubmit}
      onCancel={toList}
      aside={
        <Stack>
          <MessagePreview
            text={text}
            imageUrl={imageUrl}
            content={shownContent(content)}
            forContact={forContact}
          />
          <TestSend
            message={{
              ...writtenOf(form.values),
              imageFile: content.kind === 'text' ? imageFile : null,
              imageOf: saved && imageUrl !== null && !imageFile ? saved.id : null,
              contactId: forContact?.shown?.contact?.id ?? null,
            }}
            instanceId={instanceId ?? 0}
            isReady={() => !form.validate().hasErrors}
          />
        </Stack>
      }
    >
      <MessageFields
        fields={fields}
        hasImage={imageUrl !== null}
        image={
          <ImageField
            currentUrl={currentUrl}
            file={imageFile}
            fileUrl={fileUrl}
            isRemoved={removeImage}
            isBusy={form.submitting}
            error={form.getInputProps('imageFile').error}
            // Choosing a file and removing the image exclude each other.
            onFile={(file) => change({ imageFile: file, ...(file && { removeImage: false }) })}
            onRefuse={(why) => form.setFieldError('imageFile', why)}
            onRemove={(isRemoved) =>
              change({ removeImage: isRemoved, ...(isRemoved && { imageFile: null }) })
            }
          />
        }
      />
      <InstanceSelect
        pageSize={PAGE_SIZE}
        clearable
        {...(isShared && { description: t('MESSAGE.SHARED_HINT') })}
        {...form.getInputProps('instanceId')}
        value={instanceId ?? 0}
        // Groups belong to an instance, so another instance clears them.
        onChange={(id) => change({ instanceId: id || null, groupIds: [] })}
      />
      <GroupPicker
        key={instanceId}
        instanceId={instanceId ?? 0}
        pageSize={PAGE_SIZE}
        value={groupIds}
        onChange={(ids) => form.setFieldValue('groupIds', ids)}
        error={form.getInputProps('groupIds').error}
      />
    </FormPage>
  )
}
