import type { IncomingMessage } from './provider.ts'
import { bodyOf, type Fields, fieldsOf, numberOf, textOf } from './whapi-wire.ts'

/** Nobody wrote these: reactions, votes, edits and the like, and what WhatsApp itself reports. */
const notWritten = new Set(['action', 'system', 'call', 'poll_update'])
const withCaption = ['image', 'video', 'gif', 'short', 'document', 'audio', 'voice']
/** WhatsApp allows 65,536 characters. Nothing that we look for stands beyond these. */
const maxText = 4_000
const maxId = 200

/** Parses a private message that somebody wrote to us. Null for anything else, such as our own and those in groups. */
export function incomingMessageOf(fields: Fields): IncomingMessage | null {
  if (fields.from_me !== false || notWritten.has(textOf(fields.type))) return null
  const id = textOf(fields.id)
  const chatId = textOf(fields.chat_id)
  const sender = senderOf(chatId, textOf(fields.from))
  const timestamp = numberOf(fields.timestamp)
  if (!id || id.length > maxId || !sender || timestamp === null) return null
  const caption = withCaption.map((type) => fieldsOf(fields[type]).caption).find(Boolean)
  const quotedId = textOf(fieldsOf(fields.context).quoted_id)
  const { senderPhone, senderLid } = sender
  return {
    id,
    chatId,
    from: senderPhone ? { kind: 'phone', value: senderPhone } : { kind: 'lid', value: senderLid ?? '' },
    text: storable(textOf(bodyOf(fields) ?? caption)),
    timestamp,
    quotedId: quotedId && quotedId.length <= maxId ? quotedId : null,
    senderPhone,
    senderLid,
  }
}

/** PostgreSQL rejects NUL, and the cut may split an emoji. */
const storable = (text: string) => text.replaceAll('\0', '').slice(0, maxText).toWellFormed()

/**
 * Takes the sender from the chat and from `from`, which has digits, or a LID with or without its domain. Returns null
 * if the chat is no private one.
 */
function senderOf(chatId: string, from: string) {
  const [, chatDigits = '', domain] = /^(\d{5,20})@(s\.whatsapp\.net|c\.us|lid)$/.exec(chatId) ?? []
  if (!domain) return null
  const [, digits = '', lid] = /^(\d{5,20})(@lid)?/.exec(from) ?? []
  if (domain !== 'lid') return { senderPhone: chatDigits, senderLid: lid ? digits : null }
  return { senderPhone: lid || digits === chatDigits ? null : digits || null, senderLid: chatDigits }
}
