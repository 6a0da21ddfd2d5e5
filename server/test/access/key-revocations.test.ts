import { keyRights } from '@sendroom/contract/rights'
import { afterAll, beforeAll, test } from 'vitest'
import type { Db } from '../../src/platform/database/connection.ts'
import { sql } from '../../src/platform/database/sql.ts'
import { asProgram, openToKeys } from './as-program.ts'
import { expectCells } from './cells.ts'
import { context, createData, type Data } from './fixture.ts'
import { prepare } from './prepare.ts'
import { allRefused, callDuring, everything, harmless, sendInHalves, verdict } from './revocation.ts'

// A key, or its owner, may lose what a call needs after the call has begun. Both must hold when the call takes effect.

beforeAll(() => context.open())
afterAll(() => context.close())

type Key = { id: number; keyId: number }

const revocations: Record<string, (db: Db, key: Key) => Promise<unknown>> = {
  'the key is revoked': (db, { keyId }) => db.run(sql`delete from api_keys where id = ${keyId}`),
  'the key has other addresses': (db, { keyId }) =>
    db.run(sql`update api_keys set addresses = '{203.0.113.7}' where id = ${keyId}`),
  'the key loses its rights': (db, { keyId }) =>
    db.run(sql`update api_keys set rights = '{}' where id = ${keyId}`),
  'the owner is deleted': (db, { id }) => db.run(sql`delete from users where id = ${id}`),
  'the owner is locked': (db, { id }) => db.run(sql`update users set is_active = false where id = ${id}`),
  'the owner loses the rights': (db, { id }) =>
    db.run(sql`
      update users set can_send_messages = false, can_create_jobs = false, can_export_participants = false,
        can_use_contacts = false, can_manage_contacts = false, can_mention_all = false
      where id = ${id}`),
}

/** A key of a user who may make the call, and the input. */
async function prepareKey(call: (typeof openToKeys)[number], data: Data) {
  const { user, input } = await prepare(call, data)
  const key = await context.add.apiKey(user, { rights: keyRights })
  // Otherwise the call notes its use, which is a change.
  await context.db.run(sql`update api_keys set last_used_at = clock_now() where id = ${key.keyId}`)
  return { key, input: asProgram(call.endpoint, input as object) }
}

const revocationsOf = ({ endpoint }: (typeof openToKeys)[number]) =>
  Object.entries(revocations).filter(([what]) => endpoint.access !== 'signedIn' || !what.includes('rights'))

// R-2006
test.for(openToKeys.filter(({ endpoint }) => endpoint.body))(
  '$name is refused if the key or its owner loses it while the body arrives',
  async (call, { task }) => {
    const answered: Record<string, string> = {}
    const data = await createData()
    for (const [what, revoke] of revocationsOf(call)) {
      const { key, input } = await prepareKey(call, data)
      let before: unknown
      const status = await sendInHalves(key, call.endpoint, input, async () => {
        await revoke(context.db, key)
        before = await everything(context.db)
      })
      answered[what] = await verdict(status, before)
    }
    expectCells(task, answered, allRefused(answered))
  },
)

// R-2006
test.for(openToKeys.filter(({ endpoint, name }) => endpoint.method !== 'GET' && !harmless.includes(name)))(
  '$name is refused if the key or its owner loses it just before the transaction',
  async (call, { task }) => {
    const answered: Record<string, string> = {}
    const data = await createData()
    for (const [what, revoke] of revocationsOf(call)) {
      const { key, input } = await prepareKey(call, data)
      answered[what] = await callDuring((tx) => revoke(tx, key), key, call.endpoint, input)
    }
    expectCells(task, answered, allRefused(answered))
  },
)

const onAccounts = ['POST /jobs', 'POST /messages', 'POST /jobs/:id/cancel', 'POST /jobs/:id/pause']

// R-2006
test.for(openToKeys.filter(({ name }) => onAccounts.includes(name)))(
  '$name is refused if the account is taken from the key or its owner just before the transaction',
  async (call, { task }) => {
    const answered: Record<string, number | string> = {}
    const taken: Record<string, (tx: Db, key: Key) => Promise<unknown>> = {
      'from the key': (tx, { keyId }) =>
        tx.run(sql`update api_keys set instance_ids = '{987654}' where id = ${keyId}`),
      'from the owner': async (tx, { id }) => {
        // As an Admin does: the user is locked, and so are those who act for them.
        await tx.run(sql`update users set version = version + 1 where id = ${id}`)
        await tx.run(sql`delete from user_instances where user_id = ${id}`)
      },
    }
    for (const [what, take] of Object.entries(taken)) {
      const { key, input } = await prepareKey(call, await createData())
      answered[what] = await callDuring((tx) => take(tx, key), key, call.endpoint, input)
    }
    const refused = call.endpoint.path.includes(':id') ? 'refused' : 'answered 400'
    expectCells(task, answered, { 'from the key': refused, 'from the owner': refused })
  },
)
