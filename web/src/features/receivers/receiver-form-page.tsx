import type { ReceiverForm as Values } from '@sendroom/contract/receivers'
import { useNavigate, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { idOf } from '../../address.ts'
import { useRead } from '../../api/queries.ts'
import { useAction } from '../../api/use-action.ts'
import { useRedirectOnFailure } from '../../api/use-redirect-on-failure.ts'
import { Loading } from '../../ui/loading.tsx'
import { NewSecret } from './new-secret.tsx'
import { ReceiverForm } from './receiver-form.tsx'

const blank: Values = {
  name: '',
  url: '',
  topics: ['job', 'trouble'],
  isActive: true,
  allowsOwnNetwork: false,
}

/** Edits the receiver whose id is in the address, or else adds one. */
export function ReceiverFormPage() {
  const id = idOf(useParams({ strict: false }))
  return id === null ? <NewReceiver /> : <EditReceiver key={id} id={id} />
}

function NewReceiver() {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const [created, setCreated] = useState<{ id: number; secret: string } | null>(null)
  const create = useAction('POST /receivers', { failure: 'TOAST.RECEIVER_SAVE_FAILED' })
  if (created) return <NewSecret {...created} />
  return (
    <ReceiverForm
      title={t('RECEIVER_FORM.CREATE_TITLE')}
      initialValues={blank}
      onCancel={() => navigate({ to: '/webhooks' })}
      save={async (body) => {
        const { receiver, secret } = await create.mutateAsync({ body })
        setCreated({ id: receiver.id, secret })
      }}
    />
  )
}

function EditReceiver({ id }: { id: number }) {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const { data, isError } = useRead(
    'GET /receivers/:id',
    { params: { id } },
    { gcTime: 0, staleTime: 'static', meta: { words: 'TOAST.RECEIVER_LOAD_FAILED' } },
  )
  useRedirectOnFailure(isError, '/webhooks')
  const update = useAction('PUT /receivers/:id', {
    success: 'TOAST.RECEIVER_SAVED',
    failure: 'TOAST.RECEIVER_SAVE_FAILED',
  })
  if (!data) return <Loading />
  const { name, url, topics, isActive, allowsOwnNetwork } = data.receiver
  const toReceiver = () => navigate({ to: '/webhooks/$id', params: { id: String(id) } })
  return (
    <ReceiverForm
      title={t('RECEIVER_FORM.EDIT_TITLE')}
      initialValues={{ name, url, topics, isActive, allowsOwnNetwork }}
      onCancel={toReceiver}
      onSaved={toReceiver}
      save={(body) => update.mutateAsync({ params: { id }, body })}
    />
  )
}
