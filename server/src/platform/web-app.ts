import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import fastifyStatic from '@fastify/static'
import type { FastifyInstance } from 'fastify'
import { setForgeryCookie } from './forgery.ts'
import { Refusal } from './refusal.ts'

const DIST = join(import.meta.dirname, '../../../web/dist')

/** Serves the built web app: files by their names, the page for every other address, JSON for unknown calls. */
export async function webApp(app: FastifyInstance): Promise<void> {
  const isBuilt = existsSync(join(DIST, 'index.html'))
  if (isBuilt) {
    await app.register(fastifyStatic, {
      root: DIST,
      index: false,
      preCompressed: true,
      wildcard: false,
      // Each file is a route of its own. These are sent in place of the files that they were made from.
      globIgnore: ['**/*.br', '**/*.gz'],
      setHeaders: (reply, path) => {
        // Vite puts a hash of the content into the names of its assets.
        const isImmutable = path.includes('/assets/')
        reply.header('cache-control', isImmutable ? 'public, max-age=31536000, immutable' : 'no-cache')
        // Only pages need this long header. It would be a large part of the traffic of each small file.
        if (isImmutable) reply.raw.removeHeader('content-security-policy')
      },
    })
  }
  app.setNotFoundHandler(async (request, reply) => {
    const isPage = request.method === 'GET' || request.method === 'HEAD'
    // Without the query: a search term may look like a file name.
    const [path = ''] = request.url.split('?')
    if (!isBuilt || !isPage || path.startsWith('/api/') || /\.\w+$/.test(path)) throw new Refusal('not_found')
    setForgeryCookie(request, reply)
    const nonce = randomBytes(16).toString('base64')
    return reply
      .header('cache-control', 'no-cache')
      .header('content-security-policy', withStyleNonce(reply.getHeader('content-security-policy'), nonce))
      .type('text/html; charset=utf-8')
      .send(readFileSync(join(DIST, 'index.html'), 'utf8').replace('STYLE_NONCE', nonce))
  })
}

/** Mantine writes its theme's variables into a style element, which no other way than a nonce allows. */
const withStyleNonce = (policy: unknown, nonce: string) =>
  String(policy).replace("style-src 'self'", `style-src 'self' 'nonce-${nonce}'`)
