import { contract } from '@sendroom/contract'
import type { ContactExport } from '@sendroom/contract/contacts'
import type { FastifyInstance, FastifyReply } from 'fastify'
import type { Config } from '../../config.ts'
import type { Begin, Caller, Recheck } from '../../platform/access.ts'
import { record } from '../../platform/audit.ts'
import { refuseIfFiltered } from '../../platform/contacts/lists.ts'
import { deleteTag, listTags } from '../../platform/contacts/tags.ts'
import type { Pool } from '../../platform/database/connection.ts'
import type { Exports } from '../../platform/export/exports.ts'
import { clientSignal } from '../../platform/heavy/client-signal.ts'
import { IDS_BODY_BYTES, route } from '../../platform/http.ts'
import { orNotFound } from '../../platform/refusal.ts'
import { findChoices, findContact, searchContacts } from './contacts.queries.ts'
import {
  changeContact,
  createContact,
  removeContact,
  removeContacts,
  tagContacts,
} from './contacts.service.ts'
import { exportContacts } from './export.ts'
import { listJobsOf } from './jobs.queries.ts'

type Deps = { db: Pool; exports: Exports; config: Pick<Config, 'defaultCountry'> }

type ExportInput = {
  caller: Caller
  begin: Begin
  recheck: Recheck
  body: ContactExport
  reply: FastifyReply
}

const exportLimit = { rateLimit: { max: 60, timeWindow: 60_000 } }

/** For thirty fields with long values. */
const withValues = { bodyBytes: IDS_BODY_BYTES }

export function contactRoutes(app: FastifyInstance, { db, exports, config: { defaultCountry } }: Deps): void {
  const { contacts } = contract
  route(app, contacts.search, ({ caller, body }) => searchContacts(db, caller, body))
  route(app, contacts.choices, async ({ caller, body }) => ({
    contacts: await findChoices(db, caller, body.search),
  }))
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
  route(app, contacts.jobs, async ({ caller, params: { id }, query }) => {
    orNotFound(await findContact(db, id))
    return listJobsOf(db, caller, id, query)
  })
  const exportAs = (format: 'csv' | 'xlsx', { body, reply, ...of }: ExportInput) =>
    exportContacts({ db, exports }, of, { ...body, format }, clientSignal(reply))
  route(app, contacts.exportCsv, (input) => exportAs('csv', input), exportLimit)
  route(app, contacts.exportXlsx, (input) => exportAs('xlsx', input), exportLimit)
  route(app, contacts.tags, async () => ({ tags: await listTags(db) }))
  route(app, contacts.removeTag, ({ begin, params }) =>
    begin(async (tx, caller) => {
      const tag = orNotFound(await deleteTag(tx, params.id))
      await refuseIfFiltered(tx, { tagId: tag.id })
      await record(tx, caller, { action: 'tag.delete', object: { type: 'tag', ...tag } })
    }),
  )
}
