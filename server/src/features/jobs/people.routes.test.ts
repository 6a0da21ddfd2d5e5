import { contract } from '@sendroom/contract'
import type { Input } from '@sendroom/contract/endpoint'
import { expect, test } from 'vitest'
import { callerOf } from '../../../test/caller.ts'
import { useSharedContext } from '../../../test/context.ts'
import type { TestUser } from '../../../test/factories.ts'
import { type Sql, sql } from '../../platform/database/sql.ts'
import { countPeople } from './people.queries.ts'

// Jobs to contacts, to lists of contacts and to sets of groups.

const context = useSharedContext()
const { jobs } = contract

type Order = Partial<Exclude<Input<typeof jobs.create>['body'], FormData>>
type Contact = { id: number; number: string }

/** Adds a Member who may use contacts, an instance and a message. Returns functions that create and preview jobs. */
async function fixture(rights: Parameters<typeof context.add.user>[0] = { canUseContacts: true }) {
  const instance = await context.add.instance()
  const user = await context.add.user({ ...rights, instances: [instance] })
  const message = await context.add.message({ instanceId: instance.id, textContent: 'Hello' })
  const order = { jobType: 'SendToUsers' as const, messageId: message.id, instanceId: instance.id }
  const create = (more: Order, by: TestUser = user) =>
    context.call(by, jobs.create, { body: { ...order, ...more } as never }) // also bad input
  const preview = async (more: Order, by: TestUser = user) =>
    (await context.call(by, jobs.preview, { body: { ...order, ...more } })).body
  /** Creates a job and returns its recipients, in the order in which it sends. */
  async function recipientsOf(more: Order, by: TestUser = user) {
    const { body } = await create(more, by)
    const rows = await context.db.many<{ number: string; name: string; contactId: number | null }>(sql`
      select replace(chat_id, '@s.whatsapp.net', '') as number, recipient_name as name, contact_id
      from deliveries where job_id = ${body.id} order by id`)
    expect(body.recipientCount).toBe(rows.length)
    return rows
  }
  return { instance, user, create, preview, recipientsOf }
}

const personOf = ({ id, number }: Contact, name: string) => ({ number, name, contactId: id })
const nobody = (number: string) => ({ number, name: `+${number}`, contactId: null })

/** Gives the contact another phone number. */
const addNumber = ({ id }: Contact, value: string) =>
  context.db.run(
    sql`insert into contact_identities (contact_id, kind, value) values (${id}, 'phone', ${value})`,
  )

async function hiddenContact() {
  const contact = await context.add.contact()
  await context.db.run(sql`
    update contact_identities set kind = 'lid', is_primary = false where contact_id = ${contact.id}`)
  return contact
}

//
test('numbers, contacts and lists together send to each person once, at the primary number', async () => {
  const { recipientsOf } = await fixture({ canManageContacts: true })
  const [lan, minh, noName] = [
    await context.add.contact({ name: 'Lan' }),
    await context.add.contact({ name: 'Minh' }),
    await context.add.contact({ name: '' }),
  ]
  await addNumber(lan, '84281111111')
  const [first, second] = [
    await context.add.list({ contacts: [lan, minh] }),
    await context.add.list({ contacts: [minh, noName] }),
  ]
  const order = {
    // The other number of Lan, the number of nobody, and Lan’s own again.
    phoneNumbers: `+84281111111, +84282222222, +${lan.number}`,
    contactIds: [minh.id, minh.id],
    listIds: [first.id, second.id, first.id],
  }
  expect(await recipientsOf(order)).toEqual([
    personOf(lan, 'Lan'),
    nobody('84282222222'),
    personOf(minh, 'Minh'),
    personOf(noName, `+${noName.number}`),
  ])
})

test('a large list to leave out is not searched again for each person', async () => {
  const list = await context.add.list({})
  await context.db.run(sql`
    with made as (
      insert into contacts (name, numbers, source, source_name)
      select 'Of a large list', '', 'form', 'somebody' from generate_series(1, 5000) returning id
    ) insert into list_contacts (list_id, contact_id) select ${list.id}, id from made`)
  await context.db.run(sql`analyze list_contacts`)
  const caller = await callerOf(context.db, await context.add.user({ canManageContacts: true }))
  const lists = [{ id: list.id, filter: null }]
  const plan = await context.db.begin(async (tx) => {
    // As much as a list of 300,000 would need with the memory of a usual server.
    await tx.run(sql`set local work_mem = '64kB'`)
    const explain = (query: Sql) => tx.many(sql`explain ${query}`)
    const db = { ...tx, one: async (query: Sql) => (await explain(query)) as never }
    return countPeople(db, caller, { numbers: [], contactIds: [], lists, excluded: lists }, null)
  })
  expect(JSON.stringify(plan)).toMatch(/Anti Join/)
})

