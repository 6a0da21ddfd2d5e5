import { type Agent, type IncomingMessage, request } from 'node:http'
import type { FuzzRequest } from './requests.ts'

type Sent = Pick<FuzzRequest, 'url' | 'headers' | 'payload'> & { method: string }

export type Answer = {
  status: number
  contentType: string
  text: string
  /** Whether the request got past access rules and validation, to its handler. */
  hasReachedHandler: boolean
  ms: number
}

/** A request without an answer for this long hangs. */
const HANG_MS = 60_000

/** Sends a request over HTTP. Rejects if the connection breaks or no answer comes. */
export function send(base: string, agent: Agent, sent: Sent): Promise<Answer> {
  const { method, url, headers, payload } = sent
  const began = performance.now()
  return new Promise((resolve, reject) => {
    const call = request(`${base}${url}`, {
      agent,
      method,
      headers: { ...headers, ...(payload && { 'content-length': payload.bytes.length }) },
      signal: AbortSignal.timeout(HANG_MS),
    })
    call.on('error', reject)
    call.on('response', (answer) => {
      readText(answer).then(
        (text) =>
          resolve({
            status: answer.statusCode ?? 0,
            contentType: answer.headers['content-type'] ?? '',
            text,
            hasReachedHandler: answer.headers['x-reached-handler'] !== undefined,
            ms: performance.now() - began,
          }),
        reject,
      )
    })
    call.end(payload?.bytes)
  })
}

async function readText(answer: IncomingMessage): Promise<string> {
  // A stream never ends by itself.
  if (answer.headers['content-type']?.startsWith('text/event-stream')) {
    answer.destroy()
    return ''
  }
  const chunks: Buffer[] = []
  for await (const chunk of answer) chunks.push(chunk)
  return Buffer.concat(chunks).toString('latin1')
}
