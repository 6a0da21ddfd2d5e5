import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** Beyond our largest body, an image with its form. */
const MAX_BYTES = 8 * 1024 * 1024
const MAX_MS = 5000

/**
 * Closes a connection whose request is answered before its body was read, such as a refused form. Node often stops
 * reading there, so the next request on that connection would wait for ever, and a proxy hands it to other users.
 */
export function closeAfterUnreadBodies(server: Server, maxMs = MAX_MS): void {
  // Before Fastify's listener. On this level, because hooks run neither for malformed paths nor for hijacked answers.
  server.prependListener('request', (request, response) => {
    if (!hasBody(request)) return
    let isUnread = false
    const writeHead = response.writeHead.bind(response) as (...args: unknown[]) => ServerResponse // loses overloads
    response.writeHead = (...args: unknown[]) => {
      isUnread = !request.complete
      if (isUnread) response.setHeader('connection', 'close')
      return writeHead(...args)
    }
    // Before Node's own listener, which closes the connection at once.
    response.prependOnceListener('finish', () => {
      if (isUnread) closeSlowly(request, maxMs)
    })
  })
}

export const hasBody = ({ headers }: IncomingMessage) =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0

/**
 * Ends our side and drops what still arrives, within bounds. Closing a socket with unread bytes resets the connection,
 * and a reset may overtake the answer.
 */
function closeSlowly(request: IncomingMessage, maxMs: number) {
  const { socket } = request
  const close = () => void socket.destroy()
  const timer = setTimeout(close, maxMs)
  socket.once('close', () => {
    clearTimeout(timer)
    request.destroy()
  })
  request.on('error', () => {}) // The client has left.
  request.unpipe()
  socket.destroySoon = () => {} // Node calls this next.
  // Node stops reading for a body that nobody reads, and only its own listener starts that again, on the next tick.
  socket.resume()
  process.nextTick(dropWhatArrives, socket, close)
  socket.end()
}

/** Takes the socket from the parser, which would start the next request. */
function dropWhatArrives(socket: Socket, close: () => void) {
  let bytes = 0
  socket.removeAllListeners('data')
  socket.removeAllListeners('end')
  socket.on('data', (chunk) => {
    bytes += chunk.length
    if (bytes > MAX_BYTES) close()
  })
  socket.once('end', close)
}
