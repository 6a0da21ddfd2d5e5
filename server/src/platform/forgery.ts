import { randomBytes } from 'node:crypto'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Refusal } from './refusal.ts'

const COOKIE = 'XSRF-TOKEN'
const SAFE = ['GET', 'HEAD', 'OPTIONS']

/** The cookie comes with the page; another site can't read it, so it can't copy it into the header. */
export function setForgeryCookie(request: FastifyRequest, reply: FastifyReply): void {
  if (request.cookies[COOKIE]) return
  const secure = request.protocol === 'https'
  reply.setCookie(COOKIE, randomBytes(16).toString('base64url'), { path: '/', sameSite: 'lax', secure })
}

/** Where the cookie is present, a call that changes something has to repeat it. */
export function guardAgainstForgery(app: FastifyInstance): void {
  app.addHook('onRequest', async (request) => {
    // The route's address, not the request's, which may be written otherwise: /%61pi/jobs is /api/jobs.
    const { url = '' } = request.routeOptions
    if (SAFE.includes(request.method) || !url.startsWith('/api/') || url.startsWith('/api/webhooks/')) return
    const expected = request.cookies[COOKIE]
    if (expected && request.headers['x-xsrf-token'] !== expected) throw new Refusal('forgery')
  })
}
