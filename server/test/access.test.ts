import { contract } from '@sendroom/contract'
import type { Endpoint, Input } from '@sendroom/contract/endpoint'
import { expect, test } from 'vitest'
import { sql } from '../src/platform/database/sql.ts'
import { hashPassword } from '../src/platform/passwords.ts'
import type { Providers } from '../src/providers/provider.ts'
import { useWorld } from './world.ts'

// Who may do what: every endpoint of the contract as everybody, on things of an instance that is assigned to all
// Members but one. An endpoint without its row does not compile, and fails.

const provider = {
  status: async () => ({ status: 'Connected', linkedNumber: '84901234567' }),
  qr: async () => 'data:image/png;base64,',
  pairingCode: async () => 'ABCD-EFGH',
  logout: async () => {},
}
const world = useWorld({
  providers: () => ({ live: provider, test: provider }) as unknown as Providers, // these calls need no more of it
})

const callers = ['no session', 'locked', 'unassigned', 'without flags', 'with flags', 'Admin'] as const
/** The status that each of the callers above gets. */
type Statuses = [number, number, number, number, number, number]

const anybody = (status: number): Statuses => [status, status, status, status, status, status]
const signedIn = (status: number): Statuses => [401, 401, status, status, status, status]
const whoSeesIt = (status: number): Statuses => [401, 401, 404, status, status, status]
const whoSeesItWithFlag = (status: number): Statuses => [401, 401, 404, 403, status, status]
const admin = (status: number): Statuses => [401, 401, 403, 403, 403, status]

type Scene = Awaited<ReturnType<typeof setScene>>

