import { randomBytes } from 'node:crypto'
import type { Quotas } from '@sendroom/contract/quotas'
import { fieldOfRight, type Right, type RightField } from '@sendroom/contract/rights'
import { sql } from '../../src/platform/database/sql.ts'
import type { Providers } from '../../src/providers/provider.ts'
import { TestContext } from '../context.ts'
import { cheapHash } from '../factories.ts'

const provider = {
  status: async () => ({ status: 'Connected', linkedNumber: '84901234567' }),
  qr: async () => 'data:image/png;base64,',
  pairingCode: async () => 'ABCD-EFGH',
  logout: async () => {},
  isMetered: async () => false,
  readEvent: () => null,
}
/** The context of the test file that imports this. The file opens and closes it, once or for each test. */
export const context = new TestContext({
  providers: () => ({ live: provider, test: provider }) as unknown as Providers, // these calls use only these methods
})

export const callers = ['no session', 'locked', 'unassigned', 'without flags', 'with flags', 'Admin'] as const
export const rights = Object.keys(fieldOfRight) as Right[] // its keys are the rights

/** These rights and no others, as the fields of a user. */
export const onlyRights = (given: readonly Right[]) =>
  Object.fromEntries(rights.map((right) => [fieldOfRight[right], given.includes(right)])) as Record<
    RightField,
    boolean
  >

export type Fixture = Awaited<ReturnType<typeof createFixture>>

/** Creates new data and a user. A call that succeeds may change or delete them. */
export const createFixture = async (caller: (typeof callers)[number]) => withUser(await createData(), caller)

/** Creates what calls are about. Calls that are refused change nothing, so several of them may share it. */
export async function createData() {
  const { add } = context
  const instance = await add.instance()
  const instanceId = instance.id
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
  }
}

export type Data = Awaited<ReturnType<typeof createData>>

export async function withUser(data: Data, caller: (typeof callers)[number]) {
  const unique = `new-${randomBytes(6).toString('hex')}`
  if (caller === 'no session') return { ...data, unique, user: null }
  const user = await context.add.user({
    role: caller === 'Admin' ? 'Admin' : 'Member',
    isActive: caller !== 'locked',
    ...onlyRights(caller !== 'without flags' ? rights : []),
    instances: caller === 'unassigned' ? [] : [{ id: data.instanceId }],
  })
  return { ...data, unique, user }
}

export const setPassword = async ({ id }: { id: number }, password: string) =>
  context.db.run(sql`update users set password_hash = ${await cheapHash(password)} where id = ${id}`)

export async function sessionOf({ id }: { id: number }): Promise<number> {
  const session = await context.db.one<{ id: number }>(sql`select id from sessions where user_id = ${id}`)
  return session.id
}

/**
 * Makes the group the first recipient of the job, with a sent message. Returns the parameters that name the recipient.
 */
export async function sentToGroup(job: { id: number }, group: { id: number }) {
  const { id: recipientId } = await context.db.one<{ id: number }>(sql`
    update deliveries set group_id = ${group.id}, status = 'sent', sent_at = clock_now()
    where id = (select min(id) from deliveries where job_id = ${job.id}) returning id`)
  return { params: { id: job.id, recipientId } }
}

/** Makes the message of the job a poll, which it sends to the group. */
export async function pollInGroup(job: { id: number }, group: { id: number }) {
  const content = JSON.stringify({ kind: 'poll', options: ['Yes', 'No'], allowsSeveral: false })
  await context.db.run(sql`
    update jobs set content = ${content}::jsonb, image_id = null, file_id = null where id = ${job.id}`)
  return sentToGroup(job, group)
}

export const otherQuotas: Quotas = {
  recipientsPerUser: 9,
  recipientsPerInstance: 9,
  syncsPerDay: 9,
  searchesAtOnce: 9,
  imageMegabytesPerUser: 9,
}
