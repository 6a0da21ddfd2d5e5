import type { InjectOptions } from 'fastify'
import { beforeEach, expect, test } from 'vitest'
import { json, sql, values } from '../src/platform/database/sql.ts'
import { useContext } from './context.ts'
import type { TestUser } from './factories.ts'

// The exact fields of each answer. They are written out here, so that a change of the contract cannot change them
// unnoticed.

const context = useContext()
let admin: TestUser

beforeEach(async () => {
  admin = await context.add.admin()
})

async function read(path: string, user = admin, request: InjectOptions = {}) {
  const headers = { authorization: `Bearer ${user.token}` }
  return (await (await context.app).inject({ url: `/api/${path}`, headers, ...request })).json()
}

const createdAt = '2026-02-03T04:05:06.000Z'
const laterAt = '2026-02-04T04:05:06.000Z'

// R-100, R-101, R-289
test('a user has exactly these fields, alone and in the list', async () => {
  const [shop, bar] = [
    await context.add.instance({ name: 'Shop' }),
    await context.add.instance({ name: 'Bar' }),
  ]
  const { id } = await context.add.user({
    username: 'Lan',
    email: 'lan@example.com',
    isActive: false,
    canSendMessages: false,
    instances: [shop, bar],
  })
  await context.db.run(sql`update users set created_at = ${createdAt} where id = ${id}`)
  const lan = {
    id,
    username: 'Lan',
    email: 'lan@example.com',
    role: 'Member',
    isActive: false,
    isWaiting: false,
    canSendMessages: false,
    canCreateJobs: true,
    canLinkAccounts: true,
    canExportParticipants: true,
    canUseContacts: false,
    canManageContacts: false,
    canApproveJobs: false,
    canMentionAll: false,
    createdAt,
    hasFactor: false,
    needsFactor: false,
    version: 1,
    assignedInstances: [
      { id: bar.id, name: 'Bar' },
      { id: shop.id, name: 'Shop' },
    ],
  }

  expect(await read(`users/${id}`)).toEqual(lan)
  expect((await read('users?search=lan')).data).toEqual([lan])
  expect(await read(`users/${id}/instances`)).toEqual({
    assignedInstances: lan.assignedInstances,
    canSendMessages: false,
    canCreateJobs: true,
    canLinkAccounts: true,
    canExportParticipants: true,
    canUseContacts: false,
    canManageContacts: false,
    canApproveJobs: false,
    canMentionAll: false,
    version: 1,
  })
})

// R-2009
test('an API key has exactly these fields, alone and in the list, and never itself', async () => {
  const shop = await context.add.instance({ name: 'Shop' })
  const owner = await context.add.user({ username: 'Lan', instances: [shop] })
  const { keyId: id, token } = await context.add.apiKey(owner, {
    name: 'Till',
    rights: ['canCreateJobs'],
    instanceIds: [shop.id],
    addresses: ['203.0.113.7'],
  })
  await context.db.run(sql`
    update api_keys set created_at = ${createdAt}, expires_at = ${laterAt}, last_used_at = ${createdAt},
      last_used_address = '203.0.113.7'`)
  const till = {
    id,
    name: 'Till',
    start: token.slice(0, 13),
    owner: { id: owner.id, name: 'Lan' },
    rights: ['canCreateJobs'],
    instances: [{ id: shop.id, name: 'Shop' }],
    addresses: ['203.0.113.7'],
    createdAt,
    expiresAt: laterAt,
    hasExpired: true,
    lastUsedAt: createdAt,
    lastUsedAddress: '203.0.113.7',
  }
  for (const user of [owner, admin]) {
    expect(await read(`api-keys/${id}`, user)).toEqual(till)
    expect((await read('api-keys?search=lan', user)).data).toEqual([till])
  }
})

