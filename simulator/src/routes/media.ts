import type { FastifyInstance } from 'fastify'
import { decodeMedia, maxUploadBytes } from '../media/media.ts'
import type { State } from '../state/state.ts'
import { mediaIdPattern } from '../wire/identifiers.ts'
import { fieldsOf, textOf } from '../wire/parameters.ts'
import { Refusal, refuse } from '../wire/refusal.ts'

/** Adds `POST /media` (upload), `GET /media/:id` and `DELETE /media/:id`. */
export function mediaRoutes(app: FastifyInstance, { channels, media }: State): void {
  app.register(async (own) => {
    // Bodies other than JSON are streams here, so that no file is ever in memory as a whole.
    own.removeAllContentTypeParsers()
    own.addContentTypeParser(
      'application/json',
      { parseAs: 'string' },
      own.getDefaultJsonParser('error', 'ignore'),
    )
    own.addContentTypeParser('*', (_request, stream, done) => done(null, stream))

    own.post('/media', async ({ channel, body, headers }) => {
      channels.requireSender(channel)
      if (Number(headers['content-length']) > maxUploadBytes)
        throw new Refusal(413, 'request media too large')
      const mime = headers['content-type']?.split(';')[0] ?? 'application/octet-stream'
      const { id } = await media.store(channel.token, uploadOf(body), mime)
      return { media: [{ id }] }
    })
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

/** Returns the bytes of an upload: a stream of raw bytes, or JSON `{ media }` with base64. */
function uploadOf(body: unknown): AsyncIterable<Buffer> | Buffer[] {
  if (isStream(body)) return body
  const text = textOf(fieldsOf(body), 'media')
  if (!text) throw refuse.parameters('media is required')
  return [decodeMedia(text)]
}

/** The parser gives streams of bytes and JSON, nothing else. */
const isStream = (body: unknown): body is AsyncIterable<Buffer> =>
  typeof body === 'object' && body !== null && Symbol.asyncIterator in body

function checkedId(id: string): string {
  if (!mediaIdPattern.test(id)) throw refuse.parameters('MediaID is malformed')
  return id
}
