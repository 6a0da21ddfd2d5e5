import type { FastifyReply } from 'fastify'

/**
 * A signal that aborts when the client leaves before it has its answer. Fastify's own `request.signal` misses this once
 * the request's body is read.
 */
export function clientSignal({ raw }: FastifyReply): AbortSignal {
  const leaving = new AbortController()
  raw.once('close', () => {
    if (!raw.writableFinished) leaving.abort()
  })
  return leaving.signal
}
