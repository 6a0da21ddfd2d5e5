import type { InstanceStatus } from '@sendroom/contract/instance-status'
import type { InstanceState, NewChatLimit, NumberCheck, ProviderChannel, ProviderGroup } from './provider.ts'
import type { Answer } from './whapi-http.ts'

/*
 * Parses Whapi's answers. Field names are those of its OpenAPI file 1.8.7, unless a comment names another source:
 * https://github.com/Whapi-Cloud/whatsapp-api-docs. The parsers ignore unknown fields and values, and they accept
 * missing fields, because third parties have seen the live API leave out fields that the file requires.
 */

export type Fields = Record<string, unknown>

export const fieldsOf = (value: unknown): Fields =>
  typeof value === 'object' && value !== null ? (value as Fields) : {} // any object can be read by key
export const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')
export const numberOf = (value: unknown): number | null =>
  typeof value === 'number' && Number.isFinite(value) ? value : null
export const listOf = (value: unknown): Fields[] => (Array.isArray(value) ? value.map(fieldsOf) : [])

/**
 * Returns the words of an error answer, cleaned and cut to 200 characters, or an empty string. The body may be nested
 * (`error.message`, documented), flat (`error`, seen live by third parties), or a gateway's text or page.
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
      // The cut may split an emoji, and PostgreSQL's JSON rejects half of one.
      .toWellFormed()
  )
}

/** Returns how long `Retry-After` asks to wait, in ms. Null without the header, which Whapi does not document. */
export function retryAfterMs({ headers }: Answer): number | null {
  const asked = textOf(headers['retry-after']).trim()
  if (!asked) return null
  const ms = /^\d+$/.test(asked)
    ? Number(asked) * 1000
    : Date.parse(asked) - (serverTime(headers) ?? Date.now())
  return Number.isFinite(ms) ? Math.max(0, ms) : null
}

/** Returns the server's clock from the Date header, in unix ms. Null without the header. */
export function serverTime(headers: Answer['headers']): number | null {
  const time = Date.parse(textOf(headers.date))
  return Number.isNaN(time) ? null : time
}

/** Parses the answer to a send. `sent` is null if the field is missing; `id` may be empty. */
export function sentMessage(json: unknown): { sent: boolean | null; id: string } {
  const { sent, message } = fieldsOf(json)
  return { sent: typeof sent === 'boolean' ? sent : null, id: textOf(fieldsOf(message).id) }
}

/**
 * Parses the id of an upload. Null for the placeholder `media_init`, which third parties have seen instead of an id.
 */
export function mediaIdOf(json: unknown): string | null {
  const id = textOf(listOf(fieldsOf(json).media)[0]?.id)
  return /^[a-zA-Z0-9]+-[0-9a-fA-F-]+$/.test(id) ? id : null
}

/**
 * Maps the texts of channel states, because not all numeric codes are documented. STOP means that the paid term is
 * over.
 */
const statusOfState = new Map<string, InstanceStatus>([
  ['AUTH', 'Connected'],
  ['QR', 'NeedsLogin'],
  ['NOT_INIT', 'Connecting'],
  ['INIT', 'Connecting'],
  ['LAUNCH', 'Connecting'],
  ['SYNC_ERROR', 'Degraded'],
  ['ERROR', 'Disconnected'],
  ['STOP', 'Unpaid'],
])

/** Parses a health answer, or the `health` of a webhook call. Null for anything else. */
export function instanceState(json: unknown): InstanceState | null {
  const { status, user } = fieldsOf(json)
  if (status === undefined) return null
  const known = statusOfState.get(textOf(fieldsOf(status).text)) ?? 'Unknown'
  const number = textOf(fieldsOf(user).id).match(/^\d+/)?.[0]
  return { status: known, linkedNumber: number ?? null }
}

/**
 * Parses the answer of `/business/limits/reachout_timelock`: `is_restricted`, and `restricted_until` in unix seconds.
 * The endpoint is not in the OpenAPI file; third parties have observed it. Anything unexpected means no restriction.
 */
export function restrictionOf(json: unknown): { until: string | null } | null {
  const { is_restricted, restricted_until } = fieldsOf(json)
  if (is_restricted !== true) return null
  return { until: instantOf(restricted_until) }
}

/** Converts unix seconds. Null without a time, or for one that a Date can't hold. */
function instantOf(value: unknown): string | null {
  const seconds = numberOf(value)
  return seconds !== null && Math.abs(seconds) < 1e11 ? new Date(seconds * 1000).toISOString() : null
}

const capStatuses = ['first_warning', 'second_warning', 'capped'] as const

/**
 * Parses the answer of `/business/limits/new_chat`. The endpoint is not in the OpenAPI file; third parties have
 * observed it. Returns null for anything unexpected.
 */
