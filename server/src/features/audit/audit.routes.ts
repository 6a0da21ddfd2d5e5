import { contract } from '@sendroom/contract'
import type { FastifyInstance } from 'fastify'
import type { Pool } from '../../platform/database/connection.ts'
import type { Exports } from '../../platform/export/exports.ts'
import { clientSignal } from '../../platform/heavy/client-signal.ts'
import { route } from '../../platform/http.ts'
import { listEntries } from './audit.queries.ts'
import { exportEntries } from './export.ts'

type Deps = { db: Pool; exports: Exports }

export function auditRoutes(app: FastifyInstance, deps: Deps): void {
  const { audit } = contract
  route(app, audit.list, ({ query }) => listEntries(deps.db, query))
  route(app, audit.export, ({ query, reply, ...of }) => exportEntries(deps, of, query, clientSignal(reply)))
}
