import { contract } from '@sendroom/contract'
import { limits } from '@sendroom/contract/limits'
import { expect, test } from 'vitest'
import { useContext } from '../../../test/context.ts'
import { sql } from '../../platform/database/sql.ts'
import { type Provider, ProviderFailure, type Providers } from '../../providers/provider.ts'
import { deleteOldNumberChecks } from './check-numbers.queries.ts'
import { openNumberChecker } from './check-numbers.ts'

const { numberChecks } = contract
type Fake = Pick<Provider, 'isMetered' | 'checkNumbers'> & { asked: string[] }

/** The numbers that WhatsApp knows, by what was asked. All others are not on WhatsApp. */
const whatsapp = new Map<string, string>()
const provider: Fake = {
  asked: [],
  isMetered: async ({ token }) => token.startsWith('test_trial'),
  checkNumbers: async (_, phones) => {
    provider.asked.push(...phones)
    return phones.map((phone) => {
      const known = whatsapp.get(phone)
      return { phone, answer: known ? 'yes' : 'no', whatsappPhone: known ?? null }
    })
  },
}
const providers = () => ({ live: provider, test: provider }) as unknown as Providers // these calls use no others
const context = useContext({ providers })

async function fixture(columns: Parameters<typeof context.add.instance>[0] = {}) {
  provider.asked = []
  const instance = await context.add.instance({ isTest: false, ...columns })
  const user = await context.add.user({
    canManageContacts: true,
    canUseContacts: true,
    instances: [instance],
  })
  const work = openNumberChecker({ db: context.db, secrets: context.secrets, providers: providers() })
  const check = () => work(new AbortController().signal)
  const request = (ids: number[], more = {}) =>
    context.call(user, numberChecks.create, { body: { instanceId: instance.id, contacts: { ids }, ...more } })
  const queues = async () => (await context.call(user, numberChecks.list, {})).body.queues
  const answers = () =>
    context.db.many(sql`select phone, answer, whatsapp_phone from number_checks order by phone`)
  return { instance, user, check, request, queues, answers }
}

const contacts = async (...numbers: string[]) =>
  Promise.all(numbers.map(async (number) => (await context.add.contact({ number })).id))

// R-1170
test('the numbers of contacts are checked one by one, with pauses of two to three seconds', async () => {
  await context.freezeClock()
  const { instance, user, check, request, queues, answers } = await fixture()
  const ids = await contacts('84901000001', '84901000002')
  whatsapp.set('84901000001', '84901000001')

  expect((await request(ids)).body).toEqual({ queued: 2, known: 0 })
  expect((await request(ids)).body).toEqual({ queued: 0, known: 2 })
  expect(await queues()).toEqual([
    {
      instance: { id: instance.id, name: instance.name },
      ...{ waiting: 2, mine: 2, checkedToday: 0, perDay: limits.numberChecksPerDay, reason: null },
    },
  ])
  await check()
  await context.moveClock('1.9 seconds')
  await check()
  expect(provider.asked).toEqual(['84901000001'])
  await context.moveClock('1.2 seconds')
  await check()
  expect(provider.asked).toEqual(['84901000001', '84901000002'])
  expect(await answers()).toEqual([
    { phone: '84901000001', answer: 'yes', whatsappPhone: null },
    { phone: '84901000002', answer: 'no', whatsappPhone: null },
  ])
  expect(await queues()).toEqual([])
  const found = async (onWhatsapp: 'yes' | 'no' | 'unknown') =>
    (await context.call(user, contract.contacts.search, { body: { onWhatsapp } })).body.data.map(
      ({ id }) => id,
    )
  expect([await found('yes'), await found('no'), await found('unknown')]).toEqual([[ids[0]], [ids[1]], []])
})

