import { timingSafeEqual } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
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

type User = Pick<Known, 'id' | 'passwordHash' | 'newestDevice'>

/** A new password has another hash, which ends all cookies. */
const sign = (secrets: Secrets, { id, passwordHash }: User, device: number) =>
  secrets.hash(`device cookie ${id} ${device} ${passwordHash}`)

export const visitorOf = (request: FastifyRequest, secrets: Secrets): Visitor => ({
  address: request.ip,
  deviceOf: (known) => readDevice(request, secrets, known),
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
  const value = `${device}.${sign(secrets, user, device).toString('base64url')}`
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
  const [number = '', signature = ''] = (request.cookies[cookieOf(user.id)] ?? '').split('.')
  const device = Number(number)
  const expected = sign(secrets, user, device)
  const given = Buffer.from(signature, 'base64url')
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return null
  // A restored backup knows fewer devices than there are cookies.
  return device > user.newestDevice - KNOWN_DEVICES && device <= user.newestDevice ? device : null
}
