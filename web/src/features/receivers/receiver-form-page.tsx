import type { ReceiverForm as Values } from '@sendroom/contract/receivers'
import { useNavigate, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { idOf } from '../../address.ts'
import { useAction } from '../../api/use-action.ts'
import { useFormData } from '../../forms/use-form-data.ts'
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
      onCancel={() => navigate({ to: '/settings/webhooks' })}
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
  const data = useFormData(
    'GET /receivers/:id',
    { params: { id } },
    { words: 'TOAST.RECEIVER_LOAD_FAILED', leaveTo: '/settings/webhooks' },
  )
  const update = useAction('PUT /receivers/:id', {
    success: 'TOAST.RECEIVER_SAVED',
    failure: 'TOAST.RECEIVER_SAVE_FAILED',
  })
  if (!data) return <Loading />
  const { name, url, topics, isActive, allowsOwnNetwork } = data.receiver
  const toReceiver = () => navigate({ to: '/settings/webhooks/$id', params: { id: String(id) } })
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
