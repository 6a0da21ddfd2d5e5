import { createHash, randomBytes } from 'node:crypto'

/** `to` of a send: the suffix may be left out. A `+` or a space fails it. */
export const toPattern = /^[\d-]{9,31}(@[\w.]{1,})?$/
export const chatIdPattern = /^[\d-]{10,31}@[\w.]{1,}$/
export const groupIdPattern = /^[\d-]{10,31}@g\.us$/
export const messageIdPattern =
  /^[A-Za-z0-9._]{4,30}-[A-Za-z0-9._]{4,14}(-[A-Za-z0-9._]{4,10})?(-[A-Za-z0-9._]{2,10})?$/
export const mediaIdPattern = /^[a-zA-Z0-9]+-[0-9a-fA-F-]+$/

const words =
  'MANTIS SHAZAM FALCON OTTER HERON COBRA LYNX RAVEN TAPIR BISON GECKO MARTEN ORYX PANDA QUOKKA VIPER'.split(
    ' ',
  )

/** The chat a `to` means: a bare number is a private chat. */
export function chatIdOf(to: string): string {
  return to.includes('@') ? to : `${to}@s.whatsapp.net`
}

export function isGroup(chatId: string): boolean {
  return chatId.endsWith('@g.us')
}

/** Our rule for numbers without WhatsApp: those ending in 0000, and those that are no international number. */
export function isOnWhatsApp(number: string): boolean {
  return /^[1-9]\d{6,14}$/.test(number) && !number.endsWith('0000')
}

/** 32 bits that stay the same for a token, the root of everything seeded for its channel. */
export function seedOf(token: string): number {
  return createHash('sha256').update(token).digest().readUInt32BE(0)
}

/** A well-spread 32-bit number for (seed, n), cheap enough for every participant of every group. */
export function mix(seed: number, n: number): number {
  let hash = Math.imul(seed + Math.imul(n, 0x9e3779b1), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  hash = Math.imul(hash ^ (hash >>> 16), 0x27d4eb2f)
  return (hash ^ (hash >>> 15)) >>> 0
}

/** WORD-5CHARS, as health and webhooks name a channel. */
export function channelIdOf(token: string): string {
  const digest = createHash('sha256').update(`channel ${token}`).digest()
  const tail = digest.readUIntBE(1, 6).toString(36).toUpperCase().padStart(5, '0').slice(-5)
  return `${words[digest.readUInt8() % words.length]}-${tail}`
}

/**
 * A message id built as the provider's are: the 16 bytes of WhatsApp's key, then a flag byte (C0 private,
 * C2 group), any byte, and the chat's number (5 bytes, or 8 for a group), in base64 with `.` and `_`.
 */
export function newMessageId(chatId: string): string {
  const group = isGroup(chatId)
  const bytes = randomBytes(group ? 26 : 23)
  bytes[16] = group ? 0xc2 : 0xc0
  const number = BigInt(chatId.slice(0, chatId.indexOf('@')).replaceAll('-', ''))
  const digits = BigInt.asUintN(group ? 64 : 40, number)
    .toString(16)
    .padStart(group ? 16 : 10, '0')
  bytes.write(digits, 18, 'hex')
  return `${base64(bytes.subarray(0, 16))}-${base64(bytes.subarray(16))}`
}

/** `<kind>-<hex>-<hex>`, e.g. `jpeg-…`. */
export function newMediaId(mime: string): string {
  const kind = mime.split('/')[1]?.replace(/[^a-z0-9]/g, '') || 'file'
  return `${kind}-${randomBytes(16).toString('hex')}-${randomBytes(7).toString('hex')}`
}

function base64(bytes: Buffer): string {
  return bytes.toString('base64url').replaceAll('-', '.')
}