// R-1178
test('typed numbers are checked as contacts’ are, without what is no number', async () => {
  const { instance, user, queues } = await fixture()
  const [id = 0] = await contacts('84901000091')
  const phoneNumbers = '0901000092, +84 901 000 093\n0901000092\tChị Lan; 12'
  const send = (more = {}) =>
    context.call(user, numberChecks.create, { body: { instanceId: instance.id, phoneNumbers, ...more } })
  const preview = async () =>
    (await context.call(user, numberChecks.preview, { body: { phoneNumbers } })).body
  const unreadable = { total: 2, first: ['Chị Lan', '12'] }

  expect(await preview()).toEqual({ numbers: 2, duplicates: 1, unreadable })
  expect((await send({ contacts: { ids: [id] } })).body).toEqual({ queued: 3, known: 0 })
  expect(await queues()).toMatchObject([{ waiting: 3, mine: 3 }])
  const entry = await context.db.one(
    sql`select details from audit_log where action = 'number_check.create' order by id desc limit 1`,
  )
  expect(entry).toMatchObject({ details: { count: 3 } })
})

// R-1178
test.each([
  ['nothing', '', 'NUMBER_CHECK.PHONE_REQUIRED'],
  ['no number', 'Chị Lan', 'NUMBER_CHECK.PHONE_REQUIRED'],
  [
    'too many',
    Array.from({ length: 10_001 }, (_, n) => `+8490${1_000_000 + n}`).join(),
    'NUMBER_CHECK.TOO_MANY',
  ],
])('a check of %s is refused at its field', async (_, phoneNumbers, text) => {
  const { instance, user } = await fixture()
  const body = { instanceId: instance.id, phoneNumbers }
  expect(await context.call(user, numberChecks.create, { body })).toMatchObject({
    status: 400,
    body: { fields: { phoneNumbers: text } },
  })
})

// R-1171
test.each([
  ['is switched off', sql`is_active = false`],
  ['is not linked', sql`status = 'NeedsLogin'`],
  ['waits', sql`waiting = '{"code": "account_unpaid", "params": {}}'`],
  ['is restricted', sql`restricted_until = clock_now() + interval '1 hour'`],
  ['was warned', sql`warned_until = clock_now() + interval '1 hour'`],
])('an account that %s checks nothing', async (_, change) => {
  const { instance, check, request, queues } = await fixture()
  await request(await contacts('84901000003'))
  await context.db.run(sql`update instances set ${change} where id = ${instance.id}`)
  await check()
  expect(provider.asked).toEqual([])
  expect(await queues()).toMatchObject([{ waiting: 1, reason: { code: expect.any(String) } }])
})

// R-1171
test('a provider that does not answer is asked again a minute later', async () => {
  await context.freezeClock()
  const { check, request, answers } = await fixture()
  await request(await contacts('84901000004'))
  const { checkNumbers } = provider
  provider.checkNumbers = async () => {
    throw new ProviderFailure('unreachable', { code: 'provider_unreachable', params: {} })
  }
  await check()
  provider.checkNumbers = checkNumbers
  await context.moveClock('59 seconds')
  await check()
  expect(await answers()).toEqual([])
  await context.moveClock('2 seconds')
  await check()
  expect(await answers()).toEqual([{ phone: '84901000004', answer: 'no', whatsappPhone: null }])
})

// R-1172
test.each([
  ['1,000 a day', 'test_linked_paid', limits.numberChecksPerDay],
  ['30 a day on a trial', 'test_trial', limits.numberChecksMetered],
])('an account checks %s at most', async (_, token, most) => {
  const { instance, check, request } = await fixture({ token })
  await request(await contacts('84901000005', '84901000006'), { allowsMetered: true })
  const used = (count: number) =>
    sql`jsonb_build_object('c' || local_day(clock_now(), time_zone), ${count}::int)`
  await context.db.run(sql`update instances set sent_by_day = ${used(most - 1)} where id = ${instance.id}`)
  for (let second = 0; second < 3; second++) {
    await check()
    await context.moveClock('4 seconds')
  }
  expect(provider.asked).toHaveLength(1)
})

// R-1172
test('on a trial nothing is checked before the user has been told', async () => {
  const { request } = await fixture({ token: 'test_trial_said' })
  const ids = await contacts('84901000007')
  expect(await request(ids)).toMatchObject({ status: 409, body: { code: 'number_check_metered' } })
  expect(await request(ids, { allowsMetered: true })).toMatchObject({ status: 202, body: { queued: 1 } })
})

