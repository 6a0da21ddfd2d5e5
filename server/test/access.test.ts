import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { contract } from '@sendroom/contract'
import type { Access, Endpoint, Input } from '@sendroom/contract/endpoint'
import { type Right, rights } from '@sendroom/contract/rights'
import { expect, test } from 'vitest'
import { lockUserChanges } from '../src/features/users/users.queries.ts'
import type { Db } from '../src/platform/database/connection.ts'
import { identifier, sql } from '../src/platform/database/sql.ts'
import { hashPassword } from '../src/platform/passwords.ts'
import type { Providers } from '../src/providers/provider.ts'
import { useContext } from './context.ts'
import type { TestUser } from './factories.ts'
import { addressOf } from './http-client.ts'
import { countWaiting } from './locks.ts'
import { until } from './until.ts'

// Calls every endpoint of the contract as each kind of caller. All data belong to one instance, which is assigned to all
// Members except 'unassigned'. An endpoint without a row in the matrix does not compile.

const provider = {
  status: async () => ({ status: 'Connected', linkedNumber: '84901234567' }),
  qr: async () => 'data:image/png;base64,',
  pairingCode: async () => 'ABCD-EFGH',
  logout: async () => {},
}
const context = useContext({
  providers: () => ({ live: provider, test: provider }) as unknown as Providers, // these calls use only these methods
})

const callers = ['no session', 'locked', 'unassigned', 'without flags', 'with flags', 'Admin'] as const
/** The status that each of the callers above gets, in that order. */
type Statuses = [number, number, number, number, number, number]

const everybody = (status: number): Statuses => [status, status, status, status, status, status]
const signedInUsers = (status: number): Statuses => [401, 401, status, status, status, status]
const assignedMembers = (status: number): Statuses => [401, 401, 404, status, status, status]
const membersWithFlag = (status: number): Statuses => [401, 401, 404, 403, status, status]
const admins = (status: number): Statuses => [401, 401, 403, 403, 403, status]

/** These rights and no others. */
const onlyRights = (given: readonly Right[]) =>
  Object.fromEntries(rights.map((right) => [right, given.includes(right)])) as Record<Right, boolean>

type Fixture = Awaited<ReturnType<typeof createFixture>>

/** Creates new data for each call, because the call may change or delete them. */
async function createFixture(caller: (typeof callers)[number]) {
  const { add } = context
  const instance = await add.instance()
  const instanceId = instance.id
  const instances = caller === 'unassigned' ? [] : [instance]
  const hasFlags = caller !== 'without flags'
  return {
    instanceId,
    group: await add.group({ instanceId }),
    message: await add.message({ instanceId }),
    template: await add.message({ createdByAdmin: true }),
    job: await add.job({ instanceId }),
    endedJob: await add.job({ instanceId, status: 'Completed' }),
    pausedJob: await add.job({ instanceId, pausedAt: '2026-01-01T00:00:00.000Z' }),
    failedJob: await add.job({ instanceId, status: 'Failed', deliveryStatus: 'failed' }),
    somebody: await add.user(),
    unique: `new-${instanceId}`,
    user:
      caller === 'no session'
        ? null
        : await add.user({
            role: caller === 'Admin' ? 'Admin' : 'Member',
            isActive: caller !== 'locked',
            ...onlyRights(hasFlags ? rights : []),
            instances,
          }),
  }
}

/** The expected statuses of an endpoint, and the input of the call. */
type Row<E extends Endpoint> = [Statuses, (fixture: Fixture) => Input<E> | Promise<Input<E>>]
type Contract = typeof contract
type Matrix = {
  [F in keyof Contract]: {
    [N in keyof Contract[F]]: Contract[F][N] extends Endpoint ? Row<Contract[F][N]> : never
  }
}

const none = () => ({})
const of = (id: number) => ({ params: { id } })

const setPassword = async ({ id }: { id: number }, password: string) =>
  context.db.run(sql`update users set password_hash = ${await hashPassword(password)} where id = ${id}`)

const newMessage = ({ instanceId }: Fixture) => ({ body: { textContent: 'Hello', instanceId } })
const changedMessage = ({ message, instanceId }: Fixture) => ({
  ...of(message.id),
  body: { textContent: 'Changed', instanceId },
})

