import type { FastifyInstance } from 'fastify'

/** Calls such as restart come with the JSON content type and no body at all, which Fastify would refuse. */
export function acceptEmptyJson(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser('error', 'error')
  app.removeContentTypeParser('application/json')
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) => {
    if (body.length === 0) done(null, undefined)
    else parse(request, body.toString(), done)
  })
}
