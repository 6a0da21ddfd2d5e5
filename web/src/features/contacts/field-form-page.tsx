import { NativeSelect, TagsInput, TextInput } from '@mantine/core'
import {
  type ContactField,
  ContactFieldChange,
  type ContactFieldType,
  contactFieldTypes,
  NewContactField,
} from '@sendroom/contract/contact-fields'
import { limits } from '@sendroom/contract/limits'
import { useNavigate, useParams } from '@tanstack/react-router'
import { useEffect } from 'react'
import { useTranslation } from 'react-i18next'
import { idOf } from '../../address.ts'
import { useAction } from '../../api/use-action.ts'
import { FormPage } from '../../forms/form-page.tsx'
import { useContactFields } from '../../forms/use-contact-fields.ts'
import { useContractForm } from '../../forms/use-contract-form.ts'
import { LoadFailed } from '../../ui/load-failed.tsx'
import { Loading } from '../../ui/loading.tsx'

type Values = { name: string; key: string; type: ContactFieldType; choices: string[] }

const blank: Values = { name: '', key: '', type: 'text', choices: [] }

/** Changes the field whose id is in the address, or else defines one. */
export function FieldFormPage() {
  const id = idOf(useParams({ strict: false }))
  return id === null ? <NewField /> : <EditField key={id} id={id} />
}

function NewField() {
  const { t } = useTranslation()
  const create = useAction('POST /contact-fields', {
    success: 'CONTACT_FIELD.CREATED',
    failure: 'CONTACT_FIELD.SAVE_FAILED',
  })
  return (
    <FieldForm
      title={t('CONTACT_FIELD_FORM.CREATE_TITLE')}
      schema={NewContactField}
      initialValues={blank}
      save={(body) => create.mutateAsync({ body })}
    />
  )
}

function EditField({ id }: { id: number }) {
  const { data: fields, isError, refetch } = useContactFields()
  const navigate = useNavigate()
  const field = fields?.find((one) => one.id === id)
  const isGone = fields !== undefined && !field
  useEffect(() => {
    if (isGone) navigate({ to: '/settings/fields' })
  }, [isGone, navigate])
  if (field) return <EditLoadedField field={field} />
  return isError ? <LoadFailed retry={refetch} /> : <Loading />
}

function EditLoadedField({ field }: { field: ContactField }) {
  const { t } = useTranslation()
  const update = useAction('PUT /contact-fields/:id', {
    success: 'CONTACT_FIELD.SAVED',
    failure: 'CONTACT_FIELD.SAVE_FAILED',
  })
  const { id, key, type } = field
  return (
    <FieldForm
      title={t('CONTACT_FIELD_FORM.EDIT_TITLE')}
      schema={ContactFieldChange}
      isEdit
      initialValues={{ name: field.name, key, type, choices: field.choices }}
      save={({ name, choices }) => update.mutateAsync({ params: { id }, body: { name, choices } })}
    />
  )
}

type Props = {
  title: string
  schema: typeof NewContactField | typeof ContactFieldChange
  /** Key and type stay as they are. */
  isEdit?: boolean
  initialValues: Values
  save: (values: Values) => Promise<unknown>
}

function FieldForm({ title, schema, isEdit = false, initialValues, save }: Props) {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const toList = () => navigate({ to: '/settings/fields' })
  const { form, onSubmit, change } = useContractForm(schema, { initialValues, send: save, onSent: toList })
  const { type } = form.getValues()
  return (
    <FormPage title={title} isBusy={form.submitting} onSubmit={onSubmit} onCancel={toList}>
      <TextInput
        label={t('CONTACT_FIELD.NAME')}
        required
        autoComplete="off"
        maxLength={limits.contactFieldName}
        {...form.getInputProps('name')}
      />
      <TextInput
        label={t('CONTACT_FIELD.KEY')}
        description={t(isEdit ? 'CONTACT_FIELD_FORM.FIXED' : 'CONTACT_FIELD_FORM.KEY_HINT')}
        required={!isEdit}
        disabled={isEdit}
        autoComplete="off"
        autoCapitalize="none"
        maxLength={limits.contactFieldKey}
        {...form.getInputProps('key')}
      />
      <NativeSelect
        label={t('CONTACT_FIELD.TYPE')}
        description={isEdit && t('CONTACT_FIELD_FORM.FIXED')}
        required={!isEdit}
        disabled={isEdit}
        data={contactFieldTypes.map((value) => ({
          value,
          label: t(`CONTACT_FIELD.TYPE_${value.toUpperCase()}`),
        }))}
        {...form.getInputProps('type')}
        // Only one type has choices. The options are the types.
        onChange={(event) => change({ type: event.currentTarget.value as ContactFieldType, choices: [] })}
      />
      {type === 'choice' && (
        <TagsInput
          label={t('CONTACT_FIELD_FORM.CHOICES')}
          description={t('CONTACT_FIELD_FORM.CHOICES_HINT')}
          required
          maxTags={limits.contactChoices}
          maxLength={limits.contactValue}
          acceptValueOnBlur
          clearable={false}
          {...form.getInputProps('choices')}
        />
      )}
    </FormPage>
  )
}
