import { type MediaKind, requirePlayable } from '../media/kinds.ts'
import { decodeMedia } from '../media/media.ts'
import type { Channel } from '../state/channels.ts'
import type { Draft, Kind, MediaInfo } from '../state/ledger.ts'
import type { State } from '../state/state.ts'
import { mediaIdPattern, mentionPattern } from '../wire/identifiers.ts'
import { booleanOf, type Fields, numberOf, textOf } from '../wire/parameters.ts'
import { Refusal, refuse } from '../wire/refusal.ts'

/** WhatsApp's own limit for one text, in UTF-16 code units. */
const maxTextLength = 65_536
/** WhatsApp's limit for a poll's question, by https://green-api.com/en/docs/api/sending/SendPoll/. */
const maxTitleLength = 255
const daySeconds = 86_400

type Content = Omit<Draft, 'token' | 'source' | 'to' | 'type'>

/**
 * Reads the content of `POST /messages/KIND`. Rejects with a 400, 404, 413 or 415 refusal where WhatsApp would not
 * accept the message.
 */
export async function contentOf(
  state: State,
  channel: Channel,
  kind: Kind,
  fields: Fields,
): Promise<Content> {
  switch (kind) {
    case 'text':
      return { ...readText(fields), ...readMentions(fields) }
    case 'poll':
      return { poll: readPoll(fields) }
    case 'location':
      return { location: readLocation(fields) }
    case 'image':
    case 'video':
      return { ...(await readMedia(state, channel, kind, fields)), ...readMentions(fields) }
    default:
      return readMedia(state, channel, kind, fields)
  }
}

function readText(fields: Fields): Content {
  const body = textOf(fields, 'body')
  if (!body) throw refuse.parameters('body is required')
  if (body.length > maxTextLength) throw new Refusal(413, 'request body too large')
  const link = booleanOf(fields, 'no_link_preview') ? undefined : linkIn(body)
  return { body, ...(link ? { link } : {}) }
}

/** Returns the first link of a text. WhatsApp previews that link unless the send asks for no preview. */
function linkIn(body: string): string | undefined {
  const link = body.match(/https?:\/\/\S+/)?.[0]
  return link && URL.canParse(link) ? link : undefined
}

function readMentions({ mentions }: Fields): Content {
  if (mentions === undefined) return {}
  const isRight =
    Array.isArray(mentions) && mentions.every((one) => typeof one === 'string' && mentionPattern.test(one))
  if (!isRight) throw refuse.parameters('mentions should be numbers')
  return { mentions }
}

/** The OpenAPI file has 2 to 12 options. Third parties report that Whapi refuses duplicates. */
function readPoll(fields: Fields): Content['poll'] {
  const title = textOf(fields, 'title')
  const { options } = fields
  if (!title || title.length > maxTitleLength)
    throw refuse.parameters('title should have 1 to 255 characters')
  if (!Array.isArray(options) || options.length < 2 || options.length > 12)
    throw refuse.parameters('options should have 2 to 12 items')
  if (!options.every((option) => typeof option === 'string' && option.trim() !== ''))
    throw refuse.parameters('options should be texts')
  if (new Set(options).size < options.length) throw refuse.parameters('options should be different')
  const count = numberOf(fields, 'count', 0, 1) ?? 0
  if (!Number.isInteger(count)) throw refuse.parameters('count should be 0 or 1')
  return { title, options, isSingle: count === 1 }
}

function readLocation(fields: Fields): Content['location'] {
  const latitude = numberOf(fields, 'latitude', -90, 90)
  const longitude = numberOf(fields, 'longitude', -180, 180)
  if (latitude === undefined || longitude === undefined)
    throw refuse.parameters('latitude and longitude are required')
  const [name, address] = [textOf(fields, 'name'), textOf(fields, 'address')]
  return { latitude, longitude, ...(name ? { name } : {}), ...(address ? { address } : {}) }
}

async function readMedia(state: State, channel: Channel, kind: MediaKind, fields: Fields): Promise<Content> {
  booleanOf(fields, 'no_encode')
  const hasCaption = kind !== 'audio' && kind !== 'voice'
  const caption = hasCaption ? textOf(fields, 'caption') : undefined
  const fileName = kind === 'document' ? textOf(fields, 'filename') : undefined
  const seconds = hasCaption ? undefined : numberOf(fields, 'seconds', 0, daySeconds)
  const file = await fileOf(state, channel, fields.media)
  requirePlayable(kind, file)
  return {
    ...(hasCaption ? { caption } : {}),
    ...(seconds === undefined ? {} : { seconds }),
    ...state.encoding.encode(channel.token, file, fileName),
  }
}

/** Returns the file of a send. `value` is a media id, a data URI, bare base64 or the file part of a form. */
async function fileOf({ media }: State, channel: Channel, value: unknown): Promise<MediaInfo> {
  if (typeof value === 'string' && mediaIdPattern.test(value)) return media.find(channel.token, value)
  if (!value || !(typeof value === 'string' || Buffer.isBuffer(value)))
    throw refuse.parameters('media is required')
  const bytes = Buffer.isBuffer(value) ? value : decodeMedia(value)
  return media.store(channel.token, [bytes], 'application/octet-stream')
}
