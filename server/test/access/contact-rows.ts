import type { contract } from '@sendroom/contract'
import { sql } from '../../src/platform/database/sql.ts'
import { context } from './fixture.ts'
import { numberCheckRows } from './number-check-rows.ts'
import { optOutRows } from './opt-out-rows.ts'
import { admins, of, type RowsOf, type Statuses } from './rows.ts'

// The matrix' rows of contacts. They belong to no instance, so an unassigned Member with the right sees them.

const managers = (status: number): Statuses => [401, 401, status, 403, status, status]

const newContact = async () => of((await context.add.contact()).id)
const newSelection = async () => ({ ids: [(await context.add.contact()).id] })
const newField = async () => of((await context.add.contactField()).id)
const newTag = async (name: string) =>
  of((await context.db.one<{ id: number }>(sql`insert into tags (name) values (${name}) returning id`)).id)

const contactRows: RowsOf<typeof contract.contacts> = {
  search: [managers(200), () => ({ body: {} })],
  choices: [managers(200), () => ({ body: { search: 'Lan' } })],
  get: [managers(200), newContact],
  create: [
    managers(201),
    ({ instanceId }) => ({ body: { phoneNumbers: [`+8490${String(instanceId).padStart(7, '0')}`] } }),
  ],
  update: [
    managers(200),
    async () => {
      const { id, number } = await context.add.contact()
      return { ...of(id), body: { name: 'Lan', phoneNumbers: [`+${number}`] } }
    },
  ],
  remove: [managers(204), newContact],
  bulkDelete: [managers(200), async () => ({ body: await newSelection() })],
  bulkTag: [managers(200), async () => ({ body: { ...(await newSelection()), add: ['new'] } })],
  jobs: [managers(200), newContact],
  exportCsv: [managers(200), async () => ({ body: await newSelection() })],
  exportXlsx: [managers(200), async () => ({ body: await newSelection() })],
  tags: [managers(200), () => ({})],
  removeTag: [managers(204), ({ unique }) => newTag(unique)],
}

const contactFieldRows: RowsOf<typeof contract.contactFields> = {
  list: [managers(200), () => ({})],
  create: [
    admins(201),
    ({ instanceId }) => ({ body: { key: `city${instanceId}`, name: 'City', type: 'text' } }),
  ],
  update: [admins(200), async () => ({ ...(await newField()), body: { name: 'Town' } })],
  remove: [admins(204), newField],
}

export const contactMatrix = {
  contacts: contactRows,
  contactFields: contactFieldRows,
  optOuts: optOutRows,
  numberChecks: numberCheckRows,
}
