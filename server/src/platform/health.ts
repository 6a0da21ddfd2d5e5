import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import type { Departure } from './closing.ts'
import type { Pool } from './database/connection.ts'
import { ConnectionError } from './database/errors.ts'
import { schemaIsCurrent } from './database/migrate.ts'
import { Refusal } from './refusal.ts'

const Ok = z.object({ status: z.literal('ok') })

/** Less than the time-outs of load balancers, which are five seconds or more by default. */
const CHECK_MS = 3_000
const END_MS = 1_000

export function healthRoutes(app: FastifyInstance, shared: Pool, departure: Departure): void {
  // A connection of its own: requests that hold all the others must not make a load balancer take the server out.
  const db = shared.dedicated()
  app.addHook('onClose', () => db.end(END_MS))
  let checking: Promise<boolean> | undefined
  /** All who ask meanwhile share a check: otherwise strangers could make a load balancer wait for its own. */
  function check(): Promise<boolean> {
    checking ??= isReady(db).finally(() => {
      checking = undefined
    })
    return checking
  }
  const schema = (summary: string) => ({ summary, tags: ['system'], response: { 200: Ok } })
  app.get('/api/health', { schema: schema('The process is up') }, async () => ({ status: 'ok' }))
  app.get(
    '/api/ready',
    { schema: schema('The database accepts writes and its schema is current') },
    async () => {
      if (!departure.isWelcoming() || !(await withinTime(check()))) throw new Refusal('unavailable', {}, 2)
      return { status: 'ok' }
    },
  )
}

async function isReady(db: Pool): Promise<boolean> {
  await db.checkAvailable()
  return schemaIsCurrent(db)
}

/** Whoever asks cares for the answer of this moment, not for one that comes when the database is back. */
async function withinTime<T>(checking: Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(() => late.reject(new ConnectionError('The database does not answer')), CHECK_MS)
  return Promise.race([checking, late.promise]).finally(() => clearTimeout(timer))
}
