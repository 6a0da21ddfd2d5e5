import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { orNotFound } from '../refusal.ts'
import { type Flow, openFlow, throughFlow } from '../storage/flow.ts'
import { readRange } from './range.ts'
import type { FileStore } from './store.ts'
import { mimeTypeOf } from './types.ts'

type Deps = { files: FileStore; flow: Flow }
type Request = FastifyRequest<{ Params: { name: string } }>

/** Browsers play these and run nothing in them. They show or run some of the others. */
const isPlayed = (mimeType: string) => /^(audio|video)\//.test(mimeType)

/** Files need no session: their names can't be guessed. Players ask for parts of them. */
export function storedFileRoutes(app: FastifyInstance, files: FileStore): void {
  const flow = openFlow()
  app.route<{ Params: { name: string } }>({
    // Fastify's own HEAD would read the file to its end.
    method: ['GET', 'HEAD'],
    url: '/files/:name',
    schema: { hide: true },
    handler: async (request, reply) => {
      const { name } = request.params
      const size = orNotFound(await files.sizeOf(name))
      // Without a name in the header, a link of the page decides what the file is called.
      if (!isPlayed(mimeTypeOf(name))) reply.header('content-disposition', 'attachment')
      reply.type(mimeTypeOf(name)).headers({
        'accept-ranges': 'bytes',
        'cache-control': 'private, max-age=31536000, immutable',
        'content-security-policy': "default-src 'none'; frame-ancestors 'none'; sandbox",
        etag: `"${name}"`,
      })
      return answer(request, reply, size, { files, flow })
    },
  })
}

async function answer(request: Request, reply: FastifyReply, size: number, { files, flow }: Deps) {
  const { name } = request.params
  const { range: asked, 'if-range': known } = request.headers
  // Only for whoever has a part of this very file.
  const isSame = known === undefined || known === `"${name}"`
  const range = isSame ? readRange(asked, size) : undefined
  if (range === null) return reply.code(416).header('content-range', `bytes */${size}`).send()
  if (range) reply.code(206).header('content-range', `bytes ${range.start}-${range.end}/${size}`)
  reply.header('content-length', range ? range.end - range.start + 1 : size)
  if (request.method === 'HEAD') return reply.send()
  const { stream } = orNotFound(await files.openFile(name, range))
  return reply.send(throughFlow(stream, flow))
}
