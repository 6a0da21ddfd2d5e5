import { contract } from '@sendroom/contract'
import type { FastifyInstance } from 'fastify'
import type { Config } from '../../config.ts'
import { record } from '../../platform/audit.ts'
import type { Pool } from '../../platform/database/connection.ts'
import { IDS_BODY_BYTES, route } from '../../platform/http.ts'
import { orNotFound } from '../../platform/refusal.ts'
import { findContact, searchContacts } from './contacts.queries.ts'
import {
  changeContact,
  createContact,
  removeContact,
  removeContacts,
  tagContacts,
} from './contacts.service.ts'
import { deleteTag, listTags } from './tags.queries.ts'

type Deps = { db: Pool; config: Pick<Config, 'defaultCountry'> }

/** For thirty fields with long values. */
const withValues = { bodyBytes: IDS_BODY_BYTES }

export function contactRoutes(app: FastifyInstance, { db, config: { defaultCountry } }: Deps): void {
  const { contacts } = contract
  route(app, contacts.search, ({ caller, body }) => searchContacts(db, caller, body))
  route(app, contacts.get, async ({ params }) => orNotFound(await findContact(db, params.id)))
  route(app, contacts.create, ({ begin, body }) => createContact(begin, body, defaultCountry), withValues)
  route(
    app,
    contacts.update,
    ({ begin, params, body }) => changeContact(begin, params.id, body, defaultCountry),
    withValues,
  )
  route(app, contacts.remove, ({ begin, params }) => removeContact(begin, params.id))
  route(app, contacts.bulkDelete, ({ begin, body }) => removeContacts(begin, body))
  route(app, contacts.bulkTag, ({ begin, body }) => tagContacts(begin, body))
  route(app, contacts.tags, async () => ({ tags: await listTags(db) }))
  route(app, contacts.removeTag, ({ begin, params }) =>
    begin(async (tx, caller) => {
      const tag = orNotFound(await deleteTag(tx, params.id))
      await record(tx, caller, { action: 'tag.delete', object: { type: 'tag', ...tag } })
    }),
  )
}
