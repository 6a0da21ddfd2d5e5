import { contract } from '@sendroom/contract'
import type { FastifyInstance } from 'fastify'
import type { Pool } from '../../platform/database/connection.ts'
import { route } from '../../platform/http.ts'
import { getStats } from './dashboard.service.ts'

export function dashboardRoutes(app: FastifyInstance, { db }: { db: Pool }): void {
  route(app, contract.dashboard.stats, ({ caller }) => getStats(db, caller))
}
