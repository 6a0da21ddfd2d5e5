import type { FastifyInstance } from 'fastify'
import { Refusal } from '../refusal.ts'
import { openTurnstile } from '../turnstile.ts'
import type { ImageStore } from './store.ts'

/** An image is in memory as a whole. */
const READS = { ofUser: 4, waitingOfUser: 1000, retrySeconds: 1 }
/** All who ask count as one user: there is no session. */
const ANYBODY = { userId: 0 }

/** Images need no session: their names can't be guessed. */
export function imageRoutes(app: FastifyInstance, images: ImageStore): void {
  const { run } = openTurnstile(READS)
  app.get<{ Params: { name: string } }>(
    '/images/:name',
    { schema: { hide: true } },
    async (request, reply) => {
      const hasLeft = () => request.socket.destroyed
      const image = await run(ANYBODY, async () => (hasLeft() ? null : images.read(request.params.name)))
      if (!image) throw new Refusal('not_found')
      const { buffer, byteOffset, byteLength } = image.bytes
      return reply
        .type(image.mimeType)
        .header('cache-control', 'private, max-age=31536000, immutable')
        .header('content-security-policy', "default-src 'none'; frame-ancestors 'none'; sandbox")
        .send(Buffer.from(buffer, byteOffset, byteLength))
    },
  )
}
