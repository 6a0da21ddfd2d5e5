import type { ServerResponse } from 'node:http'
import type { FastifyRequest } from 'fastify'
import { Refusal } from './refusal.ts'

const LARGE_BYTES = 1024 * 1024
/** Bodies are held in memory, often several times over. */
const AT_ONCE = 4
const MAX_WAITING = 20
/** A body that does not arrive keeps its place for half a minute. So nobody takes the places of all. */
const MAX_WAITING_OF_USER = 5
const RETRY_SECONDS = 5

export const isLarge = ({ headers }: FastifyRequest) =>
  Number(headers['content-length'] ?? 0) > LARGE_BYTES || headers['transfer-encoding'] !== undefined

type Upload = { userId: number; begin: () => void }

/** Lets a request begin its large body. Waits for others, and refuses if too many wait already. */
export type LargeBodies = (userId: number, response: ServerResponse) => Promise<void>

/** Limits how many requests with large bodies are read and handled at a time: one of each user, so that others get theirs. */
export function limitLargeBodies(): LargeBodies {
  const running = new Set<Upload>()
  const waiting = new Set<Upload>()
  const hasPlace = ({ userId }: Upload) =>
    running.size < AT_ONCE && ![...running].some((other) => other.userId === userId)

  function beginNext() {
    for (const upload of waiting) {
      if (!hasPlace(upload)) continue
      waiting.delete(upload)
      running.add(upload)
      upload.begin()
    }
  }

  return (userId, response) =>
    new Promise((resolve, reject) => {
      const isFull = new Refusal('unavailable', {}, RETRY_SECONDS)
      const ofUser = [...waiting].filter((other) => other.userId === userId).length
      if (ofUser >= MAX_WAITING_OF_USER) return reject(new Refusal('too_many_requests', {}, RETRY_SECONDS))
      if (waiting.size >= MAX_WAITING) return reject(isFull)
      const upload = { userId, begin: resolve }
      waiting.add(upload)
      const end = () => {
        waiting.delete(upload)
        running.delete(upload)
        reject(isFull) // if the client left while it was waiting
        beginNext()
      }
      // A client that leaves early gets no answer, so its response only closes.
      response.once('finish', end)
      response.once('close', end)
      beginNext()
    })
}
