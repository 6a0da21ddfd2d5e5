import type { Access } from '@sendroom/contract/endpoint'
import { type KeyRight, keyRights, type Right } from '@sendroom/contract/rights'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sql } from '../../src/platform/database/sql.ts'
import type { TestUser } from '../factories.ts'
import { asProgram, openToKeys as open } from './as-program.ts'
import { expectCells } from './cells.ts'
import { callers, context, createData, type Data, onlyRights, rights, withUser } from './fixture.ts'
import { signedIn } from './matrix.ts'

// Calls every endpoint with API keys: in every scope, of owners with and without the right, the account, the role.

beforeAll(() => context.open())
afterAll(() => context.close())

type Call = (typeof signedIn)[number]
type Instances = Data['instanceId']

/** The owner of a key, and what the key itself is limited to. */
type KeyCase = {
  isAdmin?: boolean
  ownerRights?: readonly Right[]
  isAssigned?: boolean
  rights?: readonly KeyRight[]
  /** Limits the key to the account of the call, or to another one. */
  account?: 'its own' | 'another'
}

async function keyFor(instanceId: Instances, of: KeyCase): Promise<TestUser> {
  const { isAdmin = false, ownerRights = rights, isAssigned = true } = of
  const owner = await context.add.user({
    role: isAdmin ? 'Admin' : 'Member',
    ...onlyRights(ownerRights),
    instances: isAssigned ? [{ id: instanceId }] : [],
  })
  const another = of.account === 'another' ? (await context.add.instance()).id : instanceId
  return context.add.apiKey(owner, {
    ...(of.rights && { rights: of.rights }),
    ...(of.account && { instanceIds: [another] }),
  })
}

/** The answers to keys, by case, and what they must be. Data are used until a call succeeds. */
async function answersTo({ endpoint, row }: Call, cases: Record<string, KeyCase>) {
  const answered: Record<string, string | number> = {}
  let data: Data | undefined
  for (const [name, of] of Object.entries(cases)) {
    data ??= await createData()
    const fixture = await withUser(data, 'with flags')
    const key = await keyFor(data.instanceId, of)
    const input = asProgram(endpoint, (await row?.[1]({ ...fixture, user: key })) ?? {})
    const { status, body } = await context.call(key, endpoint, input)
    if (status < 400) data = undefined
    // The body of a refused stream is not read.
    const isClosed = endpoint.stream ? status === 403 : body?.code === 'not_for_keys'
    answered[name] = isClosed ? 'not_for_keys' : status
  }
  return answered
}

const closed = signedIn.filter(({ endpoint }) => !endpoint.allowsApiKeys)

// R-2002, R-2003
test('these endpoints are open to API keys, and no others', () => {
  expect(open.map(({ name }) => name).sort()).toEqual(openNames)
})

// R-2003
test('what is open to keys needs no password', () => {
  expect(open.filter(({ endpoint }) => endpoint.needsConfirmation)).toEqual([])
})

// R-2002, R-2003
test.for(closed)('$name refuses keys with all rights, also those of an Admin', async (call, { task }) => {
  const answered = await answersTo(call, { 'of a Member': {}, 'of an Admin': { isAdmin: true } })
  expectCells(task, answered, { 'of a Member': 'not_for_keys', 'of an Admin': 'not_for_keys' })
})

/** Whether these rights include what an endpoint needs. Whoever manages contacts may use them. */
const includes = (given: readonly Right[], access: Access) =>
  access === 'signedIn' ||
  given.some((right) => right === access || (right === 'canManageContacts' && access === 'canUseContacts'))

const scopes: [string, readonly KeyRight[]][] = [
  ['no right', []],
  ...keyRights.map((right): [string, KeyRight[]] => [right, [right]]),
  ...keyRights.map((right): [string, KeyRight[]] => [
    `all but ${right}`,
    keyRights.filter((other) => other !== right),
  ]),
  ['all rights', keyRights],
]

// R-2000
test.for(open)('$name answers keys whose scope has the right', async (call, { task }) => {
  const { endpoint, row } = call
  const success = row?.[0][callers.indexOf('with flags')] ?? 0
  const expected = (given: readonly Right[]) => (includes(given, endpoint.access) ? success : 403)
  const cases = Object.fromEntries(scopes.map(([name, rights]) => [name, { rights }]))
  const answered = await answersTo(call, cases)
  expectCells(task, answered, Object.fromEntries(scopes.map(([name, given]) => [name, expected(given)])))
})

