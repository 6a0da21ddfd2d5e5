import { createHash, randomInt } from 'node:crypto'
import { Secret, TOTP } from 'otpauth'
import { toDataURL } from 'qrcode'

const PERIOD = 30
/** RFC 6238 allows for one code before and after: a phone's clock may be half a minute off. */
const WINDOW = 1
const ISSUER = 'Sendroom'
const SECRET_BYTES = 20

export const newSecret = () => new Secret({ size: SECRET_BYTES }).base32

const totpOf = (secret: string, label = '') =>
  new TOTP({ issuer: ISSUER, label, secret: Secret.fromBase32(secret), period: PERIOD })

/** The QR code by which the user's app learns the secret. */
export const qrOf = (secret: string, username: string) =>
  toDataURL(totpOf(secret, username).toString(), { margin: 1 })

/** Returns the step of time that the code belongs to, or null if it is no code of these moments. */
export function stepOf(secret: string, code: string, nowMs: number): number | null {
  // The library compares bytes, and throws if six characters have more than six.
  if (!/^[0-9]{6}$/.test(code)) return null
  const delta = totpOf(secret).validate({ token: code, timestamp: nowMs, window: WINDOW })
  return delta === null ? null : Math.floor(nowMs / 1000 / PERIOD) + delta
}

/** People read the codes from paper: no letter looks like another or like a digit. */
const LETTERS = 'abcdefghjkmnpqrstuvwxyz23456789'
const LENGTH = 24
const GROUP = 4
const CODES = 10

const newRecoveryCode = () => {
  const letters = Array.from({ length: LENGTH }, () => LETTERS[randomInt(LETTERS.length)]).join('')
  return letters.replace(new RegExp(`.{${GROUP}}(?=.)`, 'g'), '$&-')
}

export const newRecoveryCodes = () => Array.from({ length: CODES }, newRecoveryCode)

/** Takes spaces and dashes out of a typed code. */
export const normalized = (code: string) => code.toLowerCase().replace(/[\s-]/g, '')

/** With 118 random bits a code needs no slow hash. */
export const recoveryHash = (userId: number, code: string) =>
  createHash('sha256')
    .update(`${userId} ${normalized(code)}`)
    .digest()
