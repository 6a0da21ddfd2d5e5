import { contract } from '@sendroom/contract'
import type { FastifyInstance } from 'fastify'
import type { Pool } from '../../platform/database/connection.ts'
import { clientSignal } from '../../platform/heavy/client-signal.ts'
import type { HeavyWork } from '../../platform/heavy/heavy-work.ts'
import { route } from '../../platform/http.ts'
import { contentDisposition, exportParticipants } from './export.ts'
import { listGroups } from './groups.queries.ts'

type Deps = { db: Pool; heavyWork: HeavyWork }

export function groupRoutes(app: FastifyInstance, { db, heavyWork }: Deps): void {
  const { groups } = contract
  route(app, groups.list, ({ caller, query }) => listGroups(db, caller, { ...query, instanceIds: [] }))
  route(app, groups.search, ({ caller, body }) => listGroups(db, caller, body))
  route(
    app,
    groups.exportParticipants,
    async ({ caller, params, reply }) => {
      const { fileName, file } = await exportParticipants(
        { db, heavyWork },
        caller,
        params.id,
        clientSignal(reply),
      )
      reply.header('content-disposition', contentDisposition(fileName))
      return file
    },
    { rateLimit: { max: 60, timeWindow: 60_000 } },
  )
}