// R-2000, R-2001
test.for(open)(
  '$name answers keys no more than their owners, and on no other account',
  async (call, { task }) => {
    const { endpoint, row } = call
    const success = row?.[0][callers.indexOf('with flags')] ?? 0
    const unassigned = row?.[0][callers.indexOf('unassigned')] ?? 0
    const without = rights.filter((right) => !includes([right], endpoint.access))
    const cases = {
      'of an owner without the right': { ownerRights: without },
      'of an owner without the account': { isAssigned: false },
      'for the account': { account: 'its own' },
      'for another account': { account: 'another' },
      'of an Admin': { isAdmin: true, isAssigned: false },
      'of an Admin, for another account': { isAdmin: true, account: 'another' },
      'of an Admin, without rights': { isAdmin: true, rights: [] },
    } satisfies Record<string, KeyCase>
    expectCells(task, await answersTo(call, cases), {
      'of an owner without the right': endpoint.access === 'signedIn' ? success : 403,
      'of an owner without the account': unassigned,
      'for the account': success,
      'for another account': unassigned,
      'of an Admin': success,
      'of an Admin, for another account': unassigned,
      'of an Admin, without rights': endpoint.access === 'signedIn' ? success : 403,
    })
  },
)

const mistyped = (token: string) => `${token.slice(0, -1)}${token.endsWith('0') ? '1' : '0'}`

const useless: Record<string, (key: TestUser & { keyId: number }) => Promise<unknown>> = {
  expired: ({ keyId }) =>
    context.db.run(sql`update api_keys set expires_at = clock_now() where id = ${keyId}`),
  revoked: ({ keyId }) => context.db.run(sql`delete from api_keys where id = ${keyId}`),
  'of a deleted user': ({ id }) => context.db.run(sql`delete from users where id = ${id}`),
  'of a locked user': ({ id }) => context.db.run(sql`update users set is_active = false where id = ${id}`),
  'of a user who was locked and unlocked': async ({ id }) => {
    await context.db.run(sql`update users set is_active = false where id = ${id}`)
    await context.db.run(sql`update users set is_active = true where id = ${id}`)
  },
}

// R-2004, R-2005
test.for(open)('$name refuses keys that are over', async ({ endpoint, row }, { task }) => {
  const fixture = await withUser(await createData(), 'with flags')
  const answered: Record<string, number> = {}
  for (const [name, end] of Object.entries(useless)) {
    const owner = await context.add.admin()
    const key = await context.add.apiKey(owner)
    const input = asProgram(endpoint, (await row?.[1]({ ...fixture, user: key })) ?? {})
    await end(key)
    answered[name] = (await context.call(key, endpoint, input)).status
  }
  const key = await context.add.apiKey(await context.add.admin())
  const input = asProgram(endpoint, (await row?.[1]({ ...fixture, user: key })) ?? {})
  const mistaken = await context.call({ ...key, token: mistyped(key.token) }, endpoint, input)
  answered.mistyped = mistaken.status
  expectCells(task, answered, Object.fromEntries(Object.keys(answered).map((name) => [name, 401])))
})

// R-2008
test.for(open)('$name refuses keys at other addresses than theirs', async ({ endpoint, row }, { task }) => {
  const fixture = await withUser(await createData(), 'with flags')
  const key = await context.add.apiKey(await context.add.admin(), { addresses: ['203.0.113.7'] })
  const input = asProgram(endpoint, (await row?.[1]({ ...fixture, user: key })) ?? {})
  const { body } = await context.call(key, endpoint, input)
  expectCells(task, { elsewhere: body.code }, { elsewhere: 'key_from_elsewhere' })
})

const openNames = [
  'GET /calendar',
  'GET /contact-fields',
  'GET /contacts/:id',
  'GET /dashboard/days',
  'GET /group-sets',
  'GET /group-sets/:id',
  'GET /groups',
  'GET /groups/:id/participants/export',
  'GET /groups/stats',
  'GET /instances',
  'GET /instances/:id',
  'GET /jobs',
  'GET /jobs/:id',
  'GET /jobs/:id/changes',
  'GET /jobs/:id/logs',
  'GET /jobs/:id/poll',
  'GET /jobs/:id/recipients',
  'GET /jobs/:id/recipients/:recipientId/members',
  'GET /jobs/:id/recipients/:recipientId/voters',
  'GET /jobs/:id/sent-messages',
  'GET /lists',
  'GET /lists/:id',
  'GET /messages',
  'GET /messages/:id',
  'GET /tags',
  'POST /contacts',
  'POST /contacts/search',
  'POST /files',
  'POST /groups/search',
  'POST /jobs',
  'POST /jobs/:id/cancel',
  'POST /jobs/:id/pause',
  'POST /jobs/:id/resume',
  'POST /jobs/:id/retry-failed',
  'POST /jobs/preview',
  'POST /lists/:id/contacts',
  'POST /lists/:id/contacts/remove',
  'POST /messages',
  'POST /messages/with-file',
  'POST /opt-outs',
  'POST /opt-outs/search',
  'PUT /contacts/:id',
]