// R-1207
test('a job is sent first to those whom the account has written to or who have answered', async () => {
  const { instance, recipientsOf } = await fixture({ canManageContacts: true })
  const other = await context.add.instance()
  const [lan, minh] = [
    await context.add.contact({ name: 'Lan' }),
    await context.add.contact({ name: 'Minh' }),
  ]
  await context.db.run(sql`
    insert into instance_people (instance_id, phone, first_sent_at, replied_at) values
      (${instance.id}, ${minh.number}, clock_now(), null), (${instance.id}, '84900000003', null, clock_now()),
      (${instance.id}, '84900000002', null, null), (${other.id}, ${lan.number}, clock_now(), clock_now())`)
  expect(
    await recipientsOf({
      phoneNumbers: '+84900000001, +84900000002, +84900000003',
      contactIds: [lan.id, minh.id],
    }),
  ).toEqual([
    nobody('84900000003'),
    personOf(minh, 'Minh'),
    nobody('84900000001'),
    nobody('84900000002'),
    personOf(lan, 'Lan'),
  ])
})

//
test('a list to leave out takes out whoever is in it, also by a typed number', async () => {
  const { user, recipientsOf, preview } = await fixture()
  const [lan, minh, hidden] = [
    await context.add.contact({ name: 'Lan' }),
    await context.add.contact({ name: 'Minh' }),
    await hiddenContact(),
  ]
  await addNumber(lan, '84283333333')
  const everybody = await context.add.list({ users: [user], contacts: [lan, minh, hidden] })
  const without = await context.add.list({ isForAll: true, contacts: [lan] })
  const order = {
    phoneNumbers: '+84283333333, +84284444444, abc, +84284444444',
    listIds: [everybody.id],
    excludedListIds: [without.id],
  }
  expect(await preview(order)).toMatchObject({
    recipients: 2,
    // The number that was typed twice, and Lan, who is in the list.
    duplicates: 2,
    leftOut: 1,
    withoutNumber: 1,
    unreadable: { total: 1, first: ['abc'] },
  })
  expect(await recipientsOf({ ...order, phoneNumbers: '+84283333333, +84284444444' })).toEqual([
    nobody('84284444444'),
    personOf(minh, 'Minh'),
  ])
})

//
test('a list with a filter has whoever matches when the job is created', async () => {
  const { recipientsOf } = await fixture({ canManageContacts: true })
  const [before, later] = [
    await context.add.contact({ name: 'Lan' }),
    await context.add.contact({ name: 'Hoa' }),
  ]
  const { id: tagId } = await context.db.one<{ id: number }>(
    sql`insert into tags (name) values ('vip') returning id`,
  )
  const tag = ({ id }: Contact) => context.db.run(sql`insert into contact_tags values (${id}, ${tagId})`)
  const list = await context.add.list({ filter: { tagIds: [tagId] } })
  await tag(before)
  expect(await recipientsOf({ listIds: [list.id], scheduledAt: '2125-01-01T00:00:00Z' })).toHaveLength(1)
  await tag(later)
  expect(await recipientsOf({ listIds: [list.id] })).toEqual([
    personOf(before, 'Lan'),
    personOf(later, 'Hoa'),
  ])
})

//
test('a typed number of a contact that the caller does not see is only a number', async () => {
  const { user, recipientsOf } = await fixture()
  const lan = await context.add.contact({ name: 'Lan' })
  await addNumber(lan, '84285555555')
  const phoneNumbers = `+84285555555, +${lan.number}`
  const apart = [nobody('84285555555'), nobody(lan.number)]
  const { recipientsOf: withoutRight } = await fixture({})
  expect(await recipientsOf({ phoneNumbers })).toEqual(apart)
  expect(await withoutRight({ phoneNumbers })).toEqual(apart)

  await context.add.list({ users: [user], contacts: [lan] })
  // Not word for word the same, which would count as a double click.
  expect(await recipientsOf({ phoneNumbers: `${phoneNumbers},` })).toEqual([personOf(lan, 'Lan')])
})

//
test.each(['create', 'preview'] as const)(
  'to %s a job takes only lists and contacts that the caller may use',
  async (what) => {
    const { create, preview, user } = await fixture()
    const contact = await context.add.contact()
    const list = await context.add.list({ contacts: [contact] })
    const fieldsOf = async (order: Order, by = user) => {
      const body = what === 'create' ? (await create(order, by)).body : await preview(order, by)
      return (body as { fields?: unknown }).fields
    }
    const wrong = {
      listIds: [list.id],
      excludedListIds: [987_654],
      contactIds: [contact.id],
    }
    expect(await fieldsOf(wrong)).toEqual({
      listIds: 'JOB.LIST_INVALID',
      excludedListIds: 'JOB.LIST_INVALID',
      contactIds: 'JOB.CONTACT_INVALID',
    })
    const manager = await context.add.admin()
    expect(await fieldsOf({ listIds: [list.id], contactIds: [contact.id] }, manager)).toBeUndefined()
    expect(await fieldsOf({ excludedListIds: [987_654], contactIds: [987_654] }, manager)).toEqual({
      excludedListIds: 'JOB.LIST_INVALID',
      contactIds: 'JOB.CONTACT_INVALID',
    })
  },
)

