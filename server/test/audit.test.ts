import { contract } from '@sendroom/contract'
import { expect, onTestFinished, test, vi } from 'vitest'
import { resetPassword } from '../src/features/session/first-admin.ts'
import { deleteOldAudit, record } from '../src/platform/audit.ts'
import { sql } from '../src/platform/database/sql.ts'
import type { Providers } from '../src/providers/provider.ts'
import { useContext } from './context.ts'
import { formOf } from './forms.ts'
import { picture } from './pictures.ts'
import { until } from './until.ts'

// The audit log's entries. access/recorded.test.ts tests that every call that changes something is recorded.

const PAIRING_CODE = 'WXYZ-1234'
const QR = 'data:image/png;base64,UVJjb2Rl'
const provider = {
  status: async () => ({ status: 'Connected', linkedNumber: '84901234567' }),
  qr: async () => QR,
  pairingCode: async () => PAIRING_CODE,
  logout: async () => {},
}
const context = useContext({
  providers: () => ({ live: provider, test: provider }) as unknown as Providers, // these calls use only these methods
})
const { session, users, instances, messages, jobs } = contract

type Entry = { action: string; userName: string; objectName: string; details: Record<string, unknown> }
const entries = () =>
  context.db.many<Entry>(sql`select action, user_name, object_name, details from audit_log order by id`)
const actions = async () => (await entries()).map(({ action }) => action)

const signIn = (username: string, password: string) =>
  context.call(null, session.login, { body: { username, password } })

test('what a Member sent is found after the Member has deleted the job, and everything else is gone', async () => {
  const instance = await context.add.instance({ name: 'Shop' })
  const member = await context.add.user({ username: 'lan', instances: [instance] })
  const group = await context.add.group({ instanceId: instance.id })
  const body = { textContent: 'Hàng giả giá rẻ', instanceId: instance.id }
  const message = (await context.call(member, messages.create, { body })).body
  const order = { messageId: message.id, instanceId: instance.id, groupIds: [group.id] }
  const job = (await context.call(member, jobs.create, { body: order })).body
  await context.call(member, messages.remove, { params: { id: message.id } })
  expect((await context.call(member, jobs.remove, { params: { id: job.id } })).status).toBe(204)
  await context.call(await context.add.admin(), instances.remove, { params: { id: instance.id } })
  await context.db.run(sql`delete from users where id = ${member.id}`)

  const found = await context.db.many(sql`
    select user_id, user_name, address, action, object_type, object_id, details from audit_log
    where search_text like like_pattern('hang gia') order by id`)
  const of = { userId: member.id, userName: 'lan', address: '127.0.0.1' }
  const text = 'Hàng giả giá rẻ'
  const ofJob = {
    text,
    image: null,
    jobType: 'SendToGroups',
    recipients: 1,
    instance: 'Shop',
    scheduledAt: null,
  }
  const ofMessage = { text, image: null, instance: 'Shop' }
  expect(found).toEqual([
    { ...of, action: 'message.create', objectType: 'message', objectId: message.id, details: ofMessage },
    { ...of, action: 'job.create', objectType: 'job', objectId: job.id, details: ofJob },
    { ...of, action: 'message.delete', objectType: 'message', objectId: message.id, details: ofMessage },
    // The job had not ended, and was cancelled in a transaction of its own.
    ...(['job.cancel', 'job.delete'] as const).map((action) => ({
      ...of,
      action,
      objectType: 'job',
      objectId: job.id,
      details: { ...ofJob, createdBy: 'lan' },
    })),
  ])
})

test('a text of the greatest length is kept whole, and so is the former one', async () => {
  const author = await context.add.admin()
  const [text, formerText] = ['y'.repeat(4000), 'x'.repeat(4000)]
  const { id } = (await context.call(author, messages.create, { body: { textContent: formerText } })).body
  await context.call(author, messages.update, { params: { id }, body: { textContent: text } })
  expect((await entries()).at(-1)).toMatchObject({
    action: 'message.update',
    details: { text, formerText },
  })
})

