import { MessageChange, NewMessage } from '@sendroom/contract/messages'
import { useParams } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { useRead } from '../../api/queries.ts'
import { mayDo, useCurrentUser } from '../../api/session.ts'
import { useAction } from '../../api/use-action.ts'
import { useRedirectOnFailure } from '../../api/use-redirect-on-failure.ts'
import { ClosedForm } from '../../forms/form-page.tsx'
import { idOf, paths } from '../../paths.ts'
import { Loading } from '../../ui/loading.tsx'
import { MessageForm } from './message-form.tsx'
import { asJson, asMultipart, type MessageValues } from './message-values.ts'
import { MessageView } from './message-view.tsx'
import { whyReadOnly } from './read-only.ts'

/** Edits the message whose id is in the address, or else creates one. Users who may not write messages read it. */
export function MessageFormPage() {
  const { t } = useTranslation()
  const id = idOf(useParams({ strict: false }))
  if (!mayDo('canSendMessages', useCurrentUser())) {
    const reason = t('MESSAGE.NOT_ALLOWED')
    if (id === null) return <ClosedForm title={t('MESSAGE.CREATE_TITLE')} reason={reason} />
    return <ReadMessage key={id} id={id} reason={reason} />
  }
  return id === null ? <NewMessageForm /> : <EditMessage key={id} id={id} />
}

function NewMessageForm() {
  const { t } = useTranslation()
  const create = useAction('POST /messages', {
    success: 'MESSAGE.CREATED',
    failure: 'MESSAGE.CREATE_FAILED',
  })
  return (
    <MessageForm
      title={t('MESSAGE.CREATE_TITLE')}
      schema={NewMessage}
      save={(values) => create.mutateAsync({ body: values.imageFile ? asMultipart(values) : asJson(values) })}
    />
  )
}

function EditMessage({ id }: { id: number }) {
  const { t } = useTranslation()
  const user = useCurrentUser()
  const { data, isError } = useRead(
    'GET /messages/:id',
    { params: { id } },
    { gcTime: 0, staleTime: 'static', meta: { words: 'MESSAGE.LOAD_FAILED' } },
  )
  const save = useSave(id)
  useRedirectOnFailure(isError, paths.messages)
  if (!data) return <Loading />
  const why = whyReadOnly(data, user)
  if (why !== undefined) return <MessageView message={data} reason={t(why)} />
  return <MessageForm title={t('MESSAGE.EDIT_TITLE')} schema={MessageChange} saved={data} save={save} />
}

function ReadMessage({ id, reason }: { id: number; reason: string }) {
  const { data, isError } = useRead(
    'GET /messages/:id',
    { params: { id } },
    { gcTime: 0, meta: { words: 'MESSAGE.LOAD_FAILED' } },
  )
  useRedirectOnFailure(isError, paths.messages)
  return data ? <MessageView message={data} reason={reason} /> : <Loading />
}

/** Uses the multipart endpoint if the image changes, and JSON otherwise. */
function useSave(id: number) {
  const words = { success: 'MESSAGE.UPDATED', failure: 'MESSAGE.UPDATE_FAILED' }
  const update = useAction('PUT /messages/:id', words)
  const updateWithFile = useAction('PUT /messages/:id/with-file', words)
  return (values: MessageValues) =>
    values.imageFile || values.removeImage
      ? updateWithFile.mutateAsync({ params: { id }, body: asMultipart(values) })
      : update.mutateAsync({ params: { id }, body: { ...asJson(values), removeImage: false } })
}
