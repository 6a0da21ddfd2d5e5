import { timingSafeEqual } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { browserOf } from '../../platform/browser-name.ts'
import type { Db } from '../../platform/database/connection.ts'
import { isSecure } from '../../platform/forgery.ts'
import type { Secrets } from '../../platform/secrets.ts'
import type { Known, Visitor } from './attempts.ts'
import { addDevice } from './session.queries.ts'

/** Browsers keep no cookie for longer than 400 days. Each sign-in begins them again. */
const MAX_AGE_SECONDS = 400 * 24 * 3600

/** Each user of a shared computer has a cookie of their own. */
const cookieOf = (userId: number) => `device-${userId}`

/** So many browsers of a user are known. Older ones are strangers again. */
const KNOWN_DEVICES = 10

type User = Pick<Known, 'id' | 'passwordHash' | 'hasFactor' | 'newestDevice'>

/**
 * A new password has another hash, which ends this part of all cookies. So does a second factor: a thief may have
 * signed in with the password alone, and must not get guesses of codes for each of these browsers.
 */
const sign = (secrets: Secrets, { id, passwordHash, hasFactor }: User, device: number) =>
  secrets.hash(`device cookie ${id} ${device} ${passwordHash}${hasFactor ? ' with factor' : ''}`)

/** A new password or factor does not make a browser a new one. */
const signBrowser = (secrets: Secrets, { id }: User, device: number) =>
  secrets.hash(`signed-in browser ${id} ${device}`)

export const visitorOf = (request: FastifyRequest, secrets: Secrets): Visitor => ({
  address: request.ip,
  browser: browserOf(request),
  deviceOf: (known) => readDevice(request, secrets, known),
  hasSignedIn: (known) => {
    const { device, ofBrowser } = readCookie(request, known)
    return (
      readDevice(request, secrets, known) !== null || equals(ofBrowser, signBrowser(secrets, known, device))
    )
  },
})

/**
 * Marks the browser as one in which this user has signed in. The cookie lets nobody in: guesses from this browser are
 * only counted apart from those of strangers.
 */
export async function setDeviceCookie(
  request: FastifyRequest,
  reply: FastifyReply,
  { db, secrets }: { db: Db; secrets: Secrets },
  user: User & { id: number },
): Promise<void> {
  const device = readDevice(request, secrets, user) ?? (await addDevice(db, user.id))
  const signatures = [sign, signBrowser].map((sign) => sign(secrets, user, device).toString('base64url'))
  const value = [device, ...signatures].join('.')
  reply.setCookie(cookieOf(user.id), value, {
    path: '/api/auth',
    httpOnly: true,
    sameSite: 'strict',
    secure: isSecure(request),
    maxAge: MAX_AGE_SECONDS,
  })
}

/** Returns the device in the cookie, if this installation has signed it for this user and few newer ones exist. */
function readDevice(request: FastifyRequest, secrets: Secrets, user: User): number | null {
  if (user.id === null) return null
  const { device, signature } = readCookie(request, user)
  if (!equals(signature, sign(secrets, user, device))) return null
  // A restored backup knows fewer devices than there are cookies.
  return device > user.newestDevice - KNOWN_DEVICES && device <= user.newestDevice ? device : null
}

function readCookie(request: FastifyRequest, { id }: User) {
  const cookie = id === null ? undefined : request.cookies[cookieOf(id)]
  const [number = '', signature = '', ofBrowser = ''] = (cookie ?? '').split('.')
  return { device: Number(number), signature, ofBrowser }
}

function equals(given: string, expected: Buffer): boolean {
  const bytes = Buffer.from(given, 'base64url')
  return bytes.length === expected.length && timingSafeEqual(bytes, expected)
}
