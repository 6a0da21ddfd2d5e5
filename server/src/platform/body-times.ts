import type { IncomingMessage, Server } from 'node:http'
import { hasBody } from './unread-bodies.ts'

/** The time for any request to arrive. At one megabit a second a file of 100 MB takes a quarter of an hour. */
export const REQUEST_MS = 1_200_000
/** An upload may wait so long for others, and a file of 20 MB take so long: at one megabit a second, three minutes. */
export const UPLOAD_MS = 240_000
/** So many bytes of a larger file may take so long. Whoever sends less than 100 kB a second keeps others waiting. */
const STEP = { bytes: 4 << 20, ms: 42_000 }

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

/** Ends an upload that arrives too slowly. Returns a function that is told of what has arrived. */
export function expectProgress(request: IncomingMessage): (bytes: number) => void {
  let left: number = STEP.bytes
  setBodyTime(request, STEP.ms)
  return (bytes) => {
    left -= bytes
    if (left > 0) return
    left = STEP.bytes
    setBodyTime(request, STEP.ms)
  }
}
