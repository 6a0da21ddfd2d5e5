import type { Message } from '@sendroom/contract/messages'
import { escapeText } from '@sendroom/contract/personal-text'

/** The values of the message form. */
export type MessageValues = {
  textContent: string
  instanceId: number | null
  groupIds: number[]
  imageFile: File | null
  removeImage: boolean
}

export const blank: MessageValues = {
  textContent: '',
  instanceId: null,
  groupIds: [],
  imageFile: null,
  removeImage: false,
}

/** Braces of a text from before are no variables, and are shown so. */
export const valuesOf = ({
  textContent,
  hasVariables,
  instanceId,
  assignedGroups,
}: Message): MessageValues => ({
  ...blank,
  textContent: hasVariables ? textContent : escapeText(textContent),
  instanceId,
  groupIds: assignedGroups.map((group) => group.id),
})

export const asJson = ({ textContent, instanceId, groupIds }: MessageValues) => ({
  textContent,
  instanceId,
  groupIds,
})

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
