import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import type { Departure } from './closing.ts'
import type { Pool } from './database/connection.ts'
import { schemaIsCurrent } from './database/migrate.ts'
import { Refusal } from './refusal.ts'

const Ok = z.object({ status: z.literal('ok') })

export function healthRoutes(app: FastifyInstance, db: Pool, departure: Departure): void {
  const schema = (summary: string) => ({ summary, tags: ['system'], response: { 200: Ok } })
  app.get('/api/health', { schema: schema('The process is up') }, async () => ({ status: 'ok' }))
  app.get('/api/ready', { schema: schema('The database answers and its schema is current') }, async () => {
    if (!departure.isWelcoming() || !(await schemaIsCurrent(db))) throw new Refusal('unavailable', {}, 2)
    return { status: 'ok' }
  })
}