const matrix: Matrix = {
  session: {
    //
    options: [everybody(200), none],
    login: [
      everybody(200),
      async ({ somebody }) => {
        await setPassword(somebody, 'secret-1')
        return { body: { username: somebody.username, password: 'secret-1' } }
      },
    ],
    register: [
      // The limit is five registrations an hour from one address.
      [204, 204, 204, 204, 204, 429],
      ({ unique }) => ({
        body: {
          username: unique,
          email: `${unique}@example.com`,
          password: 'secret-1',
          repassword: 'secret-1',
        },
      }),
    ],
    //
    me: [signedInUsers(200), none],
    //
    confirm: [
      signedInUsers(204),
      async ({ user }) => {
        if (user) await setPassword(user, 'secret-1')
        return { body: { password: 'secret-1' } }
      },
    ],
    //
    logout: [signedInUsers(204), none],
  },
  users: {
    //
    list: [admins(200), none],
    get: [admins(200), ({ somebody }) => of(somebody.id)],
    create: [
      admins(201),
      ({ unique }) => ({
        body: { username: unique, email: `${unique}@example.com`, password: 'secret-1', role: 'Member' },
      }),
    ],
    //
    // Here the callers change another user's password. users.routes.test.ts covers their own.
    update: [
      [401, 401, 404, 404, 404, 200],
      ({ somebody }) => ({ ...of(somebody.id), body: { password: 'secret-1' } }),
    ],
    //
    remove: [admins(204), ({ somebody }) => of(somebody.id)],
    assignInstances: [
      admins(200),
      ({ somebody, instanceId }) => ({
        ...of(somebody.id),
        body: { instanceIds: [instanceId], canSendMessages: true, canCreateJobs: true },
      }),
    ],
    instances: [admins(200), ({ somebody }) => of(somebody.id)],
  },
  instances: {
    //
    list: [signedInUsers(200), none],
    get: [assignedMembers(200), ({ instanceId }) => of(instanceId)],
    //
    create: [admins(201), ({ unique }) => ({ body: { name: unique, whapiToken: `test_${unique}` } })],
    //
    update: [admins(200), ({ instanceId }) => ({ ...of(instanceId), body: { name: 'Shop' } })],
    //
    remove: [admins(204), ({ instanceId }) => of(instanceId)],
    //
    clearData: [admins(204), ({ instanceId }) => of(instanceId)],
    //
    qr: [membersWithFlag(200), ({ instanceId }) => of(instanceId)],
    pairingCode: [
      membersWithFlag(200),
      ({ instanceId }) => ({ ...of(instanceId), query: { phone: '+84901234567' } }),
    ],
    logout: [membersWithFlag(204), ({ instanceId }) => of(instanceId)],
    //
    resume: [membersWithFlag(204), ({ instanceId }) => of(instanceId)],
    //
    sync: [assignedMembers(202), ({ instanceId }) => of(instanceId)],
  },
  groups: {
    //
    list: [signedInUsers(200), none],
    search: [signedInUsers(200), ({ instanceId }) => ({ body: { instanceIds: [instanceId] } })],
    exportParticipants: [membersWithFlag(200), ({ group }) => of(group.id)],
  },
  messages: {
    //
    list: [signedInUsers(200), none],
    get: [assignedMembers(200), ({ message }) => of(message.id)],
    //
    create: [[401, 401, 400, 403, 201, 201], newMessage],
    createWithFile: [[401, 401, 400, 403, 201, 201], newMessage],
    update: [membersWithFlag(200), changedMessage],
    updateWithFile: [membersWithFlag(200), changedMessage],
    remove: [membersWithFlag(204), ({ message }) => of(message.id)],
    bulkDelete: [membersWithFlag(204), ({ message }) => ({ body: { ids: [message.id] } })],
  },
  jobs: {
    //
    list: [signedInUsers(200), none],
    get: [assignedMembers(200), ({ job }) => of(job.id)],
    sentMessages: [assignedMembers(200), ({ job }) => of(job.id)],
    recipients: [assignedMembers(200), ({ job }) => of(job.id)],
    logs: [assignedMembers(200), ({ job }) => of(job.id)],
    //
    create: [
      [401, 401, 400, 403, 201, 201],
      ({ message, instanceId, group }) => ({
        body: { messageId: message.id, instanceId, groupIds: [group.id] },
      }),
    ],
    preview: [
      [401, 401, 400, 403, 200, 200],
      ({ instanceId, group }) => ({ body: { instanceId, groupIds: [group.id] } }),
    ],
    //
    test: [
      [401, 401, 400, 403, 201, 201],
      ({ instanceId }) => ({ body: { textContent: 'Hello', instanceId, phoneNumber: '0901234567' } }),
    ],
    //
    restart: [membersWithFlag(200), ({ endedJob }) => of(endedJob.id)],
    cancel: [membersWithFlag(200), ({ job }) => of(job.id)],
    pause: [membersWithFlag(200), ({ job }) => of(job.id)],
    resume: [membersWithFlag(200), ({ pausedJob }) => of(pausedJob.id)],
    retryFailed: [membersWithFlag(200), ({ failedJob }) => ({ ...of(failedJob.id), body: {} })],
    remove: [membersWithFlag(204), ({ job }) => of(job.id)],
    bulkDelete: [membersWithFlag(204), ({ job }) => ({ body: { jobIds: [job.id] } })],
  },
  //
  dashboard: { stats: [signedInUsers(200), none] },
  audit: { list: [admins(200), none], export: [admins(200), none] },
  // The webhook checks its key and secret instead of a session: webhook.routes.test.ts.
  //
  webhooks: { whapi: [everybody(404), () => ({ params: { key: '1.guessed' }, body: {} })] },
  //
  events: { follow: [signedInUsers(200), none] },
}

