import type { ContactField } from '@sendroom/contract/contact-fields'
import { ContactForm as AnyContact, type Contact, NewContact } from '@sendroom/contract/contacts'
import { useNavigate, useParams } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { idOf } from '../../address.ts'
import { call } from '../../api/client.ts'
import { useAction } from '../../api/use-action.ts'
import { useContactFields } from '../../forms/use-contact-fields.ts'
import { useFormData } from '../../forms/use-form-data.ts'
import { useVersioned } from '../../forms/use-versioned.tsx'
import { LoadFailed } from '../../ui/load-failed.tsx'
import { Loading } from '../../ui/loading.tsx'
import { ContactForm } from './contact-form.tsx'
import { blank, type ContactValues, compareContact, tagChange, valuesOf } from './contact-values.ts'

/** Edits the contact whose id is in the address, or else creates one. */
export function ContactFormPage() {
  const id = idOf(useParams({ strict: false }))
  const { data: fields, isError, refetch } = useContactFields()
  if (!fields) return isError ? <LoadFailed retry={refetch} /> : <Loading />
  return id === null ? <NewContactForm fields={fields} /> : <EditContact key={id} id={id} fields={fields} />
}

type Fields = { fields: ContactField[] }

function NewContactForm({ fields }: Fields) {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const create = useAction('POST /contacts', { success: 'CONTACT.CREATED', failure: 'CONTACT.SAVE_FAILED' }, [
    'tags',
  ])
  const toList = () => navigate({ to: '/contacts' })
  return (
    <ContactForm
      title={t('CONTACT_FORM.CREATE_TITLE')}
      schema={NewContact}
      fields={fields}
      initialValues={blank}
      save={(body) => create.mutateAsync({ body })}
      onSaved={toList}
      onCancel={toList}
    />
  )
}

function EditContact({ id, fields }: { id: number } & Fields) {
  const data = useFormData(
    'GET /contacts/:id',
    { params: { id } },
    { words: 'CONTACT.LOAD_FAILED', leaveTo: '/contacts' },
  )
  return data ? <EditLoadedContact loaded={data} fields={fields} /> : <Loading />
}

function EditLoadedContact({ loaded, fields }: { loaded: Contact } & Fields) {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const params = { id: loaded.id }
  const update = useAction(
    'PUT /contacts/:id',
    { success: 'CONTACT.SAVED', failure: 'CONTACT.SAVE_FAILED' },
    ['tags'],
  )
  const { record, save, dialog } = useVersioned({
    loaded,
    read: () => call('GET /contacts/:id', { params }),
    send: ({ tags, ...values }: ContactValues, version) => {
      const change = tagChange(valuesOf(record).tags, tags)
      return update.mutateAsync({ params, body: { ...values, ...change, version: version.current } })
    },
    compare: compareContact(fields),
  })
  const toContact = () => navigate({ to: '/contacts/$id', params: { id: String(loaded.id) } })
  return (
    <>
      <ContactForm
        key={record.version}
        title={t('CONTACT_FORM.EDIT_TITLE')}
        schema={record.lid === null ? NewContact : AnyContact}
        lid={record.lid}
        fields={fields}
        initialValues={valuesOf(record)}
        save={save}
        onSaved={toContact}
        onCancel={toContact}
      />
      {dialog}
    </>
  )
}
