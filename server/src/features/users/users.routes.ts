import { contract } from '@sendroom/contract'
import type { FastifyInstance } from 'fastify'
import type { Pool } from '../../platform/database/connection.ts'
import { route } from '../../platform/http.ts'
import { listUsers } from './users.queries.ts'
import { assignInstances, createUser, removeUser, requireUser, updateUser } from './users.service.ts'

export function userRoutes(app: FastifyInstance, { db }: { db: Pool }): void {
  const { users } = contract
  route(app, users.list, ({ query }) => listUsers(db, query))
  route(app, users.get, ({ params }) => requireUser(db, params.id))
  route(app, users.create, ({ body }) => createUser(db, body))
  route(app, users.update, ({ caller, params, body }) => updateUser(db, caller, params.id, body))
  route(app, users.remove, ({ caller, params }) => removeUser(db, caller, params.id))
  route(app, users.assignInstances, ({ params, body }) => assignInstances(db, params.id, body))
  route(app, users.instances, ({ params }) => requireUser(db, params.id))
}
