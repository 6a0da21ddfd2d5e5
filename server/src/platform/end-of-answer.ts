import type { ServerResponse } from 'node:http'
import { finished } from 'node:stream'

/** Aborts when the answer is complete or the client has left, also while it waits behind another one. */
export function endOfAnswer(response: ServerResponse): AbortSignal {
  const ending = new AbortController()
  finished(response, () => ending.abort())
  return ending.signal
}
