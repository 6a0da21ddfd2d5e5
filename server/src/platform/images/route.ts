import type { FastifyInstance } from 'fastify'
import { Refusal } from '../refusal.ts'
import type { ImageStore } from './store.ts'

/** Images need no session: their names can't be guessed. */
export function imageRoutes(app: FastifyInstance, images: ImageStore): void {
  app.get<{ Params: { name: string } }>(
    '/images/:name',
    { schema: { hide: true } },
    async (request, reply) => {
      const image = await images.read(request.params.name)
      if (!image) throw new Refusal('not_found')
      return reply
        .type(image.mimeType)
        .header('cache-control', 'private, max-age=31536000, immutable')
        .header('content-security-policy', "default-src 'none'; frame-ancestors 'none'; sandbox")
        .send(Buffer.from(image.bytes))
    },
  )
}