//
test('a job to nobody is refused', async () => {
  const { create, user } = await fixture()
  const hidden = await context.add.list({ users: [user], contacts: [await hiddenContact()] })
  const lan = await context.add.contact()
  const all = await context.add.list({ users: [user], contacts: [lan] })
  const nobodyLeft = { status: 400, body: { fields: { listIds: 'JOB.NOBODY_LEFT' } } }
  expect(await create({ listIds: [hidden.id] })).toMatchObject(nobodyLeft)
  expect(await create({ listIds: [all.id], excludedListIds: [all.id] })).toMatchObject(nobodyLeft)
  expect(await create({ phoneNumbers: '', excludedListIds: [all.id] })).toMatchObject({
    body: { fields: { phoneNumbers: 'JOB.PHONE_REQUIRED' } },
  })
})

//
test('the quota counts the people of lists', async () => {
  const { create, user } = await fixture()
  const contacts = [await context.add.contact(), await context.add.contact()]
  const list = await context.add.list({ users: [user], contacts })
  await context.db.run(sql`update quotas set recipients_per_user = 1`)
  const refused = await create({ listIds: [list.id] })
  await context.db.run(sql`update quotas set recipients_per_user = 1000000`)
  expect(refused).toMatchObject({ status: 409, body: { code: 'quota_recipients_user' } })
})

//
test('equal jobs to lists at once are one job, and with another list left out another', async () => {
  const { create, user } = await fixture()
  const list = await context.add.list({ users: [user], contacts: [await context.add.contact()] })
  const empty = await context.add.list({ users: [user] })
  const same = await Promise.all([create({ listIds: [list.id] }), create({ listIds: [list.id] })])
  const other = await create({ listIds: [list.id], excludedListIds: [empty.id] })
  expect([...same, other].map(({ status }) => status)).toEqual([201, 201, 201])
  expect(same[1]?.body.id).toBe(same[0]?.body.id)
  expect(other.body.id).not.toBe(same[0]?.body.id)
})

//
test('a job to sets of groups sends to each group once, and not to those that the account has left', async () => {
  const { instance, create, preview } = await fixture()
  const groups = []
  for (const name of ['Aunts', 'Brothers', 'Cousins'])
    groups.push(await context.add.group({ instanceId: instance.id, name }))
  const left = await context.add.group({ instanceId: instance.id, leftAt: '2026-01-01T00:00:00Z' })
  const [aunts, brothers, cousins] = groups
  const set = (some: unknown[]) =>
    context.add.groupSet({ instanceId: instance.id, isForAll: true, groups: some as { id: number }[] })
  const [first, second, gone] = [await set([aunts, left]), await set([aunts, brothers]), await set([left])]
  const order = {
    jobType: 'SendToGroups' as const,
    groupIds: [cousins?.id ?? 0, brothers?.id ?? 0],
    groupSetIds: [first.id, second.id],
  }
  expect(await preview(order)).toMatchObject({ recipients: 3, duplicates: 1, leftGroups: { total: 0 } })
  expect(await preview(order)).toMatchObject({ leftInSets: { total: 1, first: [{ id: left?.id }] } })
  const { body } = await create(order)
  const rows = await context.db.many<{ name: string }>(sql`
    select recipient_name as name from deliveries where job_id = ${body.id} order by id`)
  expect(rows.map(({ name }) => name)).toEqual(['Aunts', 'Brothers', 'Cousins'])
  expect(await create({ ...order, groupIds: [], groupSetIds: [gone.id] })).toMatchObject({
    body: { fields: { groupIds: 'JOB.GROUP_REQUIRED' } },
  })
})

//
test('a job takes only sets of its account that the caller may use', async () => {
  const { instance, create, preview } = await fixture()
  const group = await context.add.group({ instanceId: instance.id })
  const notShared = await context.add.groupSet({ instanceId: instance.id, groups: [group] })
  const elsewhere = await context.add.groupSet({ isForAll: true })
  const wrong = { fields: { groupSetIds: 'JOB.GROUP_SET_INVALID' } }
  for (const { id } of [notShared, elsewhere]) {
    const order = { jobType: 'SendToGroups' as const, groupSetIds: [id] }
    expect(await create(order)).toMatchObject({ status: 400, body: wrong })
    expect(await preview(order)).toMatchObject(wrong)
  }
})

test('people who are left out do not count for the quota of recipients', async () => {
  const { instance, user, create } = await fixture({ canManageContacts: true })
  const message = await context.add.message({
    instanceId: instance.id,
    textContent: 'Hi {{name}}',
    hasVariables: true,
  })
  const contacts = [await context.add.contact({ name: 'Lan' }), await context.add.contact({ name: '' })]
  const list = await context.add.list({ contacts })
  await context.db.run(sql`update quotas set recipients_per_user = 1`)
  const order = { messageId: message.id, listIds: [list.id], leaveOutIncomplete: true }
  const { status, body } = await create(order, user)
  await context.db.run(sql`update quotas set recipients_per_user = 1000000`)
  expect([status, body.recipientCount]).toEqual([201, 1])
})
