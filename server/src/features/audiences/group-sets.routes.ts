import { contract } from '@sendroom/contract'
import type { FastifyInstance } from 'fastify'
import type { Pool } from '../../platform/database/connection.ts'
import { route } from '../../platform/http.ts'
import { orNotFound } from '../../platform/refusal.ts'
import { findGroupSet, listEligibleUsers, listGroupSets } from './group-sets.queries.ts'
import { changeGroupSet, createGroupSet, removeGroupSet } from './group-sets.service.ts'

export function groupSetRoutes(app: FastifyInstance, { db }: { db: Pool }): void {
  const { groupSets } = contract
  route(app, groupSets.list, ({ caller, query }) => listGroupSets(db, caller, query))
  route(app, groupSets.get, async ({ caller, params }) =>
    orNotFound(await findGroupSet(db, caller, params.id)),
  )
  route(app, groupSets.create, ({ begin, body }) => createGroupSet(begin, body))
  route(app, groupSets.update, ({ begin, params, body }) => changeGroupSet(begin, params.id, body))
  route(app, groupSets.remove, ({ begin, params }) => removeGroupSet(begin, params.id))
  route(app, groupSets.users, async ({ caller, params }) => ({
    users: orNotFound(await listEligibleUsers(db, caller, params.id)),
  }))
}
