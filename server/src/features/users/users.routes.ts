import { contract } from '@sendroom/contract'
import type { FastifyInstance } from 'fastify'
import type { Config } from '../../config.ts'
import type { Pool } from '../../platform/database/connection.ts'
import { route } from '../../platform/http.ts'
import { listUsers } from './users.queries.ts'
import { assignInstances, createUser, getUser, removeUser, requireUser, updateUser } from './users.service.ts'

type Deps = { db: Pool; config: Pick<Config, 'passwordMin'> }

export function userRoutes(app: FastifyInstance, deps: Deps): void {
  const { db } = deps
  const { users } = contract
  route(app, users.list, ({ query }) => listUsers(db, query))
  route(app, users.get, ({ params }) => getUser(db, params.id))
  route(app, users.create, ({ body }) => createUser(deps, body))
  route(app, users.update, ({ caller, params, body }) => updateUser(deps, caller, params.id, body))
  route(app, users.remove, ({ caller, params }) => removeUser(db, caller, params.id))
  route(app, users.assignInstances, ({ params, body }) => assignInstances(db, params.id, body))
  route(app, users.instances, ({ params }) => requireUser(db, params.id))
}
