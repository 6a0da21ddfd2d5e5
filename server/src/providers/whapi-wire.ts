import type { InstanceStatus } from '@sendroom/contract/instance-status'
import type { AccountState, OwnMessage, ProviderGroup } from './provider.ts'
import type { Answer } from './whapi-http.ts'

/*
 * What Whapi's answers say. It is read tolerantly: unknown fields and values are passed over, and fields that the
 * documents promise may be missing, as has been seen live.
 */

export type Fields = Record<string, unknown>

export const fieldsOf = (value: unknown): Fields =>
  typeof value === 'object' && value !== null ? (value as Fields) : {} // any object can be read by key
export const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')
const numberOf = (value: unknown): number | null =>
  typeof value === 'number' && Number.isFinite(value) ? value : null
export const listOf = (value: unknown): Fields[] => (Array.isArray(value) ? value.map(fieldsOf) : [])

/**
 * What an error answer says, in at most 200 clean characters; empty where it says nothing. The body may be nested
 * (`error.message`, as documented), flat (`error`, seen live), or a gateway's text or page.
 */
export function errorWords({ json, text }: Answer): string {
  const body = fieldsOf(json)
  const error = fieldsOf(body.error)
  const words = textOf(error.message) || textOf(body.error) || textOf(body.message)
  const all = words
    ? [words, textOf(error.details)].filter(Boolean).join(': ')
    : json === undefined
      ? text
      : ''
  return (
    all
      .replace(/<(style|script|head)\b[\s\S]*?<\/\1>|<[^>]*>/gi, ' ')
      .replace(/[\s\p{Cc}]+/gu, ' ')
      .trim()
      .slice(0, 200)
      // The cut may go through an emoji, and the database's JSON takes no half of one.
      .toWellFormed()
  )
}

/** How long a `Retry-After` asks to wait (seconds or an HTTP date, by the server's clock); null without one. */
export function retryAfterMs({ headers }: Answer): number | null {
  const asked = textOf(headers['retry-after']).trim()
  if (!asked) return null
  const ms = /^\d+$/.test(asked)
    ? Number(asked) * 1000
    : Date.parse(asked) - (serverTime(headers) ?? Date.now())
  return Number.isFinite(ms) ? Math.max(0, ms) : null
}

/** The server's clock when it answered, in ms; null without a Date header. */
export function serverTime(headers: Answer['headers']): number | null {
  const time = Date.parse(textOf(headers.date))
  return Number.isNaN(time) ? null : time
}

/** `sent` null: it is not an answer to a send. */
export function sentMessage(json: unknown): { sent: boolean | null; id: string } {
  const { sent, message } = fieldsOf(json)
  return { sent: typeof sent === 'boolean' ? sent : null, id: textOf(fieldsOf(message).id) }
}

/** The id of an upload; null also for the placeholder `media_init` that is sometimes given instead. */
export function mediaIdOf(json: unknown): string | null {
  const id = textOf(listOf(fieldsOf(json).media)[0]?.id)
  return /^[a-zA-Z0-9]+-[0-9a-fA-F-]+$/.test(id) ? id : null
}

/** By the text: the numeric codes are not all known. STOP is a channel whose time has run out. */
const statusOfState: Record<string, InstanceStatus> = {
  AUTH: 'Connected',
  QR: 'NeedsLogin',
  NOT_INIT: 'Connecting',
  INIT: 'Connecting',
  LAUNCH: 'Connecting',
  SYNC_ERROR: 'Degraded',
  ERROR: 'Disconnected',
  STOP: 'Unpaid',
}

/** Null for what is no health answer. */
export function accountState(json: unknown): AccountState | null {
  const { status, user } = fieldsOf(json)
  if (status === undefined) return null
  const known = statusOfState[textOf(fieldsOf(status).text)] ?? 'Unknown'
  const number = textOf(fieldsOf(user).id).match(/^\d+/)?.[0]
  return { status: known, linkedNumber: number ?? null }
}

