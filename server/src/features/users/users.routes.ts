import { contract } from '@sendroom/contract'
import type { FastifyInstance } from 'fastify'
import type { Config } from '../../config.ts'
import { browserOf } from '../../platform/browser-name.ts'
import type { Pool } from '../../platform/database/connection.ts'
import { IDS_BODY_BYTES, route } from '../../platform/http.ts'
import { listUsers } from './users.queries.ts'
import { assignInstances, createUser, removeUser, requireUser, updateUser } from './users.service.ts'

type Deps = { db: Pool; config: Pick<Config, 'passwordMin'> }

export function userRoutes(app: FastifyInstance, deps: Deps): void {
  const { db } = deps
  const { users } = contract
  const withIds = { bodyBytes: IDS_BODY_BYTES }
  route(app, users.list, ({ query }) => listUsers(db, query))
  route(app, users.get, ({ params }) => requireUser(db, params.id))
  route(app, users.create, ({ begin, caller, body }) => createUser(deps, begin, caller, body), withIds)
  route(
    app,
    users.update,
    ({ begin, caller, params, body, request }) =>
      updateUser(deps, begin, caller, params.id, body, browserOf(request)),
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
