import type { ServerResponse } from 'node:http'
import { finished } from 'node:stream'
import type { FastifyRequest } from 'fastify'
import { openTurnstile } from './turnstile.ts'

const LARGE_BYTES = 1024 * 1024
/**
 * Bodies are held in memory, often several times over. A body that does not arrive keeps its place for half a minute,
 * so nobody takes the places of all.
 */
const LIMITS = { ofUser: 1, inAll: 4, waitingOfUser: 5, waitingInAll: 20, retrySeconds: 5 }

export const isLarge = ({ headers }: FastifyRequest) =>
  Number(headers['content-length'] ?? 0) > LARGE_BYTES || headers['transfer-encoding'] !== undefined

/** Lets a request begin its large body. Waits for others, and refuses if too many wait already. */
export type LargeBodies = (userId: number, response: ServerResponse) => Promise<void>

/** Limits how many requests with large bodies are read and handled at a time. */
export function limitLargeBodies(): LargeBodies {
  const { enter } = openTurnstile(LIMITS)
  return async (userId, response) => {
    const closing = new AbortController()
    // A client that leaves early gets no answer, so its response only closes. It may have left before this.
    finished(response, () => closing.abort())
    const leave = await enter({ userId, signal: closing.signal })
    if (closing.signal.aborted) leave()
    else closing.signal.addEventListener('abort', leave)
  }
}
