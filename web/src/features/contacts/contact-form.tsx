import { TagsInput, Textarea, TextInput } from '@mantine/core'
import type { ContactField } from '@sendroom/contract/contact-fields'
import type { ContactForm as AnyContact, NewContact } from '@sendroom/contract/contacts'
import { limits } from '@sendroom/contract/limits'
import { useTranslation } from 'react-i18next'
import { useRead } from '../../api/queries.ts'
import { FormPage } from '../../forms/form-page.tsx'
import { useContractForm } from '../../forms/use-contract-form.ts'
import type { ContactValues } from './contact-values.ts'
import { NumbersField } from './numbers-field.tsx'
import { ValueField } from './value-field.tsx'

type Props = {
  title: string
  schema: typeof AnyContact | typeof NewContact
  lid?: string | null
  fields: ContactField[]
  initialValues: ContactValues
  save: (values: ContactValues) => Promise<unknown>
  onSaved: () => unknown
  onCancel: () => void
}

export function ContactForm({ title, schema, lid = null, fields, initialValues, ...on }: Props) {
  const { t } = useTranslation()
  const { data } = useRead('GET /tags', {})
  const { form, onSubmit } = useContractForm(schema, {
    initialValues,
    send: on.save,
    onSent: on.onSaved,
  })
  return (
    <FormPage title={title} isBusy={form.submitting} onSubmit={onSubmit} onCancel={on.onCancel}>
      <TextInput
        label={t('CONTACT.NAME')}
        autoComplete="off"
        maxLength={limits.contactName}
        {...form.getInputProps('name')}
      />
      <NumbersField form={form} lid={lid} />
      <TagsInput
        label={t('CONTACT.TAGS')}
        description={t('CONTACT.TAGS_HINT')}
        data={data?.tags.map(({ name }) => name) ?? []}
        maxTags={limits.contactTags}
        maxLength={limits.tagName}
        acceptValueOnBlur
        clearable={false}
        {...form.getInputProps('tags')}
      />
      {fields.map((field) => (
        <ValueField key={field.key} field={field} {...form.getInputProps(`values.${field.key}`)} />
      ))}
      <Textarea
        label={t('CONTACT.NOTE')}
        description={t('CONTACT.NOTE_HINT')}
        autosize
        minRows={3}
        maxRows={12}
        maxLength={limits.contactNote}
        {...form.getInputProps('note')}
      />
    </FormPage>
  )
}
