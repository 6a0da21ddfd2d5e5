import { contract } from '@sendroom/contract'
import { type ContactField, hasFittingChoices } from '@sendroom/contract/contact-fields'
import type { FastifyInstance } from 'fastify'
import { changesOf, type Entry, record } from '../../platform/audit.ts'
import { refuseIfFiltered } from '../../platform/contacts/lists.ts'
import type { Db, Pool } from '../../platform/database/connection.ts'
import { isForeignKeyViolation, isUniqueViolation } from '../../platform/database/errors.ts'
import { route } from '../../platform/http.ts'
import { InvalidInput, orNotFound, Refusal } from '../../platform/refusal.ts'
import {
  deleteField,
  findField,
  hasOtherChoices,
  insertField,
  listFields,
  updateField,
} from './fields.queries.ts'

export function contactFieldRoutes(app: FastifyInstance, { db }: { db: Pool }): void {
  const { contactFields } = contract
  route(app, contactFields.list, async () => ({ fields: await listFields(db) }))
  route(app, contactFields.create, ({ begin, body }) =>
    begin(async (tx, caller) => {
      const id = await insertField(tx, body).catch(refuseTakenKey)
      if (id === null) throw new Refusal('too_many_contact_fields')
      const field = await requireField(tx, id)
      await record(tx, caller, entryOf('contact_field.create', field, settingsOf(field)))
      return field
    }),
  )
  route(app, contactFields.update, ({ begin, params: { id }, body }) =>
    begin(async (tx, caller) => {
      const before = await requireField(tx, id)
      if (!hasFittingChoices(before.type, body.choices))
        throw new InvalidInput({ choices: 'CONTACT_FIELD_FORM.CHOICES_INVALID' })
      // The update waits for those who write contacts. Only then their choices can be seen.
      await updateField(tx, id, body)
      const removed = before.choices.filter((choice) => !body.choices.includes(choice))
      if (await hasOtherChoices(tx, id, removed)) throw new Refusal('contact_choice_used')
      await refuseIfFiltered(tx, { fieldKey: before.key, choices: removed })
      const after = await requireField(tx, id)
      const changes = changesOf(before, after, ['name', 'choices'])
      if (Object.keys(changes).length > 0)
        await record(tx, caller, entryOf('contact_field.update', after, { changes }))
      return after
    }),
  )
  route(app, contactFields.remove, ({ begin, params: { id } }) =>
    begin(async (tx, caller) => {
      const field = await requireField(tx, id)
      await deleteField(tx, id).catch(refuseUsed)
      await refuseIfFiltered(tx, { fieldKey: field.key })
      await record(tx, caller, entryOf('contact_field.delete', field, settingsOf(field)))
    }),
  )
}

const requireField = async (db: Db, id: number) => orNotFound(await findField(db, id))

const settingsOf = ({ key, type, choices }: ContactField) => ({ key, type, choices })

const entryOf = (action: Entry['action'], { id, name }: ContactField, details: object): Entry => ({
  action,
  object: { type: 'contact_field', id, name },
  details: { ...details },
})

function refuseTakenKey(error: unknown): never {
  throw isUniqueViolation(error, 'contact_fields_key') ? new Refusal('contact_field_taken') : error
}

function refuseUsed(error: unknown): never {
  throw isForeignKeyViolation(error) ? new Refusal('contact_field_used') : error
}
