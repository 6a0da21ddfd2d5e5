import { contract } from '@sendroom/contract'
import type { Endpoint } from '@sendroom/contract/endpoint'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Db } from '../../src/platform/database/connection.ts'
import { sql } from '../../src/platform/database/sql.ts'
import { lockUserChanges } from '../../src/platform/lock-user.ts'
import { countWaiting } from '../locks.ts'
import { until } from '../until.ts'
import { expectCells } from './cells.ts'
import { codeOf } from './factors.ts'
import { context, createData, setPassword } from './fixture.ts'
import { endpoints, signedIn } from './matrix.ts'
import { prepare } from './prepare.ts'
import {
  allRefused,
  callDuring,
  everything,
  harmless,
  type Revocation,
  sendInHalves,
  verdict,
} from './revocation.ts'

beforeAll(() => context.open())
afterAll(() => context.close())

const ageConfirmation = (db: Db, { id }: { id: number }) =>
  db.run(sql`
    update sessions set confirmed_at = clock_now() - interval '10 minutes 1 second' where user_id = ${id}`)

const confirmed = endpoints.filter(({ endpoint }) => endpoint.needsConfirmation)

//
//
test('what changes users, rights and instances for ever, or takes data out, needs a confirmation', () => {
  expect(confirmed.map(({ name }) => name)).toEqual([
    'DELETE /users/:id/sessions/:sessionId',
    'DELETE /users/:id/sessions',
    'POST /auth/factor',
    'POST /auth/factor/finish',
    'POST /auth/factor/recovery-codes',
    'DELETE /auth/factor',
    'DELETE /users/:id/factor',
    'PUT /factor-rule',
    'POST /users',
    'PUT /users/:id',
    'DELETE /users/:id',
    'POST /users/:id/assign-instances',
    'DELETE /instances/:id',
    'DELETE /instances/data/:id',
    'POST /contacts/export/csv',
    'POST /contacts/export/xlsx',
    'POST /opt-outs/export/csv',
    'POST /opt-outs/export/xlsx',
    'GET /audit/export',
    'POST /personal-data/export',
    'POST /personal-data/forget',
    'PUT /retention',
    'PUT /quotas',
    'POST /api-keys',
    'PUT /api-keys/:id',
    'POST /receivers',
    'PUT /receivers/:id',
    'DELETE /receivers/:id',
  ])
})

test.for(confirmed)(
  '$name needs a password entered within ten minutes',
  async ({ endpoint, row }, { task }) => {
    const { user, input } = await prepare({ endpoint, row })
    await setPassword(user, 'secret-1')
    await ageConfirmation(context.db, user)
    const before = await everything(context.db)

    const call = async (by = user) => {
      const { status, body } = await context.call(by, endpoint, input)
      return status < 300 ? 'allowed' : body.code
    }
    const confirm = (password: string) =>
      context.call(user, contract.session.confirm, { body: { password, code: codeOf(user) } })
    const old = await call()
    expect(await everything(context.db)).toEqual(before)
    expect((await confirm('wrong')).status).toBe(400)
    const wrong = await call()
    const confirmed = await confirm('secret-1')
    expect(confirmed.status).toBe(200)
    const former = await call()
    const right = await call({ ...user, token: confirmed.body.token ?? '' })
    const refused = 'confirm_password'
    expectCells(
      task,
      { old, wrong, former, right },
      { old: refused, wrong: refused, former: refused, right: 'allowed' },
    )
  },
)

test('a confirmation that grows too old while a call waits does not count', async () => {
  const [admin, other] = [await context.add.admin(), await context.add.user()]
  const answering = await context.db.begin(async (tx) => {
    await lockUserChanges(tx, other.id)
    const answering = context.call(admin, contract.users.remove, { params: other })
    await until('the call waits', async () => (await countWaiting(context.db)) > 0)
    await ageConfirmation(context.db, admin)
    return [answering]
  })

  expect((await Promise.all(answering))[0]).toMatchObject({ status: 403, body: { code: 'confirm_password' } })
})

// Revocations during a request: a caller may lose the session or the right after the request has begun.

const revocations: Record<string, Revocation> = {
  'the user is deleted': (db, { id }) => db.run(sql`delete from users where id = ${id}`),
  'the user is locked': (db, { id }) => db.run(sql`update users set is_active = false where id = ${id}`),
  'the session is ended': (db, { id }) => db.run(sql`delete from sessions where user_id = ${id}`),
  'the user has no right any more': (db, { id }) =>
    db.run(sql`
      update users set role = 'Member', can_send_messages = false, can_create_jobs = false,
        can_link_accounts = false, can_export_participants = false, can_use_contacts = false,
        can_manage_contacts = false, can_approve_jobs = false, can_mention_all = false
      where id = ${id}`),
}

/**
 * Calls about another user are for Admins only, although the endpoint is for all: users change their own password, and
 * end their own sessions.
 */
const needsRight = ({ access, path }: Endpoint) => access !== 'signedIn' || path.startsWith('/users/:id')

const revocationsOf = (endpoint: Endpoint) =>
  Object.entries(revocations).filter(([what]) => needsRight(endpoint) || !what.includes('right'))

//
test.for(signedIn.filter(({ endpoint }) => endpoint.body))(
  '$name is refused if the caller is revoked while the body arrives',
  async ({ endpoint, row }, { task }) => {
    const answered: Record<string, string> = {}
    const aged = endpoint.needsConfirmation ? [['the confirmation grows old', ageConfirmation] as const] : []
    const data = await createData()
    for (const [what, revoke] of [...revocationsOf(endpoint), ...aged]) {
      const { user, input } = await prepare({ endpoint, row }, data)
      let before: unknown
      const status = await sendInHalves(user, endpoint, input as object, async () => {
        await revoke(context.db, user)
        before = await everything(context.db)
      })
      answered[what] = await verdict(status, before)
    }
    expectCells(task, answered, allRefused(answered))
  },
)

//
test.for(signedIn.filter(({ endpoint, name }) => endpoint.method !== 'GET' && !harmless.includes(name)))(
  '$name is refused if the caller is revoked just before the transaction',
  async ({ endpoint, row }, { task }) => {
    const answered: Record<string, string> = {}
    const data = await createData()
    for (const [what, revoke] of revocationsOf(endpoint)) {
      const { user, input } = await prepare({ endpoint, row }, data)
      answered[what] = await callDuring((tx) => revoke(tx, user), user, endpoint, input)
    }
    expectCells(task, answered, allRefused(answered))
  },
)