test('a text with half an emoji is recorded', async () => {
  const author = await context.add.admin()
  const body = { textContent: 'half \ud83d' }
  expect((await context.call(author, messages.create, { body })).status).toBe(201)
  expect((await entries())[0]?.details).toMatchObject({ text: 'half \ufffd' })
})

test('a test message is recorded with its text and image', async () => {
  const { id: instanceId } = await context.add.instance()
  const fields = { textContent: 'Only a test', instanceId, phoneNumber: '0901234567' }
  const body = formOf(fields, await picture())
  expect((await context.call(await context.add.admin(), jobs.test, { body })).status).toBe(201)
  expect(await entries()).toMatchObject([
    {
      action: 'job.create',
      details: { text: 'Only a test', image: expect.stringMatching(/^\/images\//), recipients: 1 },
    },
  ])
})

test('a job that is requested twice is recorded once', async () => {
  const { id: instanceId } = await context.add.instance()
  const group = await context.add.group({ instanceId })
  const { id: messageId } = await context.add.message({ instanceId })
  const requestId = crypto.randomUUID()
  const admin = await context.add.admin()
  const create = () =>
    context.call(admin, jobs.create, { body: { messageId, instanceId, groupIds: [group.id], requestId } })
  const ids = (await Promise.all([create(), create(), create()])).map(({ body }) => body.id)
  expect(new Set(ids).size).toBe(1)
  expect(await actions()).toEqual(['job.create'])
})

test('what can’t be deleted yet is recorded once: a job’s cancel, and that an instance’s data is being cleared', async () => {
  const [first, second] = [await context.add.instance(), await context.add.instance()]
  const job = await context.add.job({ instanceId: first.id, status: 'Running', deliveryStatus: 'doubt' })
  await context.add.job({ instanceId: second.id, status: 'Running', deliveryStatus: 'doubt' })
  await context.add.job({ instanceId: second.id, status: 'Running' })
  await context.db.run(sql`update deliveries set doubt_since = clock_now() where status = 'doubt'`)
  const admin = await context.add.admin()

  const asked = [
    context.call(admin, jobs.remove, { params: { id: job.id } }),
    context.call(admin, instances.clearData, { params: { id: second.id } }),
  ]
  await until(
    'both wait for the messages',
    async () => (await context.db.run(sql`select from jobs where status <> 'Cancelled'`)) === 0,
  )
  const now = performance.now.bind(performance)
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => now() + 20_000)
  onTestFinished(() => clock.mockRestore())
  const answers = await Promise.all(asked)

  expect(answers.map(({ body }) => body.code)).toEqual(['account_busy', 'account_busy'])
  expect((await actions()).sort()).toEqual(['instance.clear', 'job.cancel'])
})

test('an instance that is deleted with several jobs is recorded once', async () => {
  const { id } = await context.add.instance()
  for (const status of ['Pending', 'Running', 'Completed'] as const)
    await context.add.job({ instanceId: id, status })
  await context.call(await context.add.admin(), instances.remove, { params: { id } })
  expect(await entries()).toMatchObject([{ action: 'instance.delete', details: { jobs: 3 } }])
})

test('a change of a user is recorded as names, rights and password', async () => {
  const admin = await context.add.admin({ username: 'an' })
  const instance = await context.add.instance({ name: 'Shop' })
  const user = await context.add.user({ username: 'lan', email: 'lan@example.com' })
  const change = {
    username: 'lan2',
    email: 'lan@example.com',
    password: 'a new secret',
    role: 'Admin' as const,
    canLinkAccounts: false,
    canExportParticipants: false,
    canUseContacts: true,
    canManageContacts: true,
    assignedInstances: [instance.id],
  }
  await context.call(admin, users.update, { params: { id: user.id }, body: change })
  expect(await entries()).toEqual([
    { userName: 'an', objectName: 'lan2', action: 'user.password', details: { browser: 'lightMyRequest' } },
    {
      userName: 'an',
      objectName: 'lan2',
      action: 'user.rights',
      details: {
        changes: {
          role: ['Member', 'Admin'],
          canLinkAccounts: [true, false],
          canExportParticipants: [true, false],
          canUseContacts: [false, true],
          canManageContacts: [false, true],
          assignedInstances: [[], ['Shop']],
        },
      },
    },
    {
      userName: 'an',
      objectName: 'lan2',
      action: 'user.update',
      details: { changes: { username: ['lan', 'lan2'] }, browser: 'lightMyRequest' },
    },
  ])
})

test('a form that is saved without a change of the user is not recorded', async () => {
  const admin = await context.add.admin()
  const { id, username } = await context.add.user()
  expect((await context.call(admin, users.update, { params: { id }, body: { username } })).status).toBe(200)
  const assignment = { instanceIds: [], canSendMessages: true, canCreateJobs: true }
  await context.call(admin, users.assignInstances, { params: { id }, body: assignment })
  expect(await entries()).toEqual([])
})

test('a change of an instance is recorded with the values before and after', async () => {
  const admin = await context.add.admin()
  const { id } = await context.add.instance({ name: 'Shop', privateCap: 200 })
  const dailyCap = { groups: 0, private: 5000 }
  await context.call(admin, instances.update, { params: { id }, body: { name: 'Shop', dailyCap } })
  await context.call(admin, instances.update, { params: { id }, body: { whapiToken: 'test_other' } })
  expect(await entries()).toMatchObject([
    {
      objectName: 'Shop',
      details: { changes: { dailyCap: [{ groups: 0, private: 200 }, dailyCap] } },
    },
    { objectName: 'Shop', details: { changes: {}, tokenChanged: true } },
  ])
})

test('a QR code that the dialog asks for again is recorded once in ten minutes', async () => {
  const { id } = await context.add.instance()
  const [one, other] = [await context.add.admin(), await context.add.admin()]
  const show = (user: typeof one) => context.call(user, instances.qr, { params: { id } })
  for (const user of [one, one, other]) await show(user)
  expect(await actions()).toEqual(['instance.link', 'instance.link'])
  await context.shiftClock('11 minutes')
  await show(one)
  expect(await actions()).toHaveLength(3)

  // A clock that was ahead and is set right hides no entry.
  await context.shiftClock('12 hours')
  await show(one)
  await context.shiftClock('30 minutes')
  await show(one)
  expect(await actions()).toHaveLength(5)
})

test('a failed sign-in is recorded with the name of a user, and with no other text that was typed', async () => {
  const user = await context.add.user({ username: 'Lan', password: 'secret1' })
  await signIn('lan', 'wrong')
  await signIn('my password', 'lan')
  await signIn('lan', 'secret1')
  const rows = await context.db.many(sql`
    select user_id, user_name, address, action, object_id, object_name, details from audit_log order by id`)
  const failed = {
    userId: null,
    userName: '',
    address: '127.0.0.1',
    action: 'session.sign_in_failed',
    details: {},
  }
  expect(rows).toEqual([
    { ...failed, objectId: user.id, objectName: 'Lan' },
    { ...failed, objectId: null, objectName: '' },
    {
      ...failed,
      userId: user.id,
      userName: 'Lan',
      action: 'session.sign_in',
      objectId: null,
      objectName: '',
      details: { browser: 'lightMyRequest' },
    },
  ])
})

test('an attempt that has to wait is not recorded', async () => {
  await context.freezeClock()
  const statuses: number[] = []
  for (let n = 0; n < 8; n++) statuses.push((await signIn('lan', 'wrong')).status)
  expect(statuses).toEqual([401, 401, 401, 401, 401, 429, 429, 429])
  expect(await actions()).toEqual(Array(5).fill('session.sign_in_failed'))
})

test('a wrong password in a confirmation is recorded as a failed sign-in', async () => {
  const user = await context.add.user({ username: 'lan', password: 'secret-1' })
  const confirm = (password: string) => context.call(user, session.confirm, { body: { password } })
  expect((await confirm('wrong')).status).toBe(400)
  expect((await confirm('secret-1')).status).toBe(200)
  expect(await entries()).toEqual([
    { action: 'session.sign_in_failed', userName: '', objectName: 'lan', details: {} },
    { action: 'session.confirm', userName: 'lan', objectName: '', details: {} },
  ])
})

test('the address is that of the client behind a trusted proxy', async () => {
  await (await context.app).inject({
    method: 'POST',
    url: '/api/auth/login',
    headers: { 'x-forwarded-for': '203.0.113.7' },
    payload: { username: 'nobody', password: 'secret1' },
  })
  expect(await context.db.many(sql`select address from audit_log`)).toEqual([{ address: '203.0.113.7' }])
})

test('a registration and a password that is reset on the server are recorded', async () => {
  const body = { username: 'lan', email: 'lan@example.com', password: 'secret-1', repassword: 'secret-1' }
  await context.call(null, session.register, { body })
  await resetPassword(context.db, 'LAN', { passwordMin: 8 })
  expect(await entries()).toEqual([
    { action: 'session.register', userName: '', objectName: 'lan', details: { email: 'lan@example.com' } },
    { action: 'user.password', userName: '', objectName: 'lan', details: { by: 'command' } },
  ])
})

test('no secret reaches the log', async () => {
  const secrets = [
    'secret-of-lan',
    'secret-of-nobody',
    'secret-typed-wrong',
    'test_secret_token',
    'test_next_token',
  ]
  const [ofLan = '', ofMinh = '', typed = '', token = '', nextToken = ''] = secrets
  const admin = await context.add.admin({ username: 'an', password: ofLan })
  const signedIn = (await signIn('an', ofLan)).body
  await signIn('an', typed)
  await signIn(typed, 'an')
  const body = { username: 'minh', email: 'minh@example.com', password: ofMinh, role: 'Member' as const }
  const user = (await context.call(admin, users.create, { body })).body
  await context.call(admin, users.update, { params: { id: user.id }, body: { password: ofLan } })
  const instance = (
    await context.call(admin, instances.create, { body: { name: 'Shop', whapiToken: token } })
  ).body
  const params = { id: instance.id }
  await context.call(admin, instances.update, { params, body: { whapiToken: nextToken } })
  await context.call(admin, instances.qr, { params })
  await context.call(admin, instances.pairingCode, { params, query: { phone: '0901234567' } })
  await context.call(admin, session.logout, {})

  const log = (await context.db.many(sql`select a::text as row from audit_log a`))
    .map(({ row }) => row)
    .join('\n')
  expect((await actions()).length).toBeGreaterThanOrEqual(10)
  for (const secret of [...secrets, signedIn.token, admin.token, PAIRING_CODE, QR])
    expect(log).not.toContain(secret)
})

test('entries are deleted after the set number of days', async () => {
  const actor = { id: null, username: 'old', address: '' }
  await context.db.begin((tx) => record(tx, actor, { action: 'session.sign_in' }))
  await context.shiftClock('100 days')
  await context.db.begin((tx) => record(tx, { ...actor, username: 'new' }, { action: 'session.sign_in' }))
  await deleteOldAudit(context.db, 101)
  expect(await entries()).toHaveLength(2)
  await deleteOldAudit(context.db, 99)
  expect(await entries()).toMatchObject([{ userName: 'new' }])
})

test('many old entries are deleted in slices, so that no statement reaches its time limit', async () => {
  await context.db.script(`
    create table slices (deleted bigint);
    create function note_slice() returns trigger language plpgsql security definer as $$
    begin insert into slices select count(*) from gone; return null; end $$;
    create trigger note_slice after delete on audit_log referencing old table as gone
      for each statement execute function note_slice();
    insert into audit_log (at, user_name, address, action, object_name, details)
    select now() - interval '100 days', '', '', 'session.sign_in', '', '{}' from generate_series(1, 25000)`)
  await deleteOldAudit(context.db, 99)
  expect(await entries()).toEqual([])
  const { most, total } = await context.db.one<{ most: number; total: number }>(
    sql`select max(deleted) as most, sum(deleted)::int as total from slices`,
  )
  expect(total).toBe(25_000)
  expect(most).toBeLessThanOrEqual(10_000)
})
