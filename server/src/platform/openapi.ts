import swagger from '@fastify/swagger'
import type { FastifyInstance } from 'fastify'
import { jsonSchemaTransform, jsonSchemaTransformObject } from 'fastify-type-provider-zod'

/** The API's description, made from the contract: as JSON, and as pages to read. */
export async function openApi(app: FastifyInstance): Promise<void> {
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Sendroom',
        description: 'The back office for WhatsApp messaging automation',
        version: '0.1.0',
      },
      components: { securitySchemes: { session: { type: 'http', scheme: 'bearer' } } },
    },
    transform: jsonSchemaTransform,
    transformObject: jsonSchemaTransformObject,
  })
  app.get('/api/openapi.json', { schema: { hide: true } }, () => app.swagger())
  const { default: swaggerUi } = await import('@fastify/swagger-ui')
  await app.register(swaggerUi, { routePrefix: '/api/docs' })
}
