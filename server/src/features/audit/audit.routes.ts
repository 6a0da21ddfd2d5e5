import { contract } from '@sendroom/contract'
import type { FastifyInstance } from 'fastify'
import type { Pool } from '../../platform/database/connection.ts'
import { route } from '../../platform/http.ts'
import { listEntries } from './audit.queries.ts'
import { exportEntries } from './export.ts'

export function auditRoutes(app: FastifyInstance, { db }: { db: Pool }): void {
  const { audit } = contract
  route(app, audit.list, ({ query }) => listEntries(db, query))
  route(app, audit.export, async ({ caller, query, reply }) => {
    const { fileName, file } = await exportEntries(db, caller, query)
    reply.header('content-disposition', `attachment; filename="${fileName}"`)
    return file
  })
}