// R-1173
test('a user has so many numbers waiting at most, and stops their own', async () => {
  const { instance, user, request, queues } = await fixture()
  const other = await context.add.user({ canManageContacts: true, instances: [instance] })
  await context.db.run(sql`
    insert into due_number_checks (instance_id, phone, asked_by_user_id)
    select ${instance.id}, '8490' || n, case when n = 0 then ${other.id}::int else ${user.id} end
    from generate_series(0, ${limits.numberChecksWaiting}::int) n`)
  const ids = await contacts('84901000008')
  expect(await request(ids)).toMatchObject({
    body: { code: 'quota_number_checks', params: { limit: limits.numberChecksWaiting } },
  })
  const unassigned = await context.add.user({ canManageContacts: true })
  expect((await context.call(unassigned, numberChecks.list, {})).body.queues).toEqual([])
  const stop = (by: typeof user) => context.call(by, numberChecks.stop, { params: { id: instance.id } })
  expect((await stop(user)).body).toEqual({ stopped: limits.numberChecksWaiting })
  expect(await queues()).toMatchObject([{ waiting: 1, mine: 0 }])
  expect((await stop(await context.add.admin())).body).toEqual({ stopped: 1 })
})

// R-1174
test('an answer is shown for 30 days, and then deleted', async () => {
  const { user } = await fixture()
  const [id = 0] = await contacts('84901000009')
  await context.db.run(sql`insert into number_checks (phone, answer) values ('84901000009', 'no')`)
  const numbers = async () =>
    (await context.call(user, numberChecks.ofContact, { params: { id } })).body.numbers
  expect(await numbers()).toMatchObject([{ phoneNumber: '+84901000009', answer: 'no', isWaiting: false }])
  await context.moveClock('31 days')
  expect(await numbers()).toMatchObject([{ answer: null, checkedAt: null }])
  await deleteOldNumberChecks(context.db, new AbortController().signal)
  expect(await context.db.run(sql`select from number_checks`)).toBe(0)
})

// R-1175
test('two numbers that WhatsApp knows by one get one message, there', async () => {
  const { instance, user, check, request } = await fixture()
  const ids = await contacts('5511987654321', '551187654321')
  whatsapp.set('5511987654321', '551187654321').set('551187654321', '551187654321')
  await request(ids)
  await check()
  await context.moveClock('4 seconds')
  await check()
  const message = await context.add.message({ instanceId: instance.id, textContent: 'Hello' })
  const order = { jobType: 'SendToUsers', messageId: message.id, instanceId: instance.id } as const
  const body = { ...order, contactIds: ids, phoneNumbers: '+5511987654321' }
  expect((await context.call(user, contract.jobs.preview, { body })).body).toMatchObject({
    recipients: 1,
    duplicates: 2,
    leftOut: 0,
  })
  const job = (await context.call(user, contract.jobs.create, { body })).body
  const chats = await context.db.many(sql`select chat_id from deliveries where job_id = ${job.id}`)
  expect(chats).toEqual([{ chatId: '551187654321@s.whatsapp.net' }])

  // The contact keeps the number for longer than the answer.
  await context.db.run(sql`delete from number_checks`)
  expect((await context.call(user, contract.jobs.preview, { body })).body).toMatchObject({
    recipients: 1,
    duplicates: 2,
  })
  const person = await context.db.many<{ value: string }>(
    sql`select value from same_person('phone', '551187654321') order by value`,
  )
  expect(person.map(({ value }) => value)).toEqual(['551187654321', '5511987654321'])
})

test('a contact has the number that WhatsApp knows, whichever became known first, until a check says otherwise', async () => {
  const check = (whatsappPhone: string | null, answer = 'yes') =>
    context.db.run(sql`
      insert into number_checks (phone, answer, whatsapp_phone) values ('5531987654321', ${answer}, ${whatsappPhone})
      on conflict (phone) do update set answer = excluded.answer, whatsapp_phone = excluded.whatsapp_phone`)
  const known = async () =>
    (
      await context.db.many(sql`select whatsapp_phone from contact_identities where value = '5531987654321'`)
    )[0]
  await check('553187654321')
  await contacts('5531987654321')
  expect(await known()).toEqual({ whatsappPhone: '553187654321' })
  await check(null, 'unknown')
  expect(await known()).toEqual({ whatsappPhone: '553187654321' })
  await check(null)
  expect(await known()).toEqual({ whatsappPhone: null })
})