/** Newer than the provider's documents, as others have seen it: what does not say so is no restriction. */
export function restrictionOf(json: unknown): { until: string | null } | null {
  const { is_restricted, restricted_until } = fieldsOf(json)
  if (is_restricted !== true) return null
  const seconds = numberOf(restricted_until)
  // What no date can hold is no time.
  return {
    until: seconds !== null && Math.abs(seconds) < 1e11 ? new Date(seconds * 1000).toISOString() : null,
  }
}

/** The channel's id in the answer of a health call; it names the channel to the partner's API. */
export const channelIdOf = (json: unknown): string | null => textOf(fieldsOf(json).channel_id) || null

/** `activeTill` of a channel at the partner's API: milliseconds, unlike the times of the channels themselves. */
export function termEndOf(json: unknown): string | null {
  const end = numberOf(fieldsOf(json).activeTill)
  return end !== null && end > 0 && end < 1e14 ? new Date(end).toISOString() : null
}

/** The QR code as a data URI, whether or not it came as one; null while there is none yet. */
export function qrImage(json: unknown): string | null {
  const { status, base64 } = fieldsOf(json)
  const image = textOf(base64)
  if (status !== 'OK' || !image) return null
  return image.startsWith('data:') ? image : `data:image/png;base64,${image}`
}

export function pairingCodeOf(json: unknown): string | null {
  return textOf(fieldsOf(json).code) || null
}

/** A page by its field; without `total`, what is known to exist. Null for what is no page: that is not "none". */
export function pageOf(
  json: unknown,
  field: string,
  offset: number,
): { items: Fields[]; total: number } | null {
  const page = fieldsOf(json)
  if (!Array.isArray(page[field])) return null
  const items = listOf(page[field])
  return { items, total: numberOf(page.total) ?? offset + items.length }
}

/** Digits for a phone number; a hidden one keeps its `@lid`. */
export function personIdOf(id: unknown): string {
  return textOf(id).replace(/@(s\.whatsapp\.net|c\.us)$/, '')
}

/** Null for what has no id. */
export function groupOf(fields: unknown): ProviderGroup | null {
  const { id, name, participants, participants_count, announcements } = fieldsOf(fields)
  if (!textOf(id)) return null
  const people = Array.isArray(participants) ? participantsOf(participants) : null
  return {
    chatId: textOf(id),
    name: textOf(name),
    participants: people,
    participantCount: numberOf(participants_count) ?? people?.length ?? null,
    isAdminsOnly: announcements === true,
  }
}

function participantsOf(participants: unknown[]): NonNullable<ProviderGroup['participants']> {
  return listOf(participants).flatMap(({ id, rank }) => {
    const personId = personIdOf(id)
    return personId ? [{ personId, rank: rank === 'creator' || rank === 'admin' ? rank : 'member' }] : []
  })
}

/** Null for who has no name: neither the contact's nor the one they gave themselves. */
export function contactOf({ id, name, pushname }: Fields): { personId: string; name: string } | null {
  const known = textOf(name) || textOf(pushname)
  return textOf(id) && known ? { personId: personIdOf(id), name: known } : null
}

/** Null for what is not a message of ours. A text with a link comes back as `link_preview`. */
export function ownMessageOf(fields: Fields): OwnMessage | null {
  const { id, from_me, type, text, link_preview, image, timestamp, source } = fields
  const time = numberOf(timestamp)
  if (!textOf(id) || from_me === false || time === null) return null
  const words = [text, link_preview]
    .map((content) => fieldsOf(content).body)
    .find((body) => body !== undefined)
  return {
    id: textOf(id),
    kind: type === 'text' || type === 'link_preview' ? 'text' : type === 'image' ? 'image' : 'other',
    text: textOf(words ?? fieldsOf(image).caption),
    timestamp: time,
    fromPhone: source === 'mobile' || source === 'web',
  }
}