// R-104, R-105, R-106, R-270, R-695
test('an instance has exactly these fields; alone also its pace, and for Admins its token', async () => {
  const problem = { code: 'provider_unreachable', params: {} }
  const { id } = await context.add.instance({
    token: 'test_of_some_length_1234',
    name: 'Shop',
    whatsAppNumber: '84901234567',
    isActive: false,
    createdAt,
    expiredTime: laterAt,
    status: 'Degraded',
    statusSeenAt: laterAt,
    waiting: json({ code: 'account_unpaid', params: {} }),
    lastSyncAt: createdAt,
    syncingUntil: laterAt,
    syncProblem: json(problem),
    groupPauseFromMs: 1500,
    groupPauseToMs: 2000,
    privatePauseFromMs: 3000,
    privatePauseToMs: 4000,
    groupCap: 5,
    privateCap: 6,
    privateSlowAfter: 7,
    privateSlowPauseFromMs: 5000,
    privateSlowPauseToMs: 6500,
    privatePerQuarter: 8,
    privateHours: 9,
    privateDays: 10,
    personCap: 11,
    personRestDays: 12,
    newPeopleCap: 13,
    warmUpStep: 50,
    quietFrom: '22:00',
    quietTo: '06:30',
    timeZone: 'Europe/Berlin',
  })
  const member = await context.add.user({ instances: [{ id }] })
  const unpaid = { why: { code: 'account_unpaid', params: {} }, until: null }
  const row = {
    id,
    name: 'Shop',
    whatsAppNumber: '84901234567',
    isActive: false,
    isTest: true,
    createdAt,
    expiredTime: laterAt,
    status: 'Degraded',
    statusSeenAt: laterAt,
    waiting: { code: 'account_unpaid', params: {} },
    holds: { people: unpaid, groups: unpaid },
    lastSyncAt: createdAt,
    isSyncing: false,
    syncEndedAt: laterAt,
    syncProblem: problem,
  }
  const whole = {
    ...row,
    groupPauseSeconds: [1.5, 2],
    privatePauseSeconds: [3, 4],
    dailyCap: { groups: 5, private: 6 },
    privateSlowAfter: 7,
    privateSlowPauseSeconds: [5, 6.5],
    privatePerQuarterHour: 8,
    privateHoursPerDay: 9,
    privateDaysInARow: 10,
    personCap: 11,
    personRestDays: 12,
    newPeopleCap: 13,
    warmUpStep: 50,
    quietHours: { from: '22:00', to: '06:30' },
    timeZone: 'Europe/Berlin',
    approval: 'never',
    approvalAbove: 100,
    approverCount: 1,
    warmUp: { step: 50, nextStep: 100, sentToday: 0, neededToday: 40, spoiltBy: null },
    version: 1,
  }

  expect((await read('instances')).data).toEqual([row])
  expect(await read(`instances/${id}`)).toEqual({ ...whole, whapiToken: '••••1234' })
  expect(await read(`instances/${id}`, member)).toEqual(whole)
})

// R-108
test('the status of an instance is one of eight words', async () => {
  const statuses = [
    'Connected',
    'NeedsLogin',
    'Connecting',
    'Degraded',
    'Disconnected',
    'BadToken',
    'Unpaid',
    'Unknown',
  ]
  for (const status of statuses) await context.add.instance({ status })

  const { data } = await read('instances?sortBy=id&sortDirection=asc')

  expect(data.map(({ status }: { status: string }) => status)).toEqual(statuses)
})

// R-109, R-110, R-111, R-261
test('a message has exactly these fields; alone also its groups', async () => {
  const { id: instanceId } = await context.add.instance({ name: 'Shop' })
  const group = await context.add.group({ instanceId, name: 'Aunts' })
  const image = await context.db.maybeOne(sql`
    insert into images (name, mime_type, size) values ('a.png', 'image/png', 1) returning id`)
  const { id } = await context.add.message({
    textContent: 'Hello',
    imageId: image?.id,
    instanceId,
    createdByUserName: 'Lan',
    createdAt,
  })
  await context.db.run(sql`insert into message_groups ${values({ messageId: id, groupId: group.id })}`)
  const bare = await context.add.message({ textContent: 'Bare', createdByUserName: 'Lan', createdAt })
  const row = {
    id,
    textContent: 'Hello',
    imageUrl: '/images/a.png',
    instanceId,
    instanceName: 'Shop',
    content: null,
    hasVariables: false,
    isShared: false,
    createdByUserName: 'Lan',
    createdAt,
  }
  const bareRow = {
    ...row,
    id: bare.id,
    textContent: 'Bare',
    imageUrl: null,
    instanceId: null,
    instanceName: null,
  }

  expect((await read('messages')).data).toEqual([bareRow, row])
  expect(await read(`messages/${id}`)).toEqual({
    ...row,
    assignedGroups: [{ id: group.id, name: 'Aunts' }],
    version: 1,
  })
})

/** Adds a running job. Its first recipient is sent, the second failed, the others are queued. */
async function jobUnderWay(jobType: 'SendToGroups' | 'SendToUsers', recipients: string[]) {
  const { id: instanceId } = await context.add.instance({ name: 'Shop' })
  const message = await context.add.message()
  const { id } = await context.add.job({
    jobType,
    instanceId,
    messageId: message.id,
    textContent: 'Hello',
    status: 'Running',
    createdByUserName: 'Lan',
    scheduledAt: createdAt,
    createdAt,
    startedAt: laterAt,
    recipients,
  })
  const reason = json({ code: 'not_on_whatsapp', params: {} })
  await context.db.run(sql`
    update deliveries set status = 'sent', sent_at = ${laterAt} where chat_id = ${recipients[0] ?? ''}`)
  await context.db.run(sql`update deliveries set status = 'sending' where chat_id = ${recipients[1] ?? ''}`)
  await context.db.run(sql`
    update deliveries set status = 'failed', reason = ${reason} where chat_id = ${recipients[1] ?? ''}`)
  const row = {
    id,
    jobType,
    messageId: message.id,
    messageTitle: 'Hello',
    instanceId,
    instanceName: 'Shop',
    status: 'Running',
    isPaused: false,
    review: null,
    failedCount: 1,
    hasRemaining: true,
    content: null,
    mentionsAll: false,
    areRecipientsDeleted: false,
    series: null,
    name: '',
    version: 1,
    createdByUserName: 'Lan',
    scheduledAt: createdAt,
    createdAt,
    startedAt: laterAt,
    completedAt: null,
  }
  return { id, instanceId, row }
}

