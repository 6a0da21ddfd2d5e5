import { limits } from '@sendroom/contract/limits'
import type { Message, MessageChange, NewMessage } from '@sendroom/contract/messages'
import type { z } from 'zod'
import { type Begin, type Caller, lockInstanceForShare } from '../../platform/access.ts'
import { type Entry, record } from '../../platform/audit.ts'
import type { Db, Pool, Tx } from '../../platform/database/connection.ts'
import type { Upload, Uploads } from '../../platform/images/uploads.ts'
import { type ContentColumns, noContent, storeContent, textWith } from '../../platform/message-content.ts'
import { readTemplate } from '../../platform/personal-texts.ts'
import { requireRoomInMessage } from '../../platform/quotas.ts'
import { InvalidInput, orNotFound, Refusal, requireVersion } from '../../platform/refusal.ts'
import { refuseIfInSeries } from '../../platform/series.ts'
import {
  countAccess,
  deleteMessages,
  findAuthor,
  findMessage,
  insertMessage,
  lockGroupsForShare,
  replaceGroups,
  updateMessage,
} from './messages.queries.ts'

type Deps = { db: Pool; uploads: Uploads }

export async function createMessage(
  { uploads }: Deps,
  begin: Begin,
  body: NewMessage,
  image: Upload | null,
): Promise<Message> {
  const imageId = image ? await uploads.store(image) : null
  return begin((tx, caller) => writeMessage(tx, caller, { ...body, imageId }))
}

/** Writes a new message in the caller's transaction. */
export async function writeMessage(
  tx: Tx,
  caller: Caller,
  message: NewMessage & { imageId: number | null },
): Promise<Message> {
  await readTemplate(tx, message.textContent, 'textContent')
  const groupIds = await lockReferences(tx, caller, message)
  const stored = message.imageId === null ? await storeContent(tx, caller, message.content) : noContent
  await requireRoomInMessage(tx, caller.id, { ...message, ...stored })
  const textContent = textWith(message.textContent, stored.content)
  const id = await insertMessage(tx, caller, { ...message, ...stored, textContent })
  await replaceGroups(tx, id, groupIds)
  const written = orNotFound(await findMessage(tx, caller, id))
  await record(tx, caller, entryOf('message.create', written))
  return written
}

export async function changeMessage(
  { db, uploads }: Deps,
  begin: Begin,
  caller: Caller,
  id: number,
  body: z.output<typeof MessageChange>,
  image: Upload | null,
): Promise<Message> {
  await requireChangeable(db, caller, [id])
  const kept = body.removeImage ? null : undefined
  const imageId = image ? await uploads.store(image) : kept
  return begin(async (tx, caller) => {
    const groupIds = await lockReferences(tx, caller, body)
    const before = await findMessage(tx, caller, id)
    // A text from before may have any braces, as long as nobody edits it.
    const isAsBefore = before?.textContent === body.textContent && !before.hasVariables
    if (!isAsBefore) await readTemplate(tx, body.textContent, 'textContent')
    const replaced = await readReplaced(tx, caller, body, imageId)
    await requireRoomOfAuthor(tx, caller, id, replaced)
    const textContent = textWith(body.textContent, replaced.content ?? null)
    if (
      before?.content?.kind === 'poll' &&
      body.content === undefined &&
      textContent.length > limits.pollQuestion
    )
      throw new InvalidInput({ textContent: 'MESSAGE.QUESTION_TOO_LONG' })
    const { instanceId } = body
    const columns = { textContent, instanceId, ...replaced }
    requireVersion(body.version, orNotFound(await updateMessage(tx, caller, id, columns)))
    await replaceGroups(tx, id, groupIds)
    // Without its instance, the message is only for its author and Admins to change. The caller must not lose it.
    if ((await countAccess(tx, caller, [id])).changeable === 0)
      throw new InvalidInput({ instanceId: 'MESSAGE.INSTANCE_INVALID' })
    const message = orNotFound(await findMessage(tx, caller, id))
    await record(tx, caller, entryOf('message.update', message, before))
    return message
  })
}

/** An image or file counts for the author of the message, who can always delete it, and not for whoever changes it. */
async function requireRoomOfAuthor(tx: Db, caller: Caller, id: number, replaced: Replaced): Promise<void> {
  const author = await findAuthor(tx, caller, id)
  if (!author) return
  await requireRoomInMessage(tx, author.id, replaced).catch((error) => {
    if (!(error instanceof Refusal) || author.id === caller.id) throw error
    throw new Refusal('quota_images_of_author', { ...error.params, user: author.name })
  })
}

type Replaced = Partial<ContentColumns & { imageId: number | null }>

/** The image or content after the change, as far as that differs. A new image goes before another content. */
async function readReplaced(
  tx: Db,
  caller: Caller,
  { content }: z.output<typeof MessageChange>,
  imageId: number | null | undefined,
): Promise<Replaced> {
  if (typeof imageId === 'number') return { imageId, ...noContent }
  if (content) return { imageId: null, ...(await storeContent(tx, caller, content)) }
  return { ...(imageId === null && { imageId }), ...(content === null && noContent) }
}

/** Throws unless the caller sees all of the messages and may change them. */
async function requireChangeable(db: Db, caller: Caller, ids: number[]): Promise<void> {
  const { visible, changeable } = await countAccess(db, caller, ids)
  if (visible < ids.length) throw new Refusal('not_found')
  if (changeable < ids.length) throw new Refusal('forbidden')
}

/** Throws unless the caller sees the instance and the groups. Returns the ids of the groups, each once. */
async function lockReferences(tx: Db, caller: Caller, body: NewMessage): Promise<number[]> {
  if (body.instanceId !== null && !(await lockInstanceForShare(tx, caller, body.instanceId)))
    throw new InvalidInput({ instanceId: 'MESSAGE.INSTANCE_INVALID' })
  const groupIds = [...new Set(body.groupIds)]
  if ((await lockGroupsForShare(tx, caller, { ...body, groupIds })) !== groupIds.length)
    throw new InvalidInput({ groupIds: 'MESSAGE.GROUP_INVALID' })
  return groupIds
}

/** Deletes all of the messages, or none if the caller may not change one of them. */
export async function removeMessages(begin: Begin, ids: number[]): Promise<void> {
  const wanted = [...new Set(ids)]
  await begin(async (tx, caller) => {
    await requireChangeable(tx, caller, wanted)
    await refuseIfInSeries(tx, 'messages', wanted)
    const deleted = await deleteMessages(tx, caller, wanted)
    if (deleted.length !== wanted.length) throw new Refusal('not_found')
    await record(tx, caller, ...deleted.map((message) => entryOf('message.delete', message)))
  })
}

type Recorded = Pick<Message, 'id' | 'textContent' | 'imageUrl' | 'content' | 'instanceName'>

function entryOf(action: Entry['action'], message: Recorded, before?: Recorded | null): Entry {
  const { id, textContent: text, imageUrl: image, content, instanceName: instance } = message
  const formerText = before && before.textContent !== text ? before.textContent : undefined
  return {
    action,
    object: { type: 'message', id, name: [...text].slice(0, limits.titleLength).join('') },
    details: { text, formerText, image, content: content ?? undefined, instance },
  }
}
