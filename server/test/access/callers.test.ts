import { contract } from '@sendroom/contract'
import type { Access, Endpoint } from '@sendroom/contract/endpoint'
import type { Right } from '@sendroom/contract/rights'
import { afterAll, beforeAll, expect, type TestContext, test } from 'vitest'
import { keyOf, secretOf } from '../../src/features/instances/webhook.ts'
import { sql } from '../../src/platform/database/sql.ts'
import { addressOf } from '../http-client.ts'
import { expectCells } from './cells.ts'
import {
  callers,
  context,
  createData,
  createFixture,
  type Data,
  onlyRights,
  rights,
  withUser,
} from './fixture.ts'
import { jobWithMessage } from './job-rows.ts'
import { endpoints, sharedTemplate, signedIn } from './matrix.ts'
import { prepare } from './prepare.ts'
import { of, type Row } from './rows.ts'

// Calls every endpoint of the contract as each kind of caller. All tests share one database and one app to be fast, and
// each call has its own data, or those that only refused calls had before.

beforeAll(() => context.open())
afterAll(() => context.close())

async function expectAnswers(
  { endpoint, row }: { endpoint: Endpoint; row: Row<Endpoint> | undefined },
  { task }: TestContext,
) {
  if (!row) throw new Error('The matrix does not say yet who may call this endpoint.')
  const [expected, inputOf] = row
  const answered: Record<string, number> = {}
  let data: Data | undefined
  for (const caller of callers) {
    data ??= await createData()
    const fixture = await withUser(data, caller)
    const { status } = await context.call(fixture.user, endpoint, await inputOf(fixture))
    if (status < 400) data = undefined
    answered[caller] = status
  }
  expectCells(task, answered, Object.fromEntries(callers.map((caller, n) => [caller, expected[n] ?? 0])))
}

//
test.for(endpoints.filter(({ isPublic }) => isPublic))('$name answers everybody', expectAnswers)

//
test.for(endpoints.filter(({ isPublic }) => !isPublic))(
  '$name answers only callers with access',
  expectAnswers,
)

test.for(sharedTemplate.map((call) => ({ ...call, name: `${call.endpoint.method} ${call.endpoint.path}` })))(
  '$name answers for a shared template',
  expectAnswers,
)

//
test('POST /jobs with a message of its own answers only callers with access', (test) =>
  expectAnswers({ endpoint: contract.jobs.create, row: jobWithMessage as Row<Endpoint> }, test))

/** The rights that an endpoint needs, by its access. */
const needed: Partial<Record<Access, Right[]>> = {
  canWriteMessages: ['canWriteMessages'],
  canCreateJobs: ['canCreateJobs'],
  canSendTests: ['canWriteMessages', 'canCreateJobs'],
  canLinkAccounts: ['canLinkAccounts'],
  canExportParticipants: ['canExportParticipants'],
  canUseContacts: ['canUseContacts'],
  canManageContacts: ['canManageContacts'],
  canApproveJobs: ['canApproveJobs'],
  canMentionAll: ['canMentionAll'],
}
/** Whoever manages contacts may use them. */
const isOrHas = (right: Right, other: Right) =>
  right === other || (right === 'canManageContacts' && other === 'canUseContacts')

const byRight = endpoints.flatMap(({ endpoint, name, row }) => {
  const rightsNeeded = needed[endpoint.access]
  return row && rightsNeeded ? [{ endpoint, name, row, rightsNeeded }] : []
})

