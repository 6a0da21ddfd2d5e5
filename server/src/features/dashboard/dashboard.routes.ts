import { contract } from '@sendroom/contract'
import type { FastifyInstance } from 'fastify'
import type { Pool } from '../../platform/database/connection.ts'
import type { Exports } from '../../platform/export/exports.ts'
import { clientSignal } from '../../platform/heavy/client-signal.ts'
import { route } from '../../platform/http.ts'
import { getStats } from './dashboard.service.ts'
import { exportDays, getDays } from './days.ts'
import { getNow } from './now.ts'

export function dashboardRoutes(app: FastifyInstance, deps: { db: Pool; exports: Exports }): void {
  const { dashboard } = contract
  const { db } = deps

  route(app, dashboard.stats, ({ caller }) => getStats(db, caller))

  route(app, dashboard.now, ({ caller }) => getNow(db, caller))

  route(app, dashboard.days, async ({ caller, query }) => ({
    days: await getDays(db, caller, query.instanceId),
  }))

  route(app, dashboard.exportDays, ({ query, reply, ...of }) =>
    exportDays(deps, of, query.instanceId, clientSignal(reply)),
  )
}
