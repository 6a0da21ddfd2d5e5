import { once } from 'node:events'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { FaultRule } from './faults.ts'
import { errorBody } from './refusal.ts'
import type { World } from './world.ts'

/** Before the request takes effect: true when the fault has answered (or hung up) in its place. */
export async function faultBefore(
  world: World,
  fault: FaultRule,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<boolean> {
  switch (fault.kind) {
    case 'status':
      await sendStatus(fault, reply)
      return true
    case 'not-sent':
      await reply.send({ sent: false })
      return true
    case 'drop-before':
      hangUp(reply)
      return true
    case 'slow':
      await world.pause(fault.delayMs)
      return false
    case 'accept-then-late':
      if (!request.raw.socket.destroyed) await once(request.raw.socket, 'close', { signal: world.closing })
      await world.pause(fault.delayMs ?? 0)
      return false
    default:
      return false
  }
}

/** After it took effect: the body that is sent instead, or the same one. */
export function faultAfter(fault: FaultRule, reply: FastifyReply, payload: unknown): unknown {
  switch (fault.kind) {
    case 'accept-then-drop':
      hangUp(reply)
      return payload
    case 'malformed':
      reply.removeHeader('content-length')
      return '{"sent":true,"message":{"id":"'
    case 'no-id':
      reply.removeHeader('content-length')
      return '{"sent":true}'
    case 'empty':
      reply.removeHeader('content-length')
      return ''
    default:
      return payload
  }
}

function sendStatus(fault: FaultRule & { kind: 'status' }, reply: FastifyReply) {
  const { status, flat, retryAfter } = fault
  const body = fault.body ?? errorBody(status, `forced ${status}`, undefined, flat)
  if (retryAfter !== undefined) reply.header('retry-after', retryAfter)
  if (typeof body === 'string') reply.type('text/html')
  return reply.code(status).send(body)
}

function hangUp(reply: FastifyReply) {
  reply.hijack()
  reply.raw.socket?.destroy()
}
