import type { OutgoingContent, OutgoingMessage, OwnMessage, PollResults } from './content.ts'
import { bodyOf, type Fields, fieldsOf, listOf, numberOf, personIdOf, textOf } from './whapi-wire.ts'

/**
 * Returns the body of `POST /messages/KIND`. Fields without a value are left out: another gateway took a false
 * `mentionsEveryOne` for true (https://github.com/evolution-foundation/evolution-api/issues/2431).
 * Field names are those of the OpenAPI file 1.8.7, which gives mentions only to text, image and video.
 */
export function sendBody(to: string, { content, mentions = [] }: OutgoingMessage): Fields {
  const canMention = content.kind === 'text' || content.kind === 'image' || content.kind === 'video'
  return { to, ...contentFields(content), ...(canMention && mentions.length > 0 ? { mentions } : {}) }
}

function contentFields(content: OutgoingContent): Fields {
  switch (content.kind) {
    case 'text':
      return { body: content.text }
    case 'image':
      // WhatsApp takes JPEG and PNG, we also WebP and GIF, so the provider encodes images. Look-ups go by the caption.
      // https://docs.aws.amazon.com/social-messaging/latest/userguide/supported-media-types.html
      return { media: content.mediaId, ...filled({ caption: content.caption }) }
    case 'video':
      return { ...asUploaded(content), ...filled({ caption: content.caption }) }
    case 'document':
      return { ...asUploaded(content), filename: content.fileName, ...filled({ caption: content.caption }) }
    case 'audio':
      return { ...asUploaded(content), ...filled({ seconds: wholeSeconds(content.seconds) }) }
    case 'voice':
      // With another type, phones show a music file.
      return {
        ...asUploaded(content),
        mime_type: 'audio/ogg; codecs=opus',
        ...filled({ seconds: wholeSeconds(content.seconds) }),
      }
    case 'poll':
      // 0 allows any number of answers.
      return { title: content.question, options: content.options, count: content.allowsSeveral ? 0 : 1 }
    case 'location': {
      const { latitude, longitude, name, address } = content
      return { latitude, longitude, ...filled({ name, address }) }
    }
  }
}

/** Without `no_encode` the provider encodes the file again, and a look-up can't recognise it by its hash. */
const asUploaded = ({ mediaId }: { mediaId: string }) => ({ media: mediaId, no_encode: true })

const wholeSeconds = (seconds: number | null) => seconds && Math.max(1, Math.round(seconds))

const filled = (fields: Fields): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => Boolean(value)))

/** Parses a message that we have sent. Null for anything else. */
export function ownMessageOf(fields: Fields): OwnMessage | null {
  const { id, chat_id, from_me, timestamp, source } = fields
  const time = numberOf(timestamp)
  if (!textOf(id) || from_me === false || time === null) return null
  return {
    id: textOf(id),
    chatId: textOf(chat_id),
    ...contentOf(fields),
    timestamp: time,
    fromPhone: source === 'mobile' || source === 'web',
  }
}

type Content = Pick<OwnMessage, 'kind' | 'text' | 'options' | 'location' | 'media'>

const kinds = new Map<string, OwnMessage['kind']>([
  ['text', 'text'],
  ['link_preview', 'text'],
  ['image', 'image'],
  ['gif', 'image'],
  ['video', 'video'],
  ['document', 'document'],
  ['documentWithCaption', 'document'],
  ['audio', 'audio'],
  ['voice', 'voice'],
  ['poll', 'poll'],
  ['location', 'location'],
])

function contentOf(fields: Fields): Content {
  const kind = kinds.get(textOf(fields.type)) ?? 'other'
  const none = { kind, text: textOf(bodyOf(fields)), options: [], location: null, media: null }
  // The content lies under its type, but that of a `documentWithCaption` under `document`.
  const content = fieldsOf(fields[textOf(fields.type)] ?? fields[kind])
  switch (kind) {
    case 'text':
    case 'other':
      return none
    case 'poll':
      return { ...none, text: textOf(content.title), options: textsOf(content.options) }
    case 'location':
      return { ...none, location: placeOf(content) }
    default:
      return { ...none, text: textOf(content.caption), media: mediaOf(content) }
  }
}

const textsOf = (value: unknown): string[] => (Array.isArray(value) ? value.map(textOf) : [])

function placeOf({ latitude, longitude }: Fields): OwnMessage['location'] {
  const place = { latitude: numberOf(latitude), longitude: numberOf(longitude) }
  return place.latitude === null || place.longitude === null
    ? null
    : { latitude: place.latitude, longitude: place.longitude }
}

/** `filename` is the name of the field in a send, `file_name` that in an answer. Accept both. */
const mediaOf = ({ sha256, file_size, file_name, filename }: Fields): OwnMessage['media'] => ({
  sha256: hexOf(sha256),
  size: numberOf(file_size),
  fileName: textOf(file_name) || textOf(filename) || null,
})

/** The OpenAPI file does not say how `sha256` is written. WhatsApp itself uses base64. Accept hex and base64. */
function hexOf(sha256: unknown): string | null {
  const text = textOf(sha256)
  if (/^[0-9a-f]{64}$/i.test(text)) return text.toLowerCase()
  const bytes = /^[\w+/-]{43}=?$/.test(text) ? Buffer.from(text, 'base64') : null
  return bytes?.length === 32 ? bytes.toString('hex') : null
}

/** Bounds what a webhook call can make us store. WhatsApp has 12 options, of 100 characters. */
const maxOptions = 12
const maxLength = 200

/** Parses the results of our poll from its message. Null for anything else, such as a poll of somebody else. */
export function pollResultsOf({ id, from_me, poll }: Fields): PollResults | null {
  const { results } = fieldsOf(poll)
  const providerMessageId = textOf(id)
  if (!providerMessageId || providerMessageId.length > maxLength || from_me === false) return null
  if (!Array.isArray(results)) return null
  return { providerMessageId, options: listOf(results).slice(0, maxOptions).map(optionOf) }
}

function optionOf({ name, count, voters }: Fields): PollResults['options'][number] {
  const ids = (Array.isArray(voters) ? voters : []).map(personIdOf)
  const known = [...new Set(ids.filter((id) => id !== '' && id.length <= maxLength))]
  const votes = numberOf(count)
  return {
    // PostgreSQL rejects NUL and half an emoji.
    name: textOf(name).replaceAll('\0', '').slice(0, maxLength).toWellFormed(),
    count: votes !== null && Number.isInteger(votes) && votes >= 0 ? votes : known.length,
    voters: known,
  }
}
