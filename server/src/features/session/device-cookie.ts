import { randomBytes, timingSafeEqual } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Secrets } from '../../platform/secrets.ts'
import type { Visitor } from './attempts.ts'

/** Browsers keep no cookie for longer than 400 days. Each sign-in begins them again. */
const MAX_AGE_SECONDS = 400 * 24 * 3600

/** Each user of a shared computer has a cookie of their own. */
const cookieOf = (userId: number) => `device-${userId}`

const sign = (secrets: Secrets, userId: number, device: string) =>
  secrets.hash(`device cookie ${userId} ${device}`)

export const visitorOf = (request: FastifyRequest, secrets: Secrets): Visitor => ({
  address: request.ip,
  deviceOf: (userId) => readDevice(request, secrets, userId),
})

/**
 * Marks the browser as one in which this user has signed in. The cookie lets nobody in: guesses from this browser are
 * only counted apart from those of strangers.
 */
export function setDeviceCookie(
  request: FastifyRequest,
  reply: FastifyReply,
  secrets: Secrets,
  userId: number,
): void {
  const device = readDevice(request, secrets, userId) ?? randomBytes(16).toString('base64url')
  const value = `${device}.${sign(secrets, userId, device).toString('base64url')}`
  reply.setCookie(cookieOf(userId), value, {
    path: '/api/auth',
    httpOnly: true,
    sameSite: 'strict',
    secure: request.protocol === 'https',
    maxAge: MAX_AGE_SECONDS,
  })
}

/** Returns the device in the cookie, if this installation has signed it for this user. */
function readDevice(request: FastifyRequest, secrets: Secrets, userId: number): string | null {
  const [device = '', signature = ''] = (request.cookies[cookieOf(userId)] ?? '').split('.')
  const expected = sign(secrets, userId, device)
  const given = Buffer.from(signature, 'base64url')
  return given.length === expected.length && timingSafeEqual(given, expected) ? device : null
}