/** These change nothing, and the answer has no data that its caller may take away. */
const unrecorded = ['POST /groups/search', 'POST /jobs/preview']
/** These hand out a code or data, or unlink a phone. */
const recordedReads = [
  'GET /instances/:id/qrcode-base64',
  'GET /instances/:id/connect-code',
  'GET /instances/:id/logout',
  'GET /groups/:id/participants/export',
  'GET /audit/export',
]

const authorsAndAdmins = (status: number): Statuses => [401, 401, 403, 403, 403, status]
const changedTemplate = ({ template }: Fixture) => ({ ...of(template.id), body: { textContent: 'Changed' } })

/** Calls with an Admin's message without an instance, which is shared. Here no caller is its author. */
const sharedTemplate: { endpoint: Endpoint; row: Row<Endpoint> }[] = [
  //
  { endpoint: contract.messages.get, row: [signedInUsers(200), ({ template }) => of(template.id)] },
  { endpoint: contract.messages.update, row: [authorsAndAdmins(200), changedTemplate] },
  { endpoint: contract.messages.updateWithFile, row: [authorsAndAdmins(200), changedTemplate] },
  { endpoint: contract.messages.remove, row: [authorsAndAdmins(204), ({ template }) => of(template.id)] },
  {
    endpoint: contract.messages.bulkDelete,
    row: [authorsAndAdmins(204), ({ template }) => ({ body: { ids: [template.id] } })],
  },
  {
    endpoint: contract.jobs.create,
    row: [
      [401, 401, 400, 403, 201, 201],
      ({ template, instanceId, group }) => ({
        body: { messageId: template.id, instanceId, groupIds: [group.id] },
      }),
    ],
  },
  {
    endpoint: contract.jobs.test,
    row: [
      [401, 401, 400, 403, 201, 201],
      ({ template, instanceId }) => ({
        body: { textContent: 'Hello', instanceId, phoneNumber: '0901234567', imageOf: template.id },
      }),
    ],
  },
]

const endpoints = Object.entries(contract).flatMap(([feature, named]) =>
  Object.entries(named as Record<string, Endpoint>).map(([name, endpoint]) => {
    const row = (matrix as Record<string, Record<string, Row<Endpoint>>>)[feature]?.[name]
    return {
      endpoint,
      name: `${endpoint.method} ${endpoint.path}`,
      row,
      isPublic: endpoint.access === 'public',
    }
  }),
)

async function expectAnswers({ endpoint, row }: { endpoint: Endpoint; row: Row<Endpoint> | undefined }) {
  if (!row) throw new Error('The matrix does not say yet who may call this endpoint.')
  const [expected, inputOf] = row
  const answered: Record<string, number> = {}
  for (const caller of callers) {
    const fixture = await createFixture(caller)
    answered[caller] = (await context.call(fixture.user, endpoint, await inputOf(fixture))).status
  }
  expect(answered).toEqual(Object.fromEntries(callers.map((caller, n) => [caller, expected[n]])))
}

test.each(endpoints.filter(({ isPublic }) => isPublic))('$name answers everybody', expectAnswers)

test.each(endpoints.filter(({ isPublic }) => !isPublic))(
  '$name answers only callers with access',
  expectAnswers,
)

test.each(sharedTemplate.map((call) => ({ ...call, name: `${call.endpoint.method} ${call.endpoint.path}` })))(
  '$name answers for a shared template',
  expectAnswers,
)

