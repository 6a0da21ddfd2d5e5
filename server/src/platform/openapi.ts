import { createHash } from 'node:crypto'
import fastify, { type FastifyInstance, type RouteOptions } from 'fastify'
import { answerError } from './http.ts'
import { Refusal } from './refusal.ts'
import { schemaController } from './schema-controller.ts'

const PAGES = '/api/docs'

/** Returns a list that gets each route to describe when it is registered. */
export function listRoutes(app: FastifyInstance): RouteOptions[] {
  const routes: RouteOptions[] = []
  app.addHook('onRoute', (route) => {
    if (route.method !== 'HEAD' && route.schema && !route.schema.hide) routes.push(route)
  })
  return routes
}

/**
 * Serves the API's description, generated from the contract, as JSON and as pages to read. A separate Fastify
 * generates the description on the first request, because it takes 6 MB and is rarely read. Anybody may ask, so the
 * JSON is written once: that takes 3 ms.
 */
export function openApi(app: FastifyInstance, routes: readonly RouteOptions[]): void {
  let description: Promise<FastifyInstance> | undefined
  const described = () => {
    description ??= describe(routes)
    return description
  }

  let json: Promise<{ text: string; etag: string }> | undefined
  async function serialize() {
    const text = JSON.stringify((await described()).swagger())
    return { text, etag: `"${createHash('sha256').update(text).digest('base64url')}"` }
  }

  const hidden = { schema: { hide: true } }
  app.get('/api/openapi.json', hidden, async (request, reply) => {
    json ??= serialize()
    const { text, etag } = await json
    reply.headers({ etag, 'cache-control': 'no-cache' })
    if (request.headers['if-none-match'] === etag) return reply.code(304).send()
    return reply.type('application/json').send(text)
  })
  for (const url of [PAGES, `${PAGES}/*`])
    app.get(url, hidden, async (request, reply) => {
      const pages = await described()
      for (const [name, value] of Object.entries(reply.getHeaders()))
        if (value !== undefined) reply.raw.setHeader(name, value)
      reply.raw.setHeader(
        'content-security-policy',
        withInlineStyles(reply.getHeader('content-security-policy')),
      )
      reply.hijack()
      pages.routing(request.raw, reply.raw)
    })
}

/** Swagger UI adds a style element without a nonce. */
const withInlineStyles = (policy: unknown) =>
  String(policy).replace("style-src 'self'", "style-src 'self' 'unsafe-inline'")

async function describe(routes: readonly RouteOptions[]): Promise<FastifyInstance> {
  const [{ default: swagger }, { default: swaggerUi }, { jsonSchemaTransform, jsonSchemaTransformObject }] =
    await Promise.all([
      import('@fastify/swagger'),
      import('@fastify/swagger-ui'),
      import('fastify-type-provider-zod'),
    ])
  // As in app.ts. A description that failed once would be missing until the next start.
  const app = fastify({ schemaController, pluginTimeout: 0 })
  app.setErrorHandler(answerError)
  app.setNotFoundHandler(() => {
    throw new Refusal('not_found')
  })
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Sendroom',
        description: 'The back office for WhatsApp messaging automation',
        version: '0.1.0',
      },
      components: {
        securitySchemes: {
          session: {
            type: 'http',
            scheme: 'bearer',
            description: 'The token that `POST /auth/login` answers.',
          },
          apiKey: {
            type: 'http',
            scheme: 'bearer',
            description:
              'An API key, `sendroom_…`, made on the page **API keys**. It does what both the key and its owner may do, and creates jobs only with a `requestId`.',
          },
        },
      },
    },
    transform: jsonSchemaTransform,
    transformObject: jsonSchemaTransformObject,
  })
  for (const { method, url, schema } of routes) app.route({ method, url, schema, handler: () => {} })
  await app.register(swaggerUi, { routePrefix: PAGES })
  await app.ready()
  return app
}
