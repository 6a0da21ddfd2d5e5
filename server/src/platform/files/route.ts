import { normalizeIP } from '@fastify/rate-limit'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { endOfAnswer } from '../end-of-answer.ts'
import { orNotFound, Refusal } from '../refusal.ts'
import { type Flow, openFlow, throughFlow } from '../storage/flow.ts'
import type { Range } from '../storage/place.ts'
import { openTurnstile } from '../turnstile.ts'
import { readRange } from './range.ts'
import type { FileStore } from './store.ts'
import { mimeTypeOf } from './types.ts'

type Deps = { files: FileStore; flow: Flow; signal: AbortSignal }
type Request = FastifyRequest<{ Params: { name: string } }>

/** The client of S3 has 50 connections. Ten of them stay for uploads and for files that are sent. */
const OPEN = { inAll: 40, waitingInAll: 1000, retrySeconds: 5 }
/** There is no session, so addresses count as users. One that reads slowly leaves half for all others. */
const OF_ADDRESS = { ofUser: 20, waitingOfUser: 500 }
/** Players pause a download when they have enough, and ask for the rest when they need more. */
const STALLED_MS = 60_000

/** Browsers play these and run nothing in them. They show or run some of the others. */
const isPlayed = (mimeType: string) => /^(audio|video)\//.test(mimeType)

/** Files need no session: their names can't be guessed. Players ask for parts of them. */
export function storedFileRoutes(app: FastifyInstance, files: FileStore): void {
  const flow = openFlow()
  const { enter } = openTurnstile({ ...OPEN, ...OF_ADDRESS })
  app.route<{ Params: { name: string } }>({
    // Fastify's own HEAD would read the file to its end.
    method: ['GET', 'HEAD'],
    url: '/files/:name',
    schema: { hide: true },
    handler: async (request, reply) => {
      const { name } = request.params
      const signal = endOfAnswer(reply.raw)
      whenAborted(signal, await enter({ userId: normalizeIP(request.ip), signal }))
      const size = orNotFound(await files.sizeOf(name))
      // Without a name in the header, a link of the page decides what the file is called.
      if (!isPlayed(mimeTypeOf(name))) reply.header('content-disposition', 'attachment')
      reply.type(mimeTypeOf(name)).headers({
        'accept-ranges': 'bytes',
        'cache-control': 'private, max-age=31536000, immutable',
        'content-security-policy': "default-src 'none'; frame-ancestors 'none'; sandbox",
        etag: `"${name}"`,
      })
      return answer(request, reply, size, { files, flow, signal })
    },
  })
}

async function answer(request: Request, reply: FastifyReply, size: number, deps: Deps) {
  const { name } = request.params
  const { range: asked, 'if-range': known } = request.headers
  // Only for whoever has a part of this very file.
  const isSame = known === undefined || known === `"${name}"`
  const range = isSame ? readRange(asked, size) : undefined
  if (range === null) return reply.code(416).header('content-range', `bytes */${size}`).send()
  if (range) reply.code(206).header('content-range', `bytes ${range.start}-${range.end}/${size}`)
  reply.header('content-length', range ? range.end - range.start + 1 : size)
  if (request.method === 'HEAD') return reply.send()
  return reply.send(await openForClient(request, range, deps))
}

/** The bytes, until the client leaves or takes none for a minute. */
async function openForClient(request: Request, range: Range | undefined, { files, flow, signal }: Deps) {
  if (signal.aborted) throw new Refusal('not_found') // nobody gets this answer
  const { stream } = orNotFound(await files.openFile(request.params.name, range))
  const stalled = setTimeout(() => request.socket.destroy(), STALLED_MS)
  const out = throughFlow(stream, (bytes) => {
    stalled.refresh()
    return flow(bytes)
  })
  whenAborted(signal, () => {
    clearTimeout(stalled)
    out.destroy()
  })
  return out
}

function whenAborted(signal: AbortSignal, act: () => void) {
  if (signal.aborted) act()
  else signal.addEventListener('abort', act, { once: true })
}
