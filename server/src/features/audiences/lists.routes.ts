import { contract } from '@sendroom/contract'
import type { FastifyInstance } from 'fastify'
import type { Pool } from '../../platform/database/connection.ts'
import { IDS_BODY_BYTES, route } from '../../platform/http.ts'
import { orNotFound } from '../../platform/refusal.ts'
import { findList, listEligibleUsers, listLists } from './lists.queries.ts'
import {
  addContacts,
  changeList,
  createList,
  removeList,
  searchListContacts,
  takeOffContacts,
} from './lists.service.ts'

/** For a filter with thirty long values. */
const withFilter = { bodyBytes: IDS_BODY_BYTES }

export function listOfContactsRoutes(app: FastifyInstance, { db }: { db: Pool }): void {
  const { lists } = contract
  route(app, lists.list, ({ caller, query }) => listLists(db, caller, query))
  route(app, lists.get, async ({ caller, params }) => orNotFound(await findList(db, caller, params.id)))
  route(app, lists.create, ({ begin, body }) => createList(begin, body), withFilter)
  route(app, lists.update, ({ begin, params, body }) => changeList(begin, params.id, body), withFilter)
  route(app, lists.remove, ({ begin, params }) => removeList(begin, params.id))
  route(app, lists.searchContacts, ({ caller, params, body }) =>
    searchListContacts(db, caller, params.id, body),
  )
  route(app, lists.addContacts, ({ begin, params, body }) => addContacts(begin, params.id, body), withFilter)
  route(
    app,
    lists.removeContacts,
    ({ begin, params, body }) => takeOffContacts(begin, params.id, body),
    withFilter,
  )
  route(app, lists.users, async () => ({ users: await listEligibleUsers(db) }))
}