// R-1176
test.each([
  ['before', false],
  ['after', true],
])('an opt-out by one of them %s the check holds for both', async (_, isChecked) => {
  const { user } = await fixture()
  const check = () =>
    context.db.run(sql`
      insert into number_checks (phone, answer, whatsapp_phone) values ('84901000062', 'yes', '84901000061')`)
  if (isChecked) await check()
  await context.call(user, contract.optOuts.create, { body: { phoneNumbers: '+84901000062' } })
  if (!isChecked) await check()
  const held = await context.db.many<{ value: string }>(sql`select value from opted_out order by value`)
  expect(held.map(({ value }) => value)).toEqual(['84901000061', '84901000062'])
})

// R-1170
test('a number that the provider fails on does not hold up the others', async () => {
  await context.freezeClock()
  const { check, request, answers } = await fixture()
  await request(await contacts('84901000071', '84901000072'))
  const { checkNumbers } = provider
  provider.checkNumbers = async (credentials, phones) => {
    if (phones[0] === '84901000071') throw new ProviderFailure('busy', { code: 'provider_busy', params: {} })
    return checkNumbers(credentials, phones)
  }
  for (let n = 0; n < 3; n++) {
    await check()
    await context.moveClock('2 minutes')
  }
  provider.checkNumbers = checkNumbers
  expect(await answers()).toContainEqual({ phone: '84901000072', answer: 'no', whatsappPhone: null })
})

// R-1170
test('a number that waits at an inactive account is checked by another one', async () => {
  const ids = await contacts('84901000081')
  const { instance, request } = await fixture()
  await request(ids)
  expect((await (await fixture()).request(ids)).body).toEqual({ queued: 0, known: 1 })
  await context.db.run(sql`update instances set is_active = false where id = ${instance.id}`)
  expect((await (await fixture()).request(ids)).body).toEqual({ queued: 1, known: 0 })
})

// R-1177
test('what a test account was told says nothing to real ones', async () => {
  const ids = await contacts('84901000091')
  const [pretend, real] = [await fixture({ isTest: true }), await fixture()]
  await pretend.request(ids)
  expect((await real.request(ids)).body).toEqual({ queued: 1, known: 0 })
  await context.db.run(sql`update instances set is_active = false where id = ${real.instance.id}`)
  whatsapp.set('84901000091', '84901000092')
  await pretend.check()
  expect(await pretend.answers()).toEqual([{ phone: '84901000091', answer: 'yes', whatsappPhone: null }])
  expect((await pretend.request(ids)).body).toEqual({ queued: 0, known: 1 })
  const show = async () =>
    (await context.call(real.user, numberChecks.ofContact, { params: { id: ids[0] ?? 0 } })).body.numbers
  expect(await show()).toMatchObject([{ answer: 'yes', isTest: true, isWaiting: true }])
  const found = async (onWhatsapp: 'yes' | 'no') =>
    (await context.call(real.user, contract.contacts.search, { body: { onWhatsapp } })).body.data.length
  expect(await found('yes')).toBe(0)

  await context.db.run(sql`update instances set is_active = true where id = ${real.instance.id}`)
  whatsapp.delete('84901000091')
  await real.check()
  expect(await show()).toMatchObject([{ answer: 'no', isTest: false, isWaiting: false }])
  expect(await found('no')).toBe(1)
  await context.db.run(sql`
    insert into due_number_checks (instance_id, phone) values (${pretend.instance.id}, '84901000091')`)
  whatsapp.set('84901000091', '84901000091')
  await context.moveClock('4 seconds')
  await pretend.check()
  expect(await show()).toMatchObject([{ answer: 'no', isTest: false }])
})
