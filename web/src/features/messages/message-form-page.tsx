import type { Message } from '@sendroom/contract/messages'
import { useParams } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { idOf } from '../../address.ts'
import { call } from '../../api/client.ts'
import { useRead } from '../../api/queries.ts'
import { mayDo, useCurrentUser } from '../../api/session.ts'
import { useAction } from '../../api/use-action.ts'
import { useRedirectOnFailure } from '../../api/use-redirect-on-failure.ts'
import { ContentSummary } from '../../forms/content-summary.tsx'
import { contentOf, textOf } from '../../forms/content-values.ts'
import { type Difference, differenceOf, GroupNames, InstanceNames, sorted } from '../../forms/differences.tsx'
import { ClosedForm } from '../../forms/form-page.tsx'
import { useFormData } from '../../forms/use-form-data.ts'
import { useVersioned, type Version } from '../../forms/use-versioned.tsx'
import { Loading } from '../../ui/loading.tsx'
import { Picture } from '../../ui/picture.tsx'
import { MessageForm } from './message-form.tsx'
import { asJson, asMultipart, changesImage, type MessageValues, valuesOf } from './message-values.ts'
import { MessageView } from './message-view.tsx'
import { whyReadOnly } from './read-only.ts'

/** Edits the message whose id is in the address, or else creates one. Users who may not write messages read it. */
export function MessageFormPage() {
  const { t } = useTranslation()
  const id = idOf(useParams({ strict: false }))
  if (!mayDo('canWriteMessages', useCurrentUser())) {
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
      save={(values) =>
        create.mutateAsync({ body: changesImage(values) ? asMultipart(values) : asJson(values) })
      }
    />
  )
}

function EditMessage({ id }: { id: number }) {
  const { t } = useTranslation()
  const user = useCurrentUser()
  const data = useFormData(
    'GET /messages/:id',
    { params: { id } },
    { words: 'MESSAGE.LOAD_FAILED', leaveTo: '/messages' },
  )
  if (!data) return <Loading />
  const why = whyReadOnly(data, user)
  if (why !== undefined) return <MessageView message={data} reason={t(why)} />
  return <EditLoadedMessage loaded={data} />
}

function EditLoadedMessage({ loaded }: { loaded: Message }) {
  const { t } = useTranslation()
  const { record, save, dialog } = useVersioned({
    loaded,
    read: () => call('GET /messages/:id', { params: { id: loaded.id } }),
    send: useSave(loaded.id),
    compare,
  })
  return (
    <>
      <MessageForm key={record.version} title={t('MESSAGE.EDIT_TITLE')} saved={record} save={save} />
      {dialog}
    </>
  )
}

function compare(mine: MessageValues, message: Message): Difference[] {
  const theirs = valuesOf(message)
  const showInstance = (id: number | null) => <InstanceNames ids={id === null ? [] : [id]} />
  return [
    ...differenceOf('MESSAGE.TEXT', textOf(mine), textOf(theirs)),
    ...differenceOf('MESSAGE.KIND', contentOf(mine.content), contentOf(theirs.content), (content) => (
      <ContentSummary content={content} />
    )),
    ...differenceOf('MESSAGE.INSTANCE', mine.instanceId, theirs.instanceId, showInstance),
    ...imageDifference(mine, message),
    ...groupsDifference(mine, theirs),
  ]
}

function groupsDifference(mine: MessageValues, theirs: MessageValues): Difference[] {
  const [myIds, theirIds] = [sorted(mine.groupIds), sorted(theirs.groupIds)]
  // Another instance has other groups, so only the one whose ids are shown can name them.
  const show = (ids: number[]) => (
    <GroupNames instanceId={(ids === myIds ? mine : theirs).instanceId ?? 0} ids={ids} />
  )
  return differenceOf('FORM.GROUPS', myIds, theirIds, show)
}

/** An image that the user leaves as it is stays theirs, so only a new or a removed one differs. */
function imageDifference(mine: MessageValues, { imageUrl }: Message): Difference[] {
  if (!changesImage(mine)) return []
  const { imageFile } = mine
  const theirs = imageUrl === null ? null : 'theirs'
  return differenceOf('MESSAGE.IMAGE', imageFile?.name ?? null, theirs, (image) => {
    if (image === 'theirs' && imageUrl) return <Picture src={imageUrl} alt="" w={80} h={80} fit="contain" />
    return image ?? '—'
  })
}

function ReadMessage({ id, reason }: { id: number; reason: string }) {
  const { data, isError } = useRead(
    'GET /messages/:id',
    { params: { id } },
    { gcTime: 0, meta: { words: 'MESSAGE.LOAD_FAILED' } },
  )
  useRedirectOnFailure(isError, '/messages')
  return data ? <MessageView message={data} reason={reason} /> : <Loading />
}

/** Uses the multipart endpoint if the image changes, and JSON otherwise. */
function useSave(id: number) {
  const words = { success: 'MESSAGE.UPDATED', failure: 'MESSAGE.UPDATE_FAILED' }
  const update = useAction('PUT /messages/:id', words)
  const updateWithFile = useAction('PUT /messages/:id/with-file', words)
  return (values: MessageValues, { current: version }: Version) =>
    changesImage(values)
      ? updateWithFile.mutateAsync({ params: { id }, body: asMultipart(values, version) })
      : update.mutateAsync({
          params: { id },
          // Without a content the message keeps the one that somebody else may have given it meanwhile.
          body: { content: null, ...asJson(values), removeImage: false, version },
        })
}
