import { contract } from '@sendroom/contract'
import type { FastifyInstance } from 'fastify'
import type { Pool } from '../../platform/database/connection.ts'
import { IDS_BODY_BYTES, route } from '../../platform/http.ts'
import { listUsers } from './users.queries.ts'
import { assignInstances, createUser, removeUser, requireUser, updateUser } from './users.service.ts'

export function userRoutes(app: FastifyInstance, { db }: { db: Pool }): void {
  const { users } = contract
  const withIds = { bodyBytes: IDS_BODY_BYTES }
  route(app, users.list, ({ query }) => listUsers(db, query))
  route(app, users.get, ({ params }) => requireUser(db, params.id))
  route(app, users.create, ({ begin, body }) => createUser(begin, body), withIds)
  route(
    app,
    users.update,
    ({ begin, caller, params, body }) => updateUser(begin, caller, params.id, body),
    withIds,
  )
  route(app, users.remove, ({ begin, params }) => removeUser(begin, params.id))
  route(
    app,
    users.assignInstances,
    ({ begin, params, body }) => assignInstances(begin, params.id, body),
    withIds,
  )
  route(app, users.instances, ({ params }) => requireUser(db, params.id))
}
