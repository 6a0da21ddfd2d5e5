import { contract } from '@sendroom/contract'
import type { FastifyInstance } from 'fastify'
import type { Pool } from '../../platform/database/connection.ts'
import { answer } from '../../platform/http.ts'
import { openHub } from './hub.ts'

type Parts = { db: Pool; log: { warn: (details: object, sentence: string) => void } }

export function eventRoutes(app: FastifyInstance, parts: Parts): void {
  const hub = openHub(parts)
  // Streams would go on for ever, and a stop waits for every request.
  app.addHook('preClose', hub.stop)
  answer(app, contract.events.follow, ({ caller }) => hub.follow(caller))
}
