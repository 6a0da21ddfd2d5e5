import { ApiKeyChange, NewApiKey } from '@sendroom/contract/api-keys'
import { useNavigate, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { idOf } from '../../address.ts'
import { useAction } from '../../api/use-action.ts'
import { useFormData } from '../../forms/use-form-data.ts'
import { Loading } from '../../ui/loading.tsx'
import { ApiKeyForm } from './api-key-form.tsx'
import { NewKey } from './new-key.tsx'

const blank: NewApiKey = { name: '', rights: [], instanceIds: null, addresses: [], days: 365 }

/** Edits the API key whose id is in the address, or else makes one. */
export function ApiKeyFormPage() {
  const id = idOf(useParams({ strict: false }))
  return id === null ? <CreateKey /> : <EditKey key={id} id={id} />
}

function CreateKey() {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const [secret, setSecret] = useState<string | null>(null)
  const create = useAction('POST /api-keys', { failure: 'TOAST.API_KEY_SAVE_FAILED' })
  if (secret !== null) return <NewKey secret={secret} />
  return (
    <ApiKeyForm
      title={t('API_KEY_FORM.CREATE_TITLE')}
      schema={NewApiKey}
      initialValues={blank}
      onCancel={() => navigate({ to: '/api-keys' })}
      save={async (body) => setSecret((await create.mutateAsync({ body })).secret)}
    />
  )
}

function EditKey({ id }: { id: number }) {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const data = useFormData(
    'GET /api-keys/:id',
    { params: { id } },
    { words: 'TOAST.API_KEY_LOAD_FAILED', leaveTo: '/api-keys' },
  )
  const update = useAction('PUT /api-keys/:id', {
    success: 'TOAST.API_KEY_SAVED',
    failure: 'TOAST.API_KEY_SAVE_FAILED',
  })
  if (!data) return <Loading />
  const { name, rights, instances, addresses } = data
  const toList = () => navigate({ to: '/api-keys' })
  return (
    <ApiKeyForm
      title={t('API_KEY_FORM.EDIT_TITLE')}
      isEdit
      schema={ApiKeyChange}
      initialValues={{
        ...blank,
        name,
        rights,
        addresses,
        instanceIds: instances?.map(({ id }) => id) ?? null,
      }}
      onCancel={toList}
      onSaved={toList}
      save={(body) => update.mutateAsync({ params: { id }, body })}
    />
  )
}
