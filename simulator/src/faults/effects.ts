import { once } from 'node:events'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { State } from '../state/state.ts'
import { errorBody } from '../wire/refusal.ts'
import type { FaultRule } from './rules.ts'

/**
 * Applies a fault before the request takes effect. Returns true if the fault has answered or hung up, so that the route
 * must not run. Rejects with an AbortError if the simulator closes during a wait.
 */
export async function applyBefore(
  state: State,
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
      await state.pause(fault.delayMs)
      return false
    case 'accept-then-late':
      if (!request.raw.socket.destroyed) await once(request.raw.socket, 'close', { signal: state.closing })
      await state.pause(fault.delayMs ?? 0)
      return false
    default:
      return false
  }
}

/** Applies a fault after the request took effect. Returns the body to send: a broken one, or `payload` unchanged. */
export function applyAfter(fault: FaultRule, reply: FastifyReply, payload: unknown): unknown {
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
