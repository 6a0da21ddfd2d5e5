import type { contract } from '@sendroom/contract'
import { sql } from '../../src/platform/database/sql.ts'
import { context } from './fixture.ts'
import { of, type RowsOf, type Statuses } from './rows.ts'

// The matrix' rows of number checks: the right to manage contacts, through an account that one has.

const assignedManagers = (status: number, unassigned: number): Statuses => [
  401,
  401,
  unassigned,
  403,
  status,
  status,
]

const queue = async ({ instanceId }: { instanceId: number }) => {
  await context.db.run(sql`
    insert into due_number_checks (instance_id, phone, asked_by_user_id)
    select ${instanceId}, '8493' || id, id from users on conflict do nothing`)
  return of(instanceId)
}

export const numberCheckRows: RowsOf<typeof contract.numberChecks> = {
  list: [assignedManagers(200, 200), () => ({})],
  create: [
    assignedManagers(202, 400),
    async ({ instanceId }) => ({
      body: { instanceId, contacts: { ids: [(await context.add.contact()).id] } },
    }),
  ],
  preview: [assignedManagers(200, 200), () => ({ body: { phoneNumbers: '0901234567' } })],
  stop: [assignedManagers(200, 404), queue],
  ofContact: [assignedManagers(200, 200), async () => of((await context.add.contact()).id)],
}
