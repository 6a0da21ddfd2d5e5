import type { FastifyInstance } from 'fastify'
import { decodeMedia, imageMime } from '../state/media.ts'
import type { State } from '../state/state.ts'
import { mediaIdPattern } from '../wire/identifiers.ts'
import { fieldsOf, textOf } from '../wire/parameters.ts'
import { refuse } from '../wire/refusal.ts'

/** Adds `POST /media` (upload), `GET /media/:id` and `DELETE /media/:id`. */
export function mediaRoutes(app: FastifyInstance, { channels, media }: State): void {
  app.post('/media', async ({ channel, body, headers }) => {
    channels.requireSender(channel)
    const bytes = uploadedBytes(body)
    const mime = imageMime(bytes) ?? headers['content-type']?.split(';')[0] ?? 'application/octet-stream'
    return { media: [{ id: media.store(channel.token, bytes, mime).id }] }
  })

  app.get<{ Params: { id: string } }>('/media/:id', async ({ channel, params }, reply) => {
    const id = checkedId(params.id)
    return reply.type(media.find(channel.token, id).mime).send(media.bytes(channel.token, id))
  })

  app.delete<{ Params: { id: string } }>('/media/:id', async ({ channel, params }) => {
    media.remove(channel.token, checkedId(params.id))
    return { success: true }
  })
}

/**
 * Returns the bytes of an upload. The body is raw bytes, JSON `{ media }`, or the text of a data URI as raw bytes,
 * which is what one of Whapi's sample scripts sends.
 */
function uploadedBytes(body: unknown): Buffer {
  if (Buffer.isBuffer(body)) {
    return body.toString('latin1', 0, 5) === 'data:' ? decodeMedia(body.toString('latin1')) : body
  }
  const text = textOf(fieldsOf(body), 'media')
  if (!text) throw refuse.parameters('media is required')
  return decodeMedia(text)
}

function checkedId(id: string): string {
  if (!mediaIdPattern.test(id)) throw refuse.parameters('MediaID is malformed')
  return id
}
