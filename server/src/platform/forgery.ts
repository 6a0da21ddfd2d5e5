import { randomBytes } from 'node:crypto'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Refusal } from './refusal.ts'

const COOKIE = 'XSRF-TOKEN'
const SAFE = ['GET', 'HEAD', 'OPTIONS']

/** Whether a cookie is for https only. A proxy on another machine may not be trusted to say so. */
export const isSecure = (request: FastifyRequest) => request.server.usesHttps || request.protocol === 'https'

/** Sets a cookie with the page. Another site can't read the cookie, so it can't copy its value into the header. */
export function setForgeryCookie(request: FastifyRequest, reply: FastifyReply): void {
  if (request.cookies[COOKIE]) return
  reply.setCookie(COOKIE, randomBytes(16).toString('base64url'), {
    path: '/',
    sameSite: 'lax',
    secure: isSecure(request),
  })
}

/** Refuses a call that may change something and has the cookie, unless a header repeats the cookie's value. */
export function guardAgainstForgery(app: FastifyInstance): void {
  app.addHook('onRequest', async (request) => {
    // Compare the route's path. The request may spell the same path differently: /%61pi/jobs is /api/jobs.
    const { url = '' } = request.routeOptions
    if (SAFE.includes(request.method) || !url.startsWith('/api/')) return
    const expected = request.cookies[COOKIE]
    if (expected && request.headers['x-xsrf-token'] !== expected) throw new Refusal('forgery')
  })
}