/** The rights that an endpoint needs, by its access. */
const needed: Partial<Record<Access, Right[]>> = {
  canSendMessages: ['canSendMessages'],
  canCreateJobs: ['canCreateJobs'],
  canSendTests: ['canSendMessages', 'canCreateJobs'],
  canLinkAccounts: ['canLinkAccounts'],
  canExportParticipants: ['canExportParticipants'],
}
const byRight = endpoints.flatMap(({ endpoint, name, row }) => {
  const rightsNeeded = needed[endpoint.access]
  return row && rightsNeeded ? [{ endpoint, name, row, rightsNeeded }] : []
})

//
test.each(byRight)(
  '$name needs exactly the rights $rightsNeeded',
  async ({ endpoint, row: [expected, inputOf], rightsNeeded }) => {
    const statusWith = async (given: readonly Right[]) => {
      const fixture = await createFixture('without flags')
      const user = await context.add.user({
        ...onlyRights(given),
        instances: [{ id: fixture.instanceId }],
      })
      return (await context.call(user, endpoint, await inputOf(fixture))).status
    }
    expect(await statusWith(rightsNeeded)).toBe(expected[callers.indexOf('with flags')])
    for (const missing of rightsNeeded)
      expect(await statusWith(rights.filter((right) => right !== missing)), missing).toBe(403)
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

const ageConfirmation = (db: Db, { id }: { id: number }) =>
  db.run(sql`
    update sessions set confirmed_at = clock_now() - interval '10 minutes 1 second' where user_id = ${id}`)

const confirmed = endpoints.filter(({ endpoint }) => endpoint.needsConfirmation)

//
test('what changes users, their rights and accounts for ever needs a confirmation', () => {
  expect(confirmed.map(({ name }) => name)).toEqual([
    'POST /users',
    'PUT /users/:id',
    'DELETE /users/:id',
    'POST /users/:id/assign-instances',
    'DELETE /instances/:id',
  ])
})

test.each(confirmed)('$name needs a password entered within ten minutes', async ({ endpoint, row }) => {
  const { user, input } = await prepare({ endpoint, row })
  await setPassword(user, 'secret-1')
  await ageConfirmation(context.db, user)
  const before = await everything(context.db)

  expect(await context.call(user, endpoint, input)).toMatchObject({
    status: 403,
    body: { code: 'confirm_password' },
  })
  expect(await everything(context.db)).toEqual(before)

  const confirm = (password: string) => context.call(user, contract.session.confirm, { body: { password } })
  expect((await confirm('wrong')).status).toBe(400)
  expect((await context.call(user, endpoint, input)).status).toBe(403)
  expect((await confirm('secret-1')).status).toBe(204)
  expect((await context.call(user, endpoint, input)).status).toBeLessThan(300)
})

test('a confirmation that grows too old while a call waits does not count', async () => {
  const [admin, other] = [await context.add.admin(), await context.add.user()]
  const answering = await context.db.begin(async (tx) => {
    await lockUserChanges(tx)
    const answering = context.call(admin, contract.users.remove, { params: other })
    await until('the call waits', async () => (await countWaiting(context.db)) > 0)
    await ageConfirmation(context.db, admin)
    return [answering]
  })

  expect((await Promise.all(answering))[0]).toMatchObject({ status: 403, body: { code: 'confirm_password' } })
})

// Revocations during a request: a caller may lose the session or the right after the request has begun.

type Revocation = (db: Db, user: TestUser) => Promise<unknown>

const revocations: Record<string, Revocation> = {
  'the user is deleted': (db, { id }) => db.run(sql`delete from users where id = ${id}`),
  'the user is locked': (db, { id }) => db.run(sql`update users set is_active = false where id = ${id}`),
  'the session is ended': (db, { id }) => db.run(sql`delete from sessions where user_id = ${id}`),
  'the user has no right any more': (db, { id }) =>
    db.run(sql`
      update users set role = 'Member', can_send_messages = false, can_create_jobs = false,
        can_link_accounts = false, can_export_participants = false
      where id = ${id}`),
}

/** Changing another user is for Admins only, although the endpoint is for all: users change their own password. */
const needsRight = ({ access, path }: Endpoint) => access !== 'signedIn' || path === '/users/:id'

const revocationsOf = (endpoint: Endpoint) =>
  Object.entries(revocations).filter(([what]) => needsRight(endpoint) || !what.includes('right'))

async function prepare({ endpoint, row }: { endpoint: Endpoint; row: Row<Endpoint> | undefined }) {
  const isForAdmins = endpoint.access === 'admin' || endpoint.path === '/users/:id'
  const fixture = await createFixture(isForAdmins ? 'Admin' : 'with flags')
  if (!row || !fixture.user) throw new Error('The matrix has no row or no user.')
  return { user: fixture.user, input: await row[1](fixture) }
}

/** All rows that an endpoint could change. */
async function everything(db: Db) {
  const tables = [
    'users',
    'user_instances',
    'instances',
    'groups',
    'messages',
    'jobs',
    'deliveries',
    'images',
    'audit_log',
  ]
  const rows = await Promise.all(
    tables.map((table) => db.many(sql`select t::text as row from ${identifier(table)} t order by 1`)),
  )
  return { ...rows, syncRequests: [...context.syncRequests] }
}

/** Sends the headers and half of the body, and the rest only when `meanwhile` has ended. Returns the status. */
async function sendInHalves(
  user: TestUser,
  endpoint: Endpoint,
  { params, query, body }: { params?: object; query?: object; body?: object },
  meanwhile: () => Promise<unknown>,
): Promise<number | undefined> {
  const app = await context.app
  if (!app.server.listening) await app.listen({ port: 0, host: '127.0.0.1' })
  const find = app.findCaller
  const hasFound = new Promise<void>((resolve) => {
    app.findCaller = (...of) => find(...of).finally(resolve)
  })
  const bytes = Buffer.from(JSON.stringify(body))
  const sent = request({
    port: (app.server.address() as AddressInfo).port, // listening on TCP
    path: addressOf(endpoint, params, query),
    method: endpoint.method,
    headers: {
      authorization: `Bearer ${user.token}`,
      'content-type': 'application/json',
      'content-length': bytes.length,
    },
  })
  sent.write(bytes.subarray(0, bytes.length / 2))
  await hasFound
  app.findCaller = find
  await meanwhile()
  sent.end(bytes.subarray(bytes.length / 2))
  const [answer] = (await once(sent, 'response')) as [IncomingMessage]
  answer.resume()
  return answer.statusCode
}

const signedIn = endpoints.filter(({ isPublic }) => !isPublic)

//
test.each(signedIn.filter(({ endpoint }) => endpoint.body))(
  '$name is refused if the caller is revoked while the body arrives',
  async ({ endpoint, row }) => {
    const aged = endpoint.needsConfirmation ? [['the confirmation grows old', ageConfirmation] as const] : []
    for (const [what, revoke] of [...revocationsOf(endpoint), ...aged]) {
      const { user, input } = await prepare({ endpoint, row })
      let before: unknown
      const status = await sendInHalves(user, endpoint, input as object, async () => {
        await revoke(context.db, user)
        before = await everything(context.db)
      })
      expect([401, 403, 404], what).toContain(status)
      expect(await everything(context.db), what).toEqual(before)
    }
  },
)

/** These write nothing, or nothing but the end of the caller's own session. */
const harmless = ['POST /groups/search', 'POST /jobs/preview', 'POST /auth/logout']

//
test.each(signedIn.filter(({ endpoint, name }) => endpoint.method !== 'GET' && !harmless.includes(name)))(
  '$name is refused if the caller is revoked just before the transaction',
  async ({ endpoint, row }) => {
    for (const [what, revoke] of revocationsOf(endpoint)) {
      const { user, input } = await prepare({ endpoint, row })
      let hasAnswered = false
      // The revocation is not committed yet, so only a transaction that locks the caller waits for it.
      const { before, answering } = await context.db.begin(async (tx) => {
        await revoke(tx, user)
        const before = await everything(tx)
        const answering = context.call(user, endpoint, input).finally(() => {
          hasAnswered = true
        })
        await until('the call waits', async () => hasAnswered || (await countWaiting(context.db)) > 0)
        return { before, answering: [answering] }
      })
      const [answer] = await Promise.all(answering)
      expect([401, 403, 404], what).toContain(answer?.status)
      expect(await everything(context.db), what).toEqual(before)
    }
  },
)

const recorded = signedIn.filter(({ endpoint, name }) =>
  endpoint.method === 'GET' ? recordedReads.includes(name) : !unrecorded.includes(name),
)

test.each(recorded)('$name is recorded in the audit log', async ({ endpoint, row }) => {
  const { user, input } = await prepare({ endpoint, row })
  expect((await context.call(user, endpoint, input)).status).toBeLessThan(300)
  const entries = await context.db.many(sql`select user_id, user_name, address from audit_log`)
  expect(entries).not.toEqual([])
  for (const entry of entries)
    expect(entry).toEqual({ userId: user.id, userName: user.username, address: '127.0.0.1' })
})
