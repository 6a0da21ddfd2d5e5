import { randomBytes } from 'node:crypto'
import { rightFields } from '@sendroom/contract/rights'
import { keyOf, secretOf } from '../../src/features/instances/webhook.ts'
import { tokenHashOf } from '../../src/features/session/open-session.ts'
import type { Pool } from '../../src/platform/database/connection.ts'
import { sql } from '../../src/platform/database/sql.ts'
import { hashPassword } from '../../src/platform/passwords.ts'
import type { Secrets } from '../../src/platform/secrets.ts'
import { factories, type TestUser } from '../factories.ts'
import { FOREIGN, PASSWORD, SECRET } from './markers.ts'

export type Caller = {
  name: string
  userId: number | null
  username: string
  isAdmin: boolean
  /** A program with an API key, which sees the fixture's own instances at most. */
  isKey: boolean
  /** The headers of a request. Each has another session, because a request may end its own. */
  headers: () => Record<string, string>
}

export type Fixture = Awaited<ReturnType<typeof createFixture>>

let passwordHash: Promise<string> | undefined

/** Creates callers of every kind, and rows for them to read and change. Each round has its own. */
export async function createFixture(db: Pool, secrets: Secrets) {
  const add = factories(db, secrets)
  const instance = (name: string) =>
    add.instance({
      name: `${name} ${randomBytes(4).toString('hex')}`,
      token: `test_${SECRET}_${randomBytes(8).toString('hex')}`,
    })
  const own = [await instance('Own'), await instance('Own'), await instance('Own')] as const
  const foreign = await instance(FOREIGN)
  const groups = await createAll(4, () => add.group({ instanceId: own[0].id }))
  const foreignGroup = await add.group({ instanceId: foreign.id, name: `${FOREIGN} group` })
  const callers = await createCallers(db, secrets, [...own])
  const member = { id: callers.member.userId ?? 0, username: callers.member.username }
  callers.webhook.headers = await webhookHeaders(db, secrets, own[0].id)
  // Otherwise the registration closes after fifty of them.
  await db.run(sql`delete from users where is_waiting`)
  const victims = await createAll(5, () => add.user({ instances: [own[1]] }))
  passwordHash ??= hashPassword(PASSWORD)
  await db.run(sql`update users set password_hash = ${await passwordHash} where password_hash = 'none'`)
  return {
    callers,
    webhookKeys: [
      keyOf(secrets, own[0].id),
      keyOf(secrets, own[0].id),
      keyOf(secrets, foreign.id),
      '1.guessed',
    ],
    secretTexts: [
      secretOf(secrets, await rowOf(db, own[0].id)),
      ...[...own, foreign].map(({ id }) => keyOf(secrets, id)),
    ],
    instances: own.map(({ id }) => id),
    foreignInstance: foreign.id,
    groups: groups.map(({ id }) => id),
    foreignGroup: foreignGroup.id,
    optOuts: await createOptOuts(db),
    possibleOptOuts: await createPossible(db, own[0].id),
    messages: (await createAll(8, () => add.message({ instanceId: own[0].id }))).map(({ id }) => id),
    series: (await createAll(6, () => add.series({ instanceId: own[0].id, groups }))).map(({ id }) => id),
    foreignSeries: (await add.series({ instanceId: foreign.id, name: `${FOREIGN} series` })).id,
    jobs: await createJobs(db, add, own[0].id),
    foreignJob: (await add.job({ instanceId: foreign.id, recipients: [], textContent: `${FOREIGN} text` }))
      .id,
    apiKeys: await createAll(8, async () => (await add.apiKey(member)).keyId),
    foreignApiKey: (await add.apiKey(await add.user(), { name: `${FOREIGN} key` })).keyId,
    victims: victims.map(({ id }) => id),
    usernames: [...Object.values(callers), ...victims].map(({ username }) => username),
    messageIds: await providerMessageIds(db),
  }
}

const createAll = <T>(count: number, create: () => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, create))

async function createCallers(db: Pool, secrets: Secrets, instances: { id: number }[]) {
  const { user } = factories(db, secrets)
  const without = Object.fromEntries(rightFields.map((field) => [field, false]))
  const users = {
    admin: await user({ role: 'Admin' }),
    member: await user({ instances, canManageContacts: true, canUseContacts: true }),
    memberWithoutRights: await user({ instances, ...without }),
    outsider: await user(),
    locked: await user({ instances, isActive: false }),
  }
  const named = await Promise.all(
    Object.entries(users).map(async ([name, user]) => [name, await callerOf(db, name, user)] as const),
  )
  const callers = Object.fromEntries(named) as Record<keyof typeof users, Caller> // the same names
  const anonymous = { userId: null, username: 'nobody', isAdmin: false, isKey: false, headers: () => ({}) }
  return {
    ...callers,
    ...(await createKeys(db, secrets, users, instances)),
    nobody: { ...anonymous, name: 'nobody' } as Caller,
    webhook: { ...anonymous, name: 'webhook' } as Caller,
  }
}