// R-1391, R-1392
test.for(byRight)(
  '$name needs exactly the rights $rightsNeeded',
  async ({ endpoint, row: [expected, inputOf], rightsNeeded }, { task }) => {
    const statusWith = async (given: readonly Right[]) => {
      const fixture = await createFixture('without flags')
      const user = await context.add.user({
        ...onlyRights(given),
        instances: [{ id: fixture.instanceId }],
      })
      return (await context.call(user, endpoint, await inputOf({ ...fixture, user }))).status
    }
    const answered: Record<string, number> = { 'only these': await statusWith(rightsNeeded) }
    for (const missing of rightsNeeded)
      answered[`all but ${missing}`] = await statusWith(rights.filter((right) => !isOrHas(right, missing)))
    const refused = rightsNeeded.map((missing) => [`all but ${missing}`, 403])
    const success = expected[callers.indexOf('with flags')]
    expectCells(task, answered, { 'only these': success, ...Object.fromEntries(refused) })
  },
)

test.for(signedIn.filter(({ endpoint }) => endpoint.path.includes('/:id')))(
  '$name finds nothing by an unknown id',
  async ({ endpoint, row }, { task }) => {
    const fixture = await createFixture('Admin')
    const input = (await row?.[1](fixture)) as { params?: object }
    const unknown = { ...input, params: { ...input.params, id: 987_654 } }
    const { status } = await context.call(fixture.user, endpoint, unknown)
    expectCells(task, { unknown: status }, { unknown: 404 })
  },
)

test('no answer may be kept by a cache', async () => {
  const { user, instanceId } = await createFixture('Admin')
  const answers = await Promise.all([
    context.call(null, contract.session.options, {}),
    context.call(user, contract.instances.get, of(instanceId)),
    context.call(user, contract.instances.get, of(987_654)),
    context.call(null, contract.users.list, {}),
  ])

  expect(answers.map(({ status, headers }) => [status, headers['cache-control']])).toEqual(
    [200, 200, 404, 401].map((status) => [status, 'no-store']),
  )
})

test.for(signedIn)('$name refuses a session that has expired', async ({ endpoint, row }, { task }) => {
  const { user, input } = await prepare({ endpoint, row })
  await context.db.run(sql`update sessions set expires_at = clock_now() where user_id = ${user.id}`)
  const { status } = await context.call(user, endpoint, input)
  expectCells(task, { expired: status }, { expired: 401 })
})

//
test.for(
  endpoints.filter(({ endpoint }) => endpoint.method !== 'GET' && endpoint !== contract.webhooks.whapi),
)('$name refuses another site that has the cookie of the page', async ({ endpoint, row }, { task }) => {
  const { user, input } = await prepare({ endpoint, row })
  const { params } = input as { params?: object }
  const answer = await (await context.app).inject({
    method: endpoint.method,
    url: addressOf(endpoint, params),
    headers: { authorization: `Bearer ${user.token}`, cookie: 'XSRF-TOKEN=abc' },
  })
  expectCells(task, { forged: answer.json().code }, { forged: 'forgery' })
})

test('the webhook refuses a wrong key, a wrong secret, and those of another instance', async ({ task }) => {
  const [called, other] = [await context.add.instance(), await context.add.instance()]
  const secretFor = async ({ id }: { id: number }) => {
    const row = await context.db.one<{ tokenCipher: Buffer }>(
      sql`select token_cipher from instances where id = ${id}`,
    )
    return secretOf(context.secrets, { id, ...row })
  }
  const [key, secret] = [keyOf(context.secrets, called.id), await secretFor(called)]
  const statusOf = async (key: string, secret: string) => {
    const url = `/api/webhooks/whapi/${key}`
    const headers = { 'x-sendroom-secret': secret }
    return (await (await context.app).inject({ method: 'POST', url, headers, payload: {} })).statusCode
  }
  const answered = {
    'its own': await statusOf(key, secret),
    'a guessed key': await statusOf(`${called.id}.guessed`, secret),
    'a guessed secret': await statusOf(key, 'guessed'),
    'no secret': await statusOf(key, ''),
    'the key of another': await statusOf(keyOf(context.secrets, other.id), secret),
    'the secret of another': await statusOf(key, await secretFor(other)),
  }
  const refused = Object.fromEntries(Object.keys(answered).map((cell) => [cell, 404]))
  expectCells(task, answered, { ...refused, 'its own': 200 })
})
