import { contract } from '@sendroom/contract'
import type { FastifyInstance } from 'fastify'
import type { Sql } from '../../platform/database/connection.ts'
import { answer } from '../../platform/http.ts'
import { contentDisposition, exportParticipants } from './export.ts'
import { listGroups } from './groups.queries.ts'

export function groupRoutes(app: FastifyInstance, { sql }: { sql: Sql }): void {
  const { groups } = contract
  answer(app, groups.list, ({ caller, query }) => listGroups(sql, caller, { ...query, instanceIds: [] }))
  answer(app, groups.search, ({ caller, body }) => listGroups(sql, caller, body))
  answer(app, groups.exportParticipants, async ({ caller, params, reply }) => {
    const { fileName, file } = await exportParticipants(sql, caller, params.id)
    reply.header('content-disposition', contentDisposition(fileName))
    return file
  })
}
