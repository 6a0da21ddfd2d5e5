import type { Message, MessageChange, NewMessage } from '@sendroom/contract/messages'
import type { z } from 'zod'
import type { Caller } from '../../platform/access.ts'
import type { Db, Pool } from '../../platform/database/connection.ts'
import { type ImageStore, keepImage } from '../../platform/images.ts'
import type { UploadedFile } from '../../platform/multipart.ts'
import { InvalidInput, Refusal, seen } from '../../platform/refusal.ts'
import {
  deleteMessages,
  findMessage,
  holdGroups,
  holdInstance,
  insertMessage,
  replaceGroups,
  updateMessage,
} from './messages.queries.ts'

type Parts = { db: Pool; images: ImageStore }

export async function createMessage(
  { db, images }: Parts,
  caller: Caller,
  body: NewMessage,
  file: UploadedFile | null,
): Promise<Message> {
  const imageId = file ? await keepImage(db, images, file.bytes) : null
  return db.begin(async (tx) => {
    const groupIds = await checkPlaces(tx, caller, body)
    const id = await insertMessage(tx, caller, { ...body, imageId })
    await replaceGroups(tx, id, groupIds)
    return seen(await findMessage(tx, caller, id))
  })
}

export async function changeMessage(
  { db, images }: Parts,
  caller: Caller,
  id: number,
  body: z.output<typeof MessageChange>,
  file: UploadedFile | null,
): Promise<Message> {
  seen(await findMessage(db, caller, id))
  const kept = body.removeImage ? null : undefined
  const imageId = file ? await keepImage(db, images, file.bytes) : kept
  return db.begin(async (tx) => {
    const groupIds = await checkPlaces(tx, caller, body)
    if (!(await updateMessage(tx, caller, id, { ...body, imageId }))) throw new Refusal('not_found')
    await replaceGroups(tx, id, groupIds)
    const message = await findMessage(tx, caller, id)
    // Taken off its account, somebody else's message would be out of the caller's sight.
    if (!message) throw new InvalidInput({ instanceId: 'MESSAGE.INSTANCE_INVALID' })
    return message
  })
}

/** The instance and the groups must be the caller's to see; returns the groups, each once. */
async function checkPlaces(tx: Db, caller: Caller, body: NewMessage): Promise<number[]> {
  if (body.instanceId !== null && !(await holdInstance(tx, caller, body.instanceId)))
    throw new InvalidInput({ instanceId: 'MESSAGE.INSTANCE_INVALID' })
  const groupIds = [...new Set(body.groupIds)]
  if ((await holdGroups(tx, caller, { ...body, groupIds })) !== groupIds.length)
    throw new InvalidInput({ groupIds: 'MESSAGE.GROUP_INVALID' })
  return groupIds
}

/** All or none. */
export async function removeMessages(db: Pool, caller: Caller, ids: number[]): Promise<void> {
  const wanted = [...new Set(ids)]
  await db.begin(async (tx) => {
    if ((await deleteMessages(tx, caller, wanted)) !== wanted.length) throw new Refusal('not_found')
  })
}
