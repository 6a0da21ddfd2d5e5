import { createHash, randomBytes } from 'node:crypto'

// The patterns are those of Whapi's OpenAPI file, version 1.8.7.

/** `to` of a send. The `@…` suffix is optional; a `+` or a space fails the pattern. */
export const toPattern = /^[\d-]{9,31}(@[\w.]{1,})?$/
export const chatIdPattern = /^[\d-]{10,31}@[\w.]{1,}$/
export const groupIdPattern = /^[\d-]{10,31}@g\.us$/
/** Channels of WhatsApp, which the API calls newsletters. */
export const newsletterIdPattern = /^\d{10,18}@newsletter$/
/** An item of `mentions`. A hidden number (`@lid`) does not match. */
export const mentionPattern = /^\d{7,15}(@s\.whatsapp\.net)?$|^\d{10,31}@g\.us$/
/** The file has digits only. The live API also takes the domains. */
export const contactIdPattern = /^\d{7,15}(@lid|@s\.whatsapp\.net)?$/
export const messageIdPattern =
  /^[A-Za-z0-9._]{4,30}-[A-Za-z0-9._]{4,14}(-[A-Za-z0-9._]{4,10})?(-[A-Za-z0-9._]{2,10})?$/
export const mediaIdPattern = /^[a-zA-Z0-9]+-[0-9a-fA-F-]+$/

const channelWords =
  'MANTIS SHAZAM FALCON OTTER HERON COBRA LYNX RAVEN TAPIR BISON GECKO MARTEN ORYX PANDA QUOKKA VIPER'.split(
    ' ',
  )

/** Returns the chat id of a `to`: a bare number becomes `<number>@s.whatsapp.net`. */
export function chatIdOf(to: string): string {
  return to.includes('@') ? to : `${to}@s.whatsapp.net`
}

/** Whether a chat id, suffix included, names a group. */
export function isGroup(chatId: string): boolean {
  return chatId.endsWith('@g.us')
}

/** Whether a chat id, suffix included, names a channel of WhatsApp. */
export function isNewsletter(chatId: string): boolean {
  return chatId.endsWith('@newsletter')
}

/**
 * Whether a number (digits only) has WhatsApp. The rule is the simulator's own: numbers that end in 0000 have no
 * WhatsApp, and neither have numbers that are not international (7 to 15 digits without a leading zero).
 */
export function isOnWhatsApp(number: string): boolean {
  return /^[1-9]\d{6,14}$/.test(number) && !number.endsWith('0000')
}

/** Returns a channel's id, `<WORD>-<5 characters>` as in health and webhooks. The same token gives the same id. */
export function channelIdOf(token: string): string {
  const digest = createHash('sha256').update(`channel ${token}`).digest()
  const tail = digest.readUIntBE(1, 6).toString(36).toUpperCase().padStart(5, '0').slice(-5)
  return `${channelWords[digest.readUInt8() % channelWords.length]}-${tail}`
}

/**
 * Returns a new message id for a chat. The layout follows the samples in Whapi's documentation, decoded by us: 16 bytes
 * of WhatsApp's message key, a flag byte (C0 private, C2 group), an arbitrary byte and the chat's number (5 bytes, 8
 * for a group or newsletter), in base64 with `.` and `_` instead of `+` and `/`.
 */
export function newMessageId(chatId: string): string {
  const group = isGroup(chatId) || isNewsletter(chatId)
  const bytes = randomBytes(group ? 26 : 23)
  bytes[16] = group ? 0xc2 : 0xc0
  const number = BigInt(chatId.slice(0, chatId.indexOf('@')).replaceAll('-', ''))
  const digits = BigInt.asUintN(group ? 64 : 40, number)
    .toString(16)
    .padStart(group ? 16 : 10, '0')
  bytes.write(digits, 18, 'hex')
  return `${base64(bytes.subarray(0, 16))}-${base64(bytes.subarray(16))}`
}

/** Returns a new media id, `<kind>-<hex>-<hex>`. The kind comes from the MIME type: `image/jpeg` gives `jpeg-…`. */
export function newMediaId(mime: string): string {
  const kind = mime.split(/[/;]/)[1]?.replace(/[^a-z0-9]/g, '') || 'file'
  return `${kind}-${randomBytes(16).toString('hex')}-${randomBytes(7).toString('hex')}`
}

function base64(bytes: Buffer): string {
  return bytes.toString('base64url').replaceAll('-', '.')
}
