import type { ServerResponse } from 'node:http'
import type { ErrorCode } from '@sendroom/contract/errors'
import type { FastifyRequest } from 'fastify'
import { setBodyTime, UPLOAD_MS } from './body-times.ts'
import { endOfAnswer } from './end-of-answer.ts'
import { Refusal } from './refusal.ts'
import { openTurnstile } from './turnstile.ts'

const LARGE_BYTES = 1024 * 1024
/**
 * Bodies are held in memory, often several times over. A body that does not arrive keeps its place for half a minute,
 * so nobody takes the places of all.
 */
const LIMITS = { ofUser: 1, inAll: 4, waitingOfUser: 5, waitingInAll: 20, retrySeconds: 5 }

export const isLarge = ({ headers }: FastifyRequest) =>
  Number(headers['content-length'] ?? 0) > LARGE_BYTES || headers['transfer-encoding'] !== undefined

/** Files that are stored while they arrive take little memory, but a slow one takes minutes. */
const STREAM_LIMITS = { ...LIMITS, ofUser: 2, inAll: 20 }

/** The most bytes of a file that is stored while it arrives, and the refusal of a larger one. */
export type UploadLimit = { maxBytes: number; tooLarge: ErrorCode }
/** A form has little beside its file. */
const FORM_BYTES = 16 * 1024

/**
 * Lets a request begin its large body. Waits for others, and refuses if too many wait already. A handler may read a
 * file itself while it arrives: `upload`. One that says it is too large is refused before it arrives.
 */
export type LargeBodies = (userId: number, response: ServerResponse, upload?: UploadLimit) => Promise<void>

/** Limits how many requests with large bodies are read and handled at a time. */
export function limitLargeBodies(): LargeBodies {
  const [held, streamed] = [openTurnstile(LIMITS), openTurnstile(STREAM_LIMITS)]
  return async (userId, response, upload) => {
    if (upload) refuseLarger(response, upload)
    const signal = endOfAnswer(response)
    if (upload) setBodyTime(response.req, UPLOAD_MS)
    const leave = await (upload ? streamed : held).enter({ userId, signal })
    if (signal.aborted) leave()
    else signal.addEventListener('abort', leave)
    if (upload) setBodyTime(response.req, UPLOAD_MS)
  }
}

function refuseLarger({ req }: ServerResponse, { maxBytes, tooLarge }: UploadLimit) {
  if (Number(req.headers['content-length'] ?? 0) > maxBytes + FORM_BYTES) throw new Refusal(tooLarge)
}