// R-115, R-114, R-122, R-117, R-281
test('a job to groups has these fields; the list leaves out logs and recipients', async () => {
  const { id, instanceId, row } = await jobUnderWay('SendToGroups', ['1@g.us', '2@g.us', '3@g.us'])
  const groups: { id: number; name: string }[] = []
  for (const n of [1, 2, 3]) {
    const group = await context.add.group({ instanceId, name: `Group ${n}`, chatId: `${n}@g.us` })
    groups.push({ id: group.id, name: group.name })
    await context.db.run(sql`
      update deliveries set group_id = ${group.id}, recipient_name = ${group.name} where chat_id = ${`${n}@g.us`}`)
  }
  await context.db.run(sql`
    insert into job_logs (job_id, created_at, log_level, reason)
    values (${id}, ${createdAt}, 'Info', '{"code": "job_started", "params": {}}'),
      (${id}, ${laterAt}, 'Warning',
        '{"code": "delivery_failed", "params": {"recipient": "Group 2", "why": "not_on_whatsapp"}}'),
      (${id}, ${laterAt}, 'Error', '{"code": "job_failed", "params": {}}')`)

  const job = await read(`jobs/${id}`)

  expect((await read('jobs')).data).toEqual([{ ...row, imageUrl: null, recipientCount: 3, sentCount: 1 }])
  expect(job).toMatchObject({
    ...row,
    textContent: 'Hello',
    imageUrl: null,
    assignedGroups: groups,
    targetPhoneNumbers: [],
    totalSentMessages: 1,
    progress: 33.33,
  })
  expect(job.logs.map(({ id: _id, reason: _reason, ...line }: Record<string, unknown>) => line)).toEqual([
    { createdAt: laterAt, logLevel: 'Error', message: 'Failed: no message went out.' },
    { createdAt: laterAt, logLevel: 'Warning', message: 'Group 2: This number is not on WhatsApp.' },
    { createdAt, logLevel: 'Info', message: 'Started.' },
  ])
  expect(job.sentMessages).toMatchObject([
    {
      recipientName: 'Group 2',
      recipientId: '2@g.us',
      status: 'Failed',
      sentAt: null,
      errorMessage: 'This number is not on WhatsApp.',
    },
    { recipientName: 'Group 1', recipientId: '1@g.us', status: 'Sent', sentAt: laterAt, errorMessage: null },
  ])
  expect(job.sentMessages).toHaveLength(2)
})

// R-116, R-118
test('a job to people has their numbers and counts its progress by them', async () => {
  const numbers = ['84901111111', '84902222222', '84903333333', '84904444444']
  const { id, row } = await jobUnderWay(
    'SendToUsers',
    numbers.map((number) => `${number}@s.whatsapp.net`),
  )

  expect(await read(`jobs/${id}`)).toMatchObject({
    ...row,
    assignedGroups: [],
    targetPhoneNumbers: numbers,
    totalSentMessages: 1,
    progress: 25,
    sentMessages: [{ recipientId: '84902222222' }, { recipientId: '84901111111' }],
  })
})

// R-124
test('a group has exactly these fields, and its instance', async () => {
  const { id: instanceId } = await context.add.instance({ name: 'Shop', lastSyncAt: createdAt })
  const { id } = await context.add.group({
    instanceId,
    name: 'Aunts',
    participantCount: 7,
    leftAt: laterAt,
    canSend: false,
  })
  const group = {
    id,
    name: 'Aunts',
    kind: 'group',
    participantCount: 7,
    lastSyncAt: createdAt,
    hasLeft: true,
    isClosed: true,
    instance: { id: instanceId, name: 'Shop' },
  }

  expect((await read('groups')).data).toEqual([group])
  expect((await read('groups/search', admin, { method: 'POST', payload: {} })).data).toEqual([group])
})

// R-102
test('no answer contains a password or its hash', async () => {
  const { id } = await context.add.user()
  const form = { username: 'newcomer', email: 'new@example.com', password: 'secret-1' }
  const answers = [
    await read('users', admin, { method: 'POST', payload: form }),
    await read(`users/${id}`, admin, { method: 'PUT', payload: { password: 'secret-1' } }),
    await read('auth/login', admin, { method: 'POST', payload: form }),
    await read(`users/${id}`),
    await read('users'),
  ]

  expect(answers[2]).toHaveProperty('token')
  for (const answer of answers) expect(JSON.stringify(answer)).not.toMatch(/password|argon2|secret1/i)
})
