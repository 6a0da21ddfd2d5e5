import type { ServerResponse } from 'node:http'
import { finished } from 'node:stream'

/**
 * Aborts when the answer is complete or the client has left. An answer that waits behind another one on the same
 * connection does not close with it, so the connection itself is watched.
 */
export function endOfAnswer(response: ServerResponse): AbortSignal {
  const { socket } = response.req
  const ending = new AbortController()
  const end = () => {
    socket.off('close', end)
    ending.abort()
  }
  finished(response, end)
  // Dozens of answers may wait on a connection.
  socket.setMaxListeners(0).once('close', end)
  if (socket.destroyed) end()
  return ending.signal
}
