import type { IncomingMessage, Server } from 'node:http'
import { hasBody } from './unread-bodies.ts'

/** How long a file of 20 MB may take: at one megabit a second it arrives in three minutes. */
export const UPLOAD_MS = 240_000

const setters = new WeakMap<IncomingMessage, (ms: number) => void>()

/**
 * Ends a request whose body has not arrived after so long. Node has one limit for all requests, which has to fit the
 * slowest upload. Whoever opens thousands of connections could keep each of them busy for as long.
 */
export function limitBodyTimes(server: Server, ms: number): void {
  server.prependListener('request', (request: IncomingMessage) => {
    if (!hasBody(request)) return
    let timer: NodeJS.Timeout | undefined
    const end = () => {
      // Node does the same after its own limit. Fastify answers 408 and closes the connection.
      const error = Object.assign(new Error('Request timeout'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' })
      if (!request.complete) server.emit('clientError', error, request.socket)
    }
    const set = (ms: number) => {
      clearTimeout(timer)
      timer = setTimeout(end, ms)
    }
    set(ms)
    setters.set(request, set)
    request.once('close', () => clearTimeout(timer))
  })
}

/** Lets the body of this request arrive until so long from now. */
export const setBodyTime = (request: IncomingMessage, ms: number) => setters.get(request)?.(ms)
