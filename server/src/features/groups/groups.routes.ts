import { contract } from '@sendroom/contract'
import type { FastifyInstance } from 'fastify'
import type { Pool } from '../../platform/database/connection.ts'
import type { Exports } from '../../platform/export/exports.ts'
import { clientSignal } from '../../platform/heavy/client-signal.ts'
import { route } from '../../platform/http.ts'
import { exportParticipants } from './export.ts'
import { listGroups } from './groups.queries.ts'

type Deps = { db: Pool; exports: Exports }

export function groupRoutes(app: FastifyInstance, { db, exports }: Deps): void {
  const { groups } = contract
  route(app, groups.list, ({ caller, query }) => listGroups(db, caller, { ...query, instanceIds: [] }))
  route(app, groups.search, ({ caller, body }) => listGroups(db, caller, body))
  route(
    app,
    groups.exportParticipants,
    ({ params, reply, ...of }) => exportParticipants({ db, exports }, of, params.id, clientSignal(reply)),
    { rateLimit: { max: 60, timeWindow: 60_000 } },
  )
}
