import type { contract } from '@sendroom/contract'
import type { Input } from '@sendroom/contract/endpoint'
import { sql } from '../../src/platform/database/sql.ts'
import { context } from './fixture.ts'
import { admins, of, type RowsOf } from './rows.ts'

// The matrix' rows of receivers of webhooks.

const receiverForm: Input<typeof contract.receivers.create>['body'] = {
  name: 'Shop system',
  url: 'https://shop.example/hook',
  topics: ['job'],
  isActive: true,
  allowsOwnNetwork: false,
}

/** A receiver of webhooks, with an attempt. */
const addReceiver = () =>
  context.db.one<{ id: number; attemptId: number }>(sql`
    with receiver as (
      insert into webhook_receivers (name, url, secret_cipher, topics, is_active, allows_own_network)
      values ('Shop', 'https://shop.example', '', '{job}', true, false) returning id
    )
    insert into webhook_attempts (receiver_id, event_id, type, body, duration_ms, has_arrived, status)
    select id, gen_random_uuid(), 'job.running', '{}', 5, true, 200 from receiver
    returning receiver_id as id, id as attempt_id`)

export const receiverRows: RowsOf<typeof contract.receivers> = {
  list: [admins(200), () => ({})],
  get: [admins(200), async () => of((await addReceiver()).id)],
  create: [admins(201), () => ({ body: receiverForm })],
  update: [
    admins(200),
    async () => ({ ...of((await addReceiver()).id), body: { ...receiverForm, name: 'New' } }),
  ],
  remove: [admins(204), async () => of((await addReceiver()).id)],
  test: [admins(202), async () => of((await addReceiver()).id)],
  sendAgain: [
    admins(202),
    async () => {
      const { id, attemptId } = await addReceiver()
      return { params: { id, attemptId } }
    },
  ],
}
