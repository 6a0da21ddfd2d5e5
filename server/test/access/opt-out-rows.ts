import type { contract } from '@sendroom/contract'
import { defaultOptOutWords } from '@sendroom/contract/opt-out-words'
import { sql } from '../../src/platform/database/sql.ts'
import { context } from './fixture.ts'
import { admins, of, type RowsOf, type Statuses } from './rows.ts'

// The matrix' rows of opt-outs. They belong to no instance, so an unassigned Member with the right sees them.

const managers = (status: number): Statuses => [401, 401, status, 403, status, status]

const newOptOut = async () => {
  const { id } = await context.db.one<{ id: number }>(sql`
    with begun as (
      insert into opt_outs (is_for_all, source, phone, said_at) values (true, 'form', '84901234567', clock_now())
      returning id
    )
    insert into opted_out (kind, value, opt_out_id) select 'phone', '8490' || id, id from begun
    returning opt_out_id as id`)
  return of(id)
}

const newPossible = async ({ instanceId }: { instanceId: number }) => {
  const { id } = await context.db.one<{ id: number }>(sql`
    insert into possible_opt_outs (instance_id, phone, why, words, provider_message_id, said_at)
    values (${instanceId}, ${`8491${instanceId}`}, 'contains', 'xin dừng', gen_random_uuid()::text, clock_now())
    returning id`)
  return of(id)
}

export const optOutRows: RowsOf<typeof contract.optOuts> = {
  search: [managers(200), () => ({ body: {} })],
  exportCsv: [managers(200), () => ({ body: {} })],
  exportXlsx: [managers(200), () => ({ body: {} })],
  create: [
    managers(201),
    ({ instanceId }) => ({ body: { phoneNumbers: `+8492${String(instanceId).padStart(7, '0')}` } }),
  ],
  end: [managers(200), async () => ({ ...(await newOptOut()), body: { reason: 'Asked on the phone' } })],
  possible: [managers(200), () => ({})],
  decide: [
    managers(204),
    async (fixture) => ({ ...(await newPossible(fixture)), body: { decision: 'optOut' } }),
  ],
  getSettings: [admins(200), () => ({})],
  updateSettings: [
    admins(200),
    async ({ unique }) => ({
      body: {
        isForAll: true,
        words: { ...defaultOptOutWords, en: { stop: [unique], start: [], complaint: [] } },
      },
    }),
  ],
}
