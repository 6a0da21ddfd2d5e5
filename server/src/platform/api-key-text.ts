import { createHash, randomBytes } from 'node:crypto'
import { crc32 } from 'node:zlib'

// An API key is `sendroom_`, 43 characters of base62 for 32 random bytes, and 6 for their checksum. Scanners of secrets
// find the prefix, and the checksum tells a key from any other text. Decision 45.

const PREFIX = 'sendroom_'
const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const RANDOM_LENGTH = 43
const CHECK_LENGTH = 6
const FORM = new RegExp(`^${PREFIX}([0-9A-Za-z]{${RANDOM_LENGTH}})([0-9A-Za-z]{${CHECK_LENGTH}})$`)

/** How many characters of a key are stored and shown. The four random ones among them help nobody to guess the rest. */
const START_LENGTH = PREFIX.length + 4

function base62(number: bigint, length: number): string {
  let text = ''
  for (let rest = number; text.length < length; rest /= 62n) text = `${DIGITS[Number(rest % 62n)]}${text}`
  return text
}

const checksumOf = (random: string) => base62(BigInt(crc32(random)), CHECK_LENGTH)

export function newApiKey(): { secret: string; start: string; tokenHash: Buffer } {
  const random = base62(BigInt(`0x${randomBytes(32).toString('hex')}`), RANDOM_LENGTH)
  const secret = `${PREFIX}${random}${checksumOf(random)}`
  return { secret, start: secret.slice(0, START_LENGTH), tokenHash: hashOfKey(secret) }
}

/** Whether a bearer token is meant to be an API key. A session's token has no such beginning. */
export const isApiKey = (token: string) => token.startsWith(PREFIX)

/** Whether the text can be a key: a mistyped one costs no look into the database. */
export function isWellFormed(text: string): boolean {
  const [, random = '', checksum] = FORM.exec(text) ?? []
  return checksum === checksumOf(random)
}

/** Without a salt or many rounds: nobody can try 2^256 keys. */
export const hashOfKey = (secret: string) => createHash('sha256').update(secret).digest()
