import { captionOf, hasCaption } from '@sendroom/contract/captions'
import type { FileKind, StoredFile } from '@sendroom/contract/files'
import type { MessageContent, NewContent } from '@sendroom/contract/message-content'
import { escapeText } from '@sendroom/contract/personal-text'

export const messageKinds = ['text', 'video', 'document', 'audio', 'voice', 'poll', 'location'] as const
/** A text may have an image. */
export type Kind = (typeof messageKinds)[number]

/** An uploaded file. Of the file of a saved message nobody knows what else it can be sent as. */
export type ChosenFile = Pick<StoredFile, 'name' | 'mimeType' | 'size' | 'seconds' | 'whyNot'> & {
  kinds: FileKind[] | null
}

/** A content as a form keeps it. The fields of other kinds stay while they are not shown. */
export type ContentValues = {
  kind: Kind
  file: ChosenFile | null
  fileName: string
  options: string[]
  allowsSeveral: boolean
  /** As it was typed, as is the longitude. */
  latitude: string
  longitude: string
  address: string
}

/** A message as a form keeps it. */
export type WrittenValues = { textContent: string; content: ContentValues }

export const blankContent: ContentValues = {
  kind: 'text',
  file: null,
  fileName: '',
  options: ['', ''],
  allowsSeveral: false,
  latitude: '',
  longitude: '',
  address: '',
}

export const isFileKind = (kind: Kind): kind is FileKind =>
  kind !== 'text' && kind !== 'poll' && kind !== 'location'

export const canBe = (kind: FileKind, { kinds }: ChosenFile) => kinds === null || kinds.includes(kind)

/** The values of a saved message. Braces of a text from before are no variables, and are shown so. */
export function writtenValuesOf(message: {
  textContent: string
  hasVariables: boolean
  content: MessageContent | null
}): WrittenValues {
  const { content, hasVariables } = message
  const text = captionOf(message)
  return {
    textContent: hasVariables ? text : escapeText(text),
    content: content ? contentValuesOf(content) : blankContent,
  }
}

function contentValuesOf(content: MessageContent): ContentValues {
  if (content.kind === 'poll') return { ...blankContent, ...content }
  if (content.kind === 'location') {
    const { latitude, longitude } = content
    return { ...blankContent, ...content, latitude: String(latitude), longitude: String(longitude) }
  }
  const { kind, file: name, fileName, ...facts } = content
  return { ...blankContent, kind, fileName, file: { name, ...facts, kinds: null, whyNot: null } }
}

/** The message as the server takes it. The form's schema finds what is missing. */
export function writtenOf({ textContent, content }: WrittenValues) {
  const sent = contentOf(content)
  return { textContent: textOf({ textContent, content }), ...(sent && { content: sent }) }
}

/** The text of the chosen kind: none if people would not see one. */
export const textOf = ({ textContent, content: { kind } }: WrittenValues) =>
  hasCaption(kind) ? textContent : ''

/** For previews of the text: the question of a poll can have fewer characters. */
export const pollOf = ({ kind }: { kind: string }) => (kind === 'poll' ? { isPoll: true } : {})

export function contentOf(values: ContentValues): NewContent | null {
  const { kind, file, fileName, options, allowsSeveral, address } = values
  if (kind === 'text') return null
  if (kind === 'poll') return { kind, options, allowsSeveral }
  if (kind === 'location') return { kind, ...placeOf(values), address }
  // Without a file the schema refuses. The field says why this file can't be sent as this kind.
  return { kind, file: file && canBe(kind, file) ? file.name : '', fileName }
}

/** The content as the preview shows it, as far as it is there. */
export function shownContent(values: ContentValues): MessageContent | null {
  const { kind, file, fileName } = values
  if (isFileKind(kind)) {
    if (!file) return null
    const { name, mimeType, size, seconds } = file
    return { kind, file: name, fileName, mimeType, size, seconds }
  }
  if (kind === 'text') return null
  if (kind === 'location') return { kind, ...placeOf(values), address: values.address }
  const options = values.options.filter((option) => option.trim() !== '')
  return options.length === 0 ? null : { kind, options, allowsSeveral: values.allowsSeveral }
}

const placeOf = ({ latitude, longitude }: ContentValues) => ({
  latitude: coordinateOf(latitude),
  longitude: coordinateOf(longitude),
})

/** Not a number while nothing is typed, although JavaScript takes an empty text as 0. */
const coordinateOf = (typed: string) =>
  typed.trim() === '' ? Number.NaN : Number(typed.trim().replace(',', '.'))