/** Keys of a Member, of an Admin for some instances only, without rights, and for another address. */
async function createKeys(
  db: Pool,
  secrets: Secrets,
  { admin, member }: { admin: TestUser; member: TestUser },
  instances: { id: number }[],
) {
  const { apiKey } = factories(db, secrets)
  const keys = {
    key: await apiKey(member),
    keyOfAdmin: await apiKey(admin, { instanceIds: instances.map(({ id }) => id) }),
    keyWithoutRights: await apiKey(member, { rights: [] }),
    keyFromElsewhere: await apiKey(member, { addresses: ['203.0.113.7'] }),
  }
  const callers = Object.entries(keys).map(([name, { id, username, token }]) => [
    name,
    {
      name,
      userId: id,
      username,
      isAdmin: false,
      isKey: true,
      headers: () => ({ authorization: `Bearer ${token}` }),
    },
  ])
  return Object.fromEntries(callers) as Record<keyof typeof keys, Caller> // the same names
}

const SESSIONS = 30

async function callerOf(db: Pool, name: string, { id, username }: TestUser): Promise<Caller> {
  const tokens = Array.from({ length: SESSIONS }, () => `${SECRET}-${randomBytes(16).toString('base64url')}`)
  await db.run(sql`
    insert into sessions (token_hash, user_id, expires_at)
    select hash, ${id}, clock_now() + interval '1 day' from unnest(${tokens.map(tokenHashOf)}::bytea[]) hash`)
  let next = 0
  const headers = () => ({ authorization: `Bearer ${tokens[next++ % SESSIONS]}` })
  return { name, userId: id, username, isAdmin: name === 'admin', isKey: false, headers }
}

const rowOf = async (db: Pool, id: number) => ({
  id,
  ...(await db.one<{ tokenCipher: Buffer }>(sql`select token_cipher from instances where id = ${id}`)),
})

async function webhookHeaders(db: Pool, secrets: Secrets, instanceId: number) {
  const secret = secretOf(secrets, await rowOf(db, instanceId))
  return () => ({ 'x-sendroom-secret': secret })
}

/** Jobs in every state, to numbers that the simulator knows. */
async function createJobs(
  db: Pool,
  { job }: ReturnType<typeof factories>,
  instanceId: number,
): Promise<number[]> {
  const recipients = ['84901000001', '84901000002', '84901000003'].map((number) => `${number}@s.whatsapp.net`)
  const pausedAt = '2026-01-01T00:00:00.000Z'
  const created = [
    ...(await createAll(4, () => job({ instanceId, recipients }))),
    ...(await createAll(3, () => job({ instanceId, recipients, pausedAt }))),
    ...(await createAll(3, () =>
      job({ instanceId, recipients, status: 'Failed', deliveryStatus: 'failed', completedAt: pausedAt }),
    )),
    ...(await createAll(2, () =>
      job({ instanceId, recipients, status: 'Cancelled', deliveryStatus: 'skipped', completedAt: pausedAt }),
    )),
  ]
  const ids = created.map(({ id }) => id)
  await db.run(sql`
    update deliveries set reason = '{"code":"not_on_whatsapp","params":{}}'
    where job_id = any(${ids}) and status = 'failed'`)
  return ids
}

/** The ids of messages that were sent before, for receipts about them. */
async function providerMessageIds(db: Pool): Promise<string[]> {
  const rows = await db.many<{ id: string }>(sql`
    select provider_message_id as id from deliveries where provider_message_id is not null order by id desc limit 20`)
  return rows.map(({ id }) => id)
}

const createOptOuts = async (db: Pool) =>
  (
    await db.many<{ id: number }>(sql`
      with begun as (
        insert into opt_outs (is_for_all, source, phone, said_at)
        select true, 'form', '8477' || floor(random() * 1e8), clock_now() from generate_series(1, 4)
        returning id, phone
      )
      insert into opted_out (kind, value, opt_out_id) select 'phone', phone, id from begun
      on conflict do nothing
      returning opt_out_id as id`)
  ).map(({ id }) => id)

const createPossible = async (db: Pool, instanceId: number) =>
  (
    await db.many<{ id: number }>(sql`
      insert into possible_opt_outs (instance_id, phone, why, words, provider_message_id, said_at)
      select ${instanceId}, '8478' || floor(random() * 1e8), 'contains', 'xin dừng', gen_random_uuid()::text, clock_now()
      from generate_series(1, 8)
      returning id`)
  ).map(({ id }) => id)
