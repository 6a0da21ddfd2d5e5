import { contract } from '@sendroom/contract'
import type { FastifyInstance } from 'fastify'
import type { Pool } from '../../platform/database/connection.ts'
import { route } from '../../platform/http.ts'
import { openHub } from './hub.ts'

type Deps = { db: Pool; log: { warn: (details: object, sentence: string) => void } }

export function eventRoutes(app: FastifyInstance, deps: Deps): void {
  const hub = openHub(deps)
  // A stop waits for all requests, and a stream would never end by itself.
  app.addHook('preClose', hub.stop)
  route(app, contract.events.follow, ({ caller }) => hub.follow(caller))
}