/** Fresh things for one call, which may change or delete them. */
async function setScene(caller: (typeof callers)[number]) {
  const { add } = world
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

/** What each gets, and how it is called. */
type Row<E extends Endpoint> = [Statuses, (scene: Scene) => Input<E> | Promise<Input<E>>]
type Contract = typeof contract
type Matrix = {
  [F in keyof Contract]: {
    [N in keyof Contract[F]]: Contract[F][N] extends Endpoint ? Row<Contract[F][N]> : never
  }
}

const none = () => ({})
const of = (id: number) => ({ params: { id } })

const newMessage = ({ instanceId }: Scene) => ({ body: { textContent: 'Hello', instanceId } })
const changedMessage = ({ message, instanceId }: Scene) => ({
  ...of(message.id),
  body: { textContent: 'Changed', instanceId },
})

const matrix: Matrix = {
  session: {
    //
    options: [anybody(200), none],
    login: [
      anybody(200),
      async ({ somebody: { id, username } }) => {
        await world.db.run(
          sql`update users set password_hash = ${await hashPassword('secret1')} where id = ${id}`,
        )
        return { body: { username, password: 'secret1' } }
      },
    ],
    register: [
      // Five an hour from one address.
      [204, 204, 204, 204, 204, 429],
      ({ unique }) => ({
        body: {
          username: unique,
          email: `${unique}@example.com`,
          password: 'secret1',
          repassword: 'secret1',
        },
      }),
    ],
    //
    me: [signedIn(200), none],
    //
    logout: [signedIn(204), none],
  },
  users: {
    //
    list: [admin(200), none],
    get: [admin(200), ({ somebody }) => of(somebody.id)],
    create: [
      admin(201),
      ({ unique }) => ({
        body: { username: unique, email: `${unique}@example.com`, password: 'secret1', role: 'Member' },
      }),
    ],
    // Anybody may change their own password: users.routes.test.ts. This is somebody else's.
    update: [
      [401, 401, 404, 404, 404, 200],
      ({ somebody }) => ({ ...of(somebody.id), body: { password: 'secret1' } }),
      //
    ],
    //
    remove: [admin(204), ({ somebody }) => of(somebody.id)],
    assignInstances: [
      admin(200),
      ({ somebody, instanceId }) => ({
        ...of(somebody.id),
        body: { instanceIds: [instanceId], canSendMessages: true, canCreateJobs: true },
      }),
    ],
    instances: [admin(200), ({ somebody }) => of(somebody.id)],
  },
  instances: {
    //
    list: [signedIn(200), none],
    get: [whoSeesIt(200), ({ instanceId }) => of(instanceId)],
    create: [
      admin(201),
      ({ unique }) => ({ body: { name: unique, whapiToken: `test_${unique}` } }),
      //
    ],
    //
    update: [admin(200), ({ instanceId }) => ({ ...of(instanceId), body: { name: 'Shop' } })],
    //
    remove: [admin(204), ({ instanceId }) => of(instanceId)],
    //
    clearData: [admin(204), ({ instanceId }) => of(instanceId)],
    //
    qr: [whoSeesIt(200), ({ instanceId }) => of(instanceId)],
    pairingCode: [
      whoSeesIt(200),
      ({ instanceId }) => ({ ...of(instanceId), query: { phone: '+84901234567' } }),
    ],
    logout: [whoSeesIt(204), ({ instanceId }) => of(instanceId)],
    //
    resume: [whoSeesItWithFlag(204), ({ instanceId }) => of(instanceId)],
    //
    sync: [whoSeesIt(202), ({ instanceId }) => of(instanceId)],
  },
  groups: {
    //
    list: [signedIn(200), none],
    search: [signedIn(200), ({ instanceId }) => ({ body: { instanceIds: [instanceId] } })],
    exportParticipants: [whoSeesIt(200), ({ group }) => of(group.id)],
  },
  messages: {
    //
    list: [signedIn(200), none],
    get: [whoSeesIt(200), ({ message }) => of(message.id)],
    //
    create: [[401, 401, 400, 403, 201, 201], newMessage],
    createWithFile: [[401, 401, 400, 403, 201, 201], newMessage],
    update: [whoSeesItWithFlag(200), changedMessage],
    updateWithFile: [whoSeesItWithFlag(200), changedMessage],
    remove: [whoSeesItWithFlag(204), ({ message }) => of(message.id)],
    bulkDelete: [whoSeesItWithFlag(204), ({ message }) => ({ body: { ids: [message.id] } })],
  },
  jobs: {
    //
    list: [signedIn(200), none],
    get: [whoSeesIt(200), ({ job }) => of(job.id)],
    sentMessages: [whoSeesIt(200), ({ job }) => of(job.id)],
    logs: [whoSeesIt(200), ({ job }) => of(job.id)],
    create: [
      [401, 401, 400, 403, 201, 201],
      ({ message, instanceId, group }) => ({
        body: { messageId: message.id, instanceId, groupIds: [group.id] },
      }),
      //
    ],
    preview: [
      [401, 401, 400, 403, 200, 200],
      ({ instanceId, group }) => ({ body: { instanceId, groupIds: [group.id] } }),
    ],
    test: [
      [401, 401, 400, 403, 201, 201],
      ({ instanceId }) => ({ body: { textContent: 'Hello', instanceId, phoneNumber: '0901234567' } }),
      //
    ],
    //
    restart: [whoSeesItWithFlag(200), ({ endedJob }) => of(endedJob.id)],
    cancel: [whoSeesItWithFlag(200), ({ job }) => of(job.id)],
    pause: [whoSeesItWithFlag(200), ({ job }) => of(job.id)],
    resume: [whoSeesItWithFlag(200), ({ pausedJob }) => of(pausedJob.id)],
    retryFailed: [whoSeesItWithFlag(200), ({ failedJob }) => ({ ...of(failedJob.id), body: {} })],
    remove: [whoSeesItWithFlag(204), ({ job }) => of(job.id)],
    bulkDelete: [whoSeesItWithFlag(204), ({ job }) => ({ body: { jobIds: [job.id] } })],
  },
  //
  dashboard: { stats: [signedIn(200), none] },
  // Its key and secret are its only proof: webhook.routes.test.ts.
  //
  webhooks: { whapi: [anybody(404), () => ({ params: { key: '1.guessed' }, body: {} })] },
  //
  events: { follow: [signedIn(200), none] },
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
  if (!row) throw new Error('It is not said yet who may call this.')
  const [expected, inputOf] = row
  const answered: Record<string, number> = {}
  for (const caller of callers) {
    const scene = await setScene(caller)
    answered[caller] = (await world.call(scene.user, endpoint, await inputOf(scene))).status
  }
  expect(answered).toEqual(Object.fromEntries(callers.map((caller, n) => [caller, expected[n]])))
}

test.each(endpoints.filter(({ isPublic }) => isPublic))('$name is answered to everybody', expectAnswers)

test.each(endpoints.filter(({ isPublic }) => !isPublic))('$name is answered to whom it should', expectAnswers)
