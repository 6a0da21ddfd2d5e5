import { captionOf } from '@sendroom/contract/captions'
import { isChannel } from '@sendroom/contract/channels'
import { limits } from '@sendroom/contract/limits'
import type { OwnMessage } from '../../providers/provider.ts'
import type { JobContent } from './job-content.ts'

/*
 * By what a message is recognised in a chat. A text, a caption, a question with its options and a place stay what they
 * were. A file without a caption has only its hash, or its name and size, which the provider may have changed: see
 * `isEvidenceCertain`.
 */

type Sent = JobContent & { text: string }

/** A key of each message that may be a job's in a form that is not recognised. */
export const ANY_BUT_TEXT = 'any but text'

/** The keys of a message that the provider lists. It is a job's message if they share one. */
export const contentKeys = (message: OwnMessage): string[] => {
  const { kind, text, options, location, media } = message
  if (kind === 'poll') return [pollKey(text, options)]
  if (kind === 'location') return location ? placeKeys(location) : []
  const isSilent = text.trim() === ''
  if (!media || kind === 'image') return [textKey(kind, text)]
  // Some lists give a document without a caption its name.
  const mayBeName = isSilent || text === media.fileName
  return [...(isSilent ? [] : [textKey(kind, text)]), ...(mayBeName ? fileKeys(kind, media) : [])]
}

/** The keys of a job's messages, for a recipient with this text. */
export function contentKeysOfJob(job: Sent): string[] {
  const { content, text, file } = job
  if (content?.kind === 'poll') return [pollKey(text, content.options)]
  if (content?.kind === 'location') return [placeKey(content)]
  if (content && file && captionOf({ textContent: text, content }) === '')
    return fileKeys(content.kind, {
      ...file,
      fileName: content.kind === 'document' ? content.fileName : null,
    })
  return [textKey(kindOf(job), text)]
}

/** The beginning that the keys of all recipients' messages of a job with variables share. */
export const keyBeginning = (job: JobContent) => `${kindOf(job)} `

/** Whether the provider lists the message with the same content. */
export function isSameMessage(job: Sent, message: OwnMessage): boolean {
  const keys = new Set(contentKeysOfJob(job))
  return contentKeys(message).some((key) => keys.has(key))
}

/**
 * Whether a chat in which a message is not found does not have it. A file without a caption may be there in another
 * form, a long caption or question may be cut off, and the list of a channel may leave messages out. Then an empty
 * look-up proves nothing.
 */
export const isEvidenceCertain = ({
  content,
  hasImage,
  text,
  chatId,
}: Pick<Sent, 'content' | 'hasImage' | 'text'> & { chatId: string }) =>
  !isChannel(chatId) &&
  !(content && 'fileName' in content && captionOf({ textContent: text, content }) === '') &&
  text.length <= certainLength({ content, hasImage })

/** WhatsApp publishes these limits, and says not what becomes of a longer text. */
const certainLength = ({ content, hasImage }: Pick<Sent, 'content' | 'hasImage'>) =>
  content?.kind === 'poll'
    ? limits.pollQuestion
    : content || hasImage
      ? limits.caption
      : Number.POSITIVE_INFINITY

const kindOf = ({ content, hasImage }: JobContent): OwnMessage['kind'] =>
  content?.kind ?? (hasImage ? 'image' : 'text')

/** WhatsApp may change line ends and outer blanks. */
const textKey = (kind: string, text: string) => `${kind} ${text.replaceAll('\r\n', '\n').trim()}`

const pollKey = (question: string, options: string[]) =>
  textKey('poll', [question.trim(), ...options].join('\n'))

type Place = { latitude: number; longitude: number }

/** To about a metre. */
const GRID = 100_000
const placeKey = ({ latitude, longitude }: Place) =>
  `location ${Math.round(latitude * GRID)} ${eastOf(Math.round(longitude * GRID))}`

/** A meridian has two names, 180 and -180, and a provider may list the one that was not sent. */
const eastOf = (longitude: number) => (longitude <= -180 * GRID ? longitude + 360 * GRID : longitude)

/** The keys of all places that a listed one may have been: the provider may have rounded it, up or down. */
const placeKeys = ({ latitude, longitude }: Place) =>
  around(latitude).flatMap((north) => around(longitude).map((east) => `location ${north} ${eastOf(east)}`))

const around = (degrees: number) => [...new Set([Math.floor(degrees * GRID), Math.ceil(degrees * GRID)])]

function fileKeys(kind: string, { sha256, size, fileName }: NonNullable<OwnMessage['media']>): string[] {
  return [
    ...(sha256 ? [`${kind} sha256 ${sha256}`] : []),
    ...(size !== null && fileName ? [`${kind} ${size} ${fileName}`] : []),
  ]
}
