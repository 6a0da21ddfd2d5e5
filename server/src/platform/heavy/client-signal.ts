import type { FastifyReply } from 'fastify'

/**
 * A signal that aborts when the client leaves before it has its answer. Fastify's own `request.signal` misses this once
 * the request's body is read.
 */
export function clientSignal({ raw }: FastifyReply): AbortSignal {
  const leaving = new AbortController()
  const onClose = () => {
    if (!raw.writableFinished) leaving.abort()
  }
  // The client may have left while we looked up its user.
  if (raw.destroyed) onClose()
  else raw.once('close', onClose)
  return leaving.signal
}
