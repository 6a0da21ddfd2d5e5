import { contract } from '@sendroom/contract'
import type { Endpoint, Input } from '@sendroom/contract/endpoint'
import { expect, test } from 'vitest'
import { sql } from '../src/platform/database/sql.ts'
import { hashPassword } from '../src/platform/passwords.ts'
import type { Providers } from '../src/providers/provider.ts'
import { useContext } from './context.ts'

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
            canSendMessages: hasFlags,
            canCreateJobs: hasFlags,
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
      async ({ somebody: { id, username } }) => {
        await context.db.run(
          sql`update users set password_hash = ${await hashPassword('secret-1')} where id = ${id}`,
        )
        return { body: { username, password: 'secret-1' } }
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
    qr: [assignedMembers(200), ({ instanceId }) => of(instanceId)],
    pairingCode: [
      assignedMembers(200),
      ({ instanceId }) => ({ ...of(instanceId), query: { phone: '+84901234567' } }),
    ],
    logout: [assignedMembers(204), ({ instanceId }) => of(instanceId)],
    //
    resume: [membersWithFlag(204), ({ instanceId }) => of(instanceId)],
    //
    sync: [assignedMembers(202), ({ instanceId }) => of(instanceId)],
  },
  groups: {
    //
    list: [signedInUsers(200), none],
    search: [signedInUsers(200), ({ instanceId }) => ({ body: { instanceIds: [instanceId] } })],
    exportParticipants: [assignedMembers(200), ({ group }) => of(group.id)],
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
  // The webhook checks its key and secret instead of a session: webhook.routes.test.ts.
  //
  webhooks: { whapi: [everybody(404), () => ({ params: { key: '1.guessed' }, body: {} })] },
  //
  events: { follow: [signedInUsers(200), none] },
}

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
