import { type Message, NewMessage } from '@sendroom/contract/messages'
import { z } from 'zod'
import { blankContent, type WrittenValues, writtenOf, writtenValuesOf } from '../../forms/content-values.ts'

/** The values of the message form. */
export type MessageValues = WrittenValues & {
  instanceId: number | null
  groupIds: number[]
  imageFile: File | null
  removeImage: boolean
}

export const blank: MessageValues = {
  textContent: '',
  content: blankContent,
  instanceId: null,
  groupIds: [],
  imageFile: null,
  removeImage: false,
}

export const valuesOf = (message: Message): MessageValues => ({
  ...blank,
  ...writtenValuesOf(message),
  instanceId: message.instanceId,
  groupIds: message.assignedGroups.map((group) => group.id),
})

export const asJson = ({ instanceId, groupIds, ...written }: MessageValues) => ({
  ...writtenOf(written),
  instanceId,
  groupIds,
})

/** Whether the message is saved as a form: with a new image, or without the one that it had. */
export const changesImage = ({ content, imageFile, removeImage }: MessageValues) =>
  content.kind === 'text' && (imageFile !== null || removeImage)

export function asMultipart(values: MessageValues, version?: number) {
  const { textContent, instanceId, groupIds, imageFile, removeImage } = values
  const form = new FormData()
  if (version !== undefined) form.set('version', String(version))
  form.set('textContent', textContent)
  if (instanceId !== null) form.set('instanceId', String(instanceId))
  for (const id of groupIds) form.append('groupIds', String(id))
  if (removeImage) form.set('removeImage', 'true')
  if (imageFile) form.set('imageFile', imageFile)
  return form
}

export const MessageFormSchema = z.preprocess((values) => asJson(values as MessageValues), NewMessage)
