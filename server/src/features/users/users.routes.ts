import { contract } from '@sendroom/contract'
import type { FastifyInstance } from 'fastify'
import type { Sql } from '../../platform/database/connection.ts'
import { answer } from '../../platform/http.ts'
import { listUsers } from './users.queries.ts'
import { assignInstances, createUser, getUser, removeUser, requireUser, updateUser } from './users.service.ts'

export function userRoutes(app: FastifyInstance, { sql }: { sql: Sql }): void {
  const { users } = contract
  answer(app, users.list, ({ query }) => listUsers(sql, query))
  answer(app, users.get, ({ params }) => getUser(sql, params.id))
  answer(app, users.create, ({ body }) => createUser(sql, body))
  answer(app, users.update, ({ caller, params, body }) => updateUser(sql, caller, params.id, body))
  answer(app, users.remove, ({ caller, params }) => removeUser(sql, caller, params.id))
  answer(app, users.assignInstances, ({ params, body }) => assignInstances(sql, params.id, body))
  answer(app, users.instances, ({ params }) => requireUser(sql, params.id))
}