export function newChatLimitOf(json: unknown): NewChatLimit | null {
  const { is_capped, cap_status, quota_limit, quota_used, quota_remaining, cycle_end_at } = fieldsOf(json)
  if (is_capped === undefined && cap_status === undefined) return null
  const status = capStatuses.find((known) => known === cap_status) ?? 'none'
  const limit = numberOf(quota_limit)
  const used = numberOf(quota_used)
  const left = numberOf(quota_remaining) ?? (limit !== null && used !== null ? limit - used : null)
  return {
    status: is_capped === true ? 'capped' : status,
    left: left === null ? null : Math.max(0, Math.floor(left)),
    until: instantOf(cycle_end_at),
  }
}

/** Parses the channel's id from a health answer. The partner API needs this id. */
export const channelIdOf = (json: unknown): string | null => textOf(fieldsOf(json).channel_id) || null

/**
 * Parses `activeTill`, the end of a channel's paid term, from an answer of the partner API. It is in unix ms, unlike
 * the times of all other endpoints. Source: https://support.whapi.cloud, "Partner documentation".
 */
export function termEndOf(json: unknown): string | null {
  const end = numberOf(fieldsOf(json).activeTill)
  return end !== null && end > 0 && end < 1e14 ? new Date(end).toISOString() : null
}

/**
 * Parses the QR code and returns a data URI, with or without that prefix in the answer. Null if there is no code yet.
 */
export function qrImage(json: unknown): string | null {
  const { status, base64 } = fieldsOf(json)
  const image = textOf(base64)
  if (status !== 'OK' || !image) return null
  return image.startsWith('data:') ? image : `data:image/png;base64,${image}`
}

/** Parses the pairing code. Null if there is no code yet. */
export function pairingCodeOf(json: unknown): string | null {
  return textOf(fieldsOf(json).code) || null
}

/**
 * Parses a page of a list. Without `total`, it counts what is known to exist. Returns null if the list is missing,
 * which does not mean an empty list.
 */
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

/** Normalises a person's id: only digits for a phone number, while a hidden number keeps its `@lid`. */
export function personIdOf(id: unknown): string {
  return textOf(id).replace(/@(s\.whatsapp\.net|c\.us)$/, '')
}

/** Parses a group. Null without an id. */
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

/** Parses a channel of WhatsApp, which the API calls newsletter. Null without an id. */
export function channelOf({ id, name, role, subscribers_count }: Fields): ProviderChannel | null {
  if (!textOf(id)) return null
  return {
    chatId: textOf(id),
    name: textOf(name),
    role: role === 'owner' || role === 'admin' || role === 'subscriber' ? role : 'guest',
    subscriberCount: numberOf(subscribers_count),
  }
}

/** Parses a contact. `pushname` is the name that people give themselves. Null without any name. */
export function contactOf({ id, name, pushname }: Fields): { personId: string; name: string } | null {
  const known = textOf(name) || textOf(pushname)
  return textOf(id) && known ? { personId: personIdOf(id), name: known } : null
}

/** A text with a link comes back as `link_preview`. */
export const bodyOf = ({ text, link_preview }: Fields): unknown =>
  [text, link_preview].map((content) => fieldsOf(content).body).find((body) => body !== undefined)

/** Parses the answer to a check of numbers, by the number as it was asked. Null if the list is missing. */
export function numberChecksOf(json: unknown): Map<string, NumberCheck> | null {
  const { contacts } = fieldsOf(json)
  if (!Array.isArray(contacts)) return null
  return new Map(
    listOf(contacts).map(({ input, status, wa_id }) => {
      const answer = status === 'valid' ? 'yes' : status === 'invalid' ? 'no' : 'unknown'
      const phone = textOf(input)
      return [phone, { phone, answer, whatsappPhone: answer === 'yes' ? phoneDigits(wa_id) : null }]
    }),
  )
}

/** Parses the LIDs of numbers: an object by number. */
export const lidsIn = (json: unknown): [phone: string, lid: string][] =>
  Object.entries(fieldsOf(json)).flatMap(([id, value]) => {
    const phone = phoneDigits(id)
    const [, lid] = /^(\d{5,20})(@lid)?$/.exec(textOf(fieldsOf(value).lid)) ?? []
    return phone && lid ? [[phone, lid]] : []
  })

/**
 * Parses the number behind a LID. The endpoint is not in the OpenAPI file; third parties have observed it. Null if
 * WhatsApp does not tell the number.
 */
export const phoneIn = (json: unknown): string | null => phoneDigits(fieldsOf(json).id)

/** The digits of an id that is a phone number, else null. */
const phoneDigits = (id: unknown) => /^(\d{5,20})$/.exec(personIdOf(id))?.[1] ?? null
