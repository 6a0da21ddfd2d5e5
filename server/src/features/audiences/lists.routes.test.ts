import { contract } from '@sendroom/contract'
import type { Input } from '@sendroom/contract/endpoint'
import { beforeEach, expect, test } from 'vitest'
import { callerOf } from '../../../test/caller.ts'
import { useContext } from '../../../test/context.ts'
import type { TestUser } from '../../../test/factories.ts'
import { countWaiting } from '../../../test/locks.ts'
import { until } from '../../../test/until.ts'
import {
  canSeeContact,
  contactsOfLists,
  lockListsForShare,
  readLists,
} from '../../platform/contacts/lists.ts'
import { foldCounts } from '../../platform/count-fold.ts'
import { findCountDifferences } from '../../platform/counts.ts'
import type { Db } from '../../platform/database/connection.ts'
import { type Sql, sql } from '../../platform/database/sql.ts'

const context = useContext()
const { lists, contacts, contactFields } = contract
let manager: TestUser

beforeEach(async () => {
  manager = await context.add.user({ canManageContacts: true })
})

const of = (id: number) => ({ params: { id } })
const create = async (body: Input<typeof lists.create>['body']) =>
  (await context.call(manager, lists.create, { body })).body
const peopleOf = async (id: number, user = manager, body = {}) =>
  (await context.call(user, lists.searchContacts, { ...of(id), body })).body.data?.map(({ name }) => name)
const sizeOf = async (id: number) => (await context.call(manager, lists.get, of(id))).body.size
async function threePeople() {
  const [an, binh, chi] = [
    await context.add.contact({ name: 'An' }),
    await context.add.contact({ name: 'Bình' }),
    await context.add.contact({ name: 'Chi' }),
  ]
  return { an, binh, chi }
}

//
test('people are added to a fixed list and taken off, by id or all that match, each once', async () => {
  const { an, binh, chi } = await threePeople()
  const { id } = await create({ name: 'Customers' })
  const add = async (body: Input<typeof lists.addContacts>['body']) =>
    (await context.call(manager, lists.addContacts, { ...of(id), body })).body
  const takeOff = async (body: Input<typeof lists.removeContacts>['body']) =>
    (await context.call(manager, lists.removeContacts, { ...of(id), body })).body

  expect(await add({ ids: [an.id, an.id, 999_999] })).toEqual({ count: 1, hasMore: false })
  expect(await add({ filter: { search: 'i' } })).toEqual({ count: 0, hasMore: false })
  expect(await add({ filter: {} })).toEqual({ count: 2, hasMore: false })
  expect([await peopleOf(id), await sizeOf(id)]).toEqual([['An', 'Bình', 'Chi'], 3])
  expect(await peopleOf(id, manager, { search: 'binh' })).toEqual(['Bình'])

  expect(await takeOff({ ids: [chi.id] })).toEqual({ count: 1, hasMore: false })
  expect(await takeOff({ filter: { search: 'binh' } })).toEqual({ count: 1, hasMore: false })
  expect([await peopleOf(id), await sizeOf(id)]).toEqual([['An'], 1])
  // A list can be searched for among all contacts, too.
  const found = await context.call(manager, contacts.search, { body: { listId: id } })
  expect(found.body.data.map(({ name }) => name)).toEqual(['An'])
  expect((await context.call(manager, contacts.search, { body: { listId: 987_654 } })).body.data).toEqual([])
  expect(binh.id).toBeGreaterThan(0)
})

//
test('a call adds 10,000 contacts at most and says whether more match', async () => {
  await context.db.run(sql`
    insert into contacts (name, numbers, source, source_name)
    select 'Lan', '', 'form', 'somebody' from generate_series(1, 10001)`)
  const { id } = await create({ name: 'Everybody' })
  const add = async () =>
    (await context.call(manager, lists.addContacts, { ...of(id), body: { filter: {} } })).body
  expect(await add()).toEqual({ count: 10_000, hasMore: true })
  expect(await add()).toEqual({ count: 1, hasMore: false })
  expect(await sizeOf(id)).toBe(10_001)
})

//
test('the kept size of a list follows deleted contacts and lists', async () => {
  const { an, binh } = await threePeople()
  const [list, other] = [
    await context.add.list({ contacts: [an, binh] }),
    await context.add.list({ contacts: [an] }),
  ]
  await foldCounts(context.db)
  await context.call(manager, contacts.remove, of(an.id))
  expect([await sizeOf(list.id), await sizeOf(other.id)]).toEqual([1, 0])
  expect((await context.call(manager, lists.remove, of(list.id))).status).toBe(204)
  await foldCounts(context.db)
  expect(await findCountDifferences(context.db)).toEqual([])
  expect(await context.db.many(sql`select owner from counts where owner like 'list %'`)).toEqual([])
  expect(await context.db.run(sql`select from contacts`)).toBe(2)
})

test('which contacts a user sees takes as many statements with many lists as with few', async () => {
  const { an, binh, chi } = await threePeople()
  const field = await context.add.contactField()
  await context.db.run(sql`
    insert into contact_values (contact_id, field_id, value) values (${binh.id}, ${field.id}, 'Huế')`)
  const caller = await callerOf(context.db, await context.add.user({ canUseContacts: true }))
  const addLists = async () => {
    await context.add.list({ isForAll: true, contacts: [an] })
    await context.add.list({ isForAll: true, filter: { fields: [{ key: field.key, value: 'Huế' }] } })
    await context.add.list({ isForAll: true, filter: { search: 'nobody' } })
  }
  async function countStatements() {
    let count = 0
    const counted = <T>(run: (query: Sql) => Promise<T>) => {
      return (query: Sql) => {
        count++
        return run(query)
      }
    }
    const { one, many, maybeOne } = context.db
    const db = { ...context.db, one: counted(one), many: counted(many), maybeOne: counted(maybeOne) } as Db
    const condition = await canSeeContact(db, caller)
    const seen = await context.db.many<{ id: number }>(sql`
      select c.id from contacts c where c.id in (${an.id}, ${binh.id}, ${chi.id}) and ${condition} order by c.id`)
    expect(seen.map(({ id }) => id)).toEqual([an.id, binh.id])
    return count
  }
  await addLists()
  const few = await countStatements()
  for (let n = 0; n < 3; n++) await addLists()
  expect(await countStatements()).toBe(few)
})

//
test('a filter finds whoever matches when somebody looks, and nobody adds to it by hand', async () => {
  const field = await context.add.contactField({ key: 'points', type: 'number' })
  const { an, chi } = await threePeople()
  await context.db.run(sql`insert into contact_values values (${an.id}, ${field.id}, '5')`)
  const filter = { fields: [{ key: 'points', value: 5 }] }
  const list = await create({ name: 'Five', filter })
  expect(list).toMatchObject({
    kind: 'filter',
    size: null,
    filter: { search: '', tagIds: [], ...filter },
    tags: [],
  })
  expect(await peopleOf(list.id)).toEqual(['An'])
  await context.db.run(sql`insert into contact_values values (${chi.id}, ${field.id}, '5')`)
  expect(await peopleOf(list.id)).toEqual(['An', 'Chi'])

  const added = await context.call(manager, lists.addContacts, { ...of(list.id), body: { ids: [an.id] } })
  expect([added.status, added.body.code]).toEqual([409, 'list_has_filter'])
  const change = (body: Input<typeof lists.update>['body']) =>
    context.call(manager, lists.update, { ...of(list.id), body })
  expect((await change({ name: 'Five', filter: null })).body.fields).toHaveProperty('filter')
  const wrong = { fields: [{ key: 'points', value: 'many' }] }
  expect((await change({ name: 'Five', filter: wrong })).body.fields).toEqual({
    'filter.fields.0.value': 'CONTACT_FORM.VALUE_INVALID',
  })
  expect((await change({ name: 'Five', filter: { tagIds: [987_654] } })).body.fields).toHaveProperty(
    'filter.tagIds',
  )
})

//
test('what a filter needs can’t be deleted', async () => {
  const admin = await context.add.admin()
  const field = await context.add.contactField({ key: 'city', type: 'choice', choices: ['Huế', 'Vinh'] })
  const { id: tagId } = await context.db.one<{ id: number }>(
    sql`insert into tags (name) values ('vip') returning id`,
  )
  const list = await create({
    name: 'Huế',
    filter: { tagIds: [tagId], fields: [{ key: 'city', value: 'Huế' }] },
  })
  expect(list.tags).toEqual([{ id: tagId, name: 'vip' }])
  const attempts = () =>
    Promise.all([
      context.call(admin, contacts.removeTag, of(tagId)),
      context.call(admin, contactFields.remove, of(field.id)),
      context.call(admin, contactFields.update, {
        ...of(field.id),
        body: { name: 'City', choices: ['Vinh'] },
      }),
    ])
  for (const { body } of await attempts()) {
    expect(body).toMatchObject({ code: 'used_by_list', params: { list: 'Huế' } })
  }
  const renamed = { name: 'City', choices: ['Huế'] }
  expect((await context.call(admin, contactFields.update, { ...of(field.id), body: renamed })).status).toBe(
    200,
  )
  await context.call(manager, lists.remove, of(list.id))
  expect((await context.call(admin, contacts.removeTag, of(tagId))).status).toBe(204)
  expect((await context.call(admin, contactFields.remove, of(field.id))).status).toBe(204)
})

//
test('whoever may only use contacts sees shared lists and their people, and changes nothing', async () => {
  const { an, binh, chi } = await threePeople()
  const [user, other] = [
    await context.add.user({ canUseContacts: true }),
    await context.add.user({ canUseContacts: true }),
  ]
  const [mine, all, hidden] = [
    await context.add.list({ name: 'Mine', contacts: [an], users: [user] }),
    await context.add.list({ name: 'All', contacts: [binh], isForAll: true }),
    await context.add.list({ name: 'Hidden', contacts: [chi], users: [other] }),
  ]
  const { data } = (await context.call(user, lists.list, {})).body
  expect(data.map(({ name, users, size }) => ({ name, users, size }))).toEqual([
    { name: 'All', users: [], size: 1 },
    { name: 'Mine', users: [], size: 1 },
  ])
  expect([await peopleOf(mine.id, user), await peopleOf(all.id, user)]).toEqual([['An'], ['Bình']])
  expect((await context.call(user, lists.get, of(hidden.id))).status).toBe(404)
  expect((await context.call(user, lists.searchContacts, { ...of(hidden.id), body: {} })).status).toBe(404)
  expect((await context.call(user, contacts.get, of(an.id))).status).toBe(403)

  // Jobs ask for lists and contacts like this.
  const caller = await callerOf(context.db, user)
  const ids = [mine.id, all.id, hidden.id]
  const usable = await readLists(context.db, caller, ids)
  expect(usable).toEqual([
    { id: mine.id, filter: null },
    { id: all.id, filter: null },
  ])
  const visible = await context.db.many(
    sql`select c.id from contacts c where ${await canSeeContact(context.db, caller)} order by c.id`,
  )
  expect(visible).toEqual([{ id: an.id }, { id: binh.id }])
  const nobody = await callerOf(context.db, await context.add.user())
  expect(await readLists(context.db, nobody, ids)).toEqual([])
  expect(
    await context.db.run(sql`select from contacts c where ${await canSeeContact(context.db, nobody)}`),
  ).toBe(0)
})

//
test('a job finds the people of several lists once, and its lists stay as they are meanwhile', async () => {
  const { an, binh } = await threePeople()
  const fixed = await context.add.list({ contacts: [an, binh] })
  const filter = await context.add.list({ filter: { search: 'chi' } })
  const overlapping = await context.add.list({ filter: { search: 'binh' } })
  const caller = await callerOf(context.db, manager)
  let change: Promise<unknown> | undefined
  const found = await context.db.begin(async (tx) => {
    const locked = await lockListsForShare(tx, caller, [fixed.id, filter.id, overlapping.id])
    const body = { name: 'Other', filter: { search: 'nobody' } }
    change = context.call(manager, lists.update, { ...of(filter.id), body })
    const ids = await tx.many(await contactsOfLists(tx, locked))
    await until('the change waits', async () => (await countWaiting(context.db)) === 1)
    return ids
  })
  await change
  expect(found).toHaveLength(3)
})

//
test('a list is shared with Members who have the right, and with no others', async () => {
  const [user, without, locked] = [
    await context.add.user({ username: 'lan', canUseContacts: true }),
    await context.add.user({ username: 'huy' }),
    await context.add.user({ username: 'mai', canUseContacts: true, isActive: false }),
  ]
  const offered = (await context.call(manager, lists.users, {})).body.users
  expect(offered).toEqual([{ id: user.id, name: 'lan' }])
  const list = await create({ name: 'Customers', userIds: [user.id, without.id, locked.id, 987_654] })
  expect(list.users).toEqual(offered)
  const change = async (body: Partial<Input<typeof lists.update>['body']>) =>
    context.call(manager, lists.update, { ...of(list.id), body: { name: 'Customers', ...body } })
  expect((await change({ isForAll: true, version: 1 })).body).toMatchObject({
    users: [],
    isForAll: true,
    version: 2,
  })
  expect((await change({ version: 1 })).body.code).toBe('stale_version')
})

test('no two lists have a name, whatever its case', async () => {
  await create({ name: 'Khách' })
  const taken = await context.call(manager, lists.create, { body: { name: 'KHÁCH' } })
  expect([taken.status, taken.body.code]).toEqual([409, 'list_taken'])
})

//
test('the audit log names the list, but nobody in it and nothing of its filter', async () => {
  const { an } = await threePeople()
  const user = await context.add.user({ username: 'lan', canUseContacts: true })
  const fixed = await create({ name: 'Customers' })
  await context.call(manager, lists.addContacts, { ...of(fixed.id), body: { ids: [an.id] } })
  const filter = await create({ name: 'Lan', filter: { search: 'secret' } })
  const body = { name: 'Lan', filter: { search: 'hidden' }, userIds: [user.id] }
  await context.call(manager, lists.update, { ...of(filter.id), body })
  const entries = await context.db.many<{ action: string; details: object }>(sql`
    select action, object_type, object_name, details from audit_log where action like 'list.%' order by id`)
  expect(entries).toEqual([
    {
      action: 'list.create',
      objectType: 'list',
      objectName: 'Customers',
      details: { kind: 'fixed', isForAll: false, users: [] },
    },
    { action: 'list.add', objectType: 'list', objectName: 'Customers', details: { count: 1 } },
    {
      action: 'list.create',
      objectType: 'list',
      objectName: 'Lan',
      details: { kind: 'filter', isForAll: false, users: [] },
    },
    {
      action: 'list.update',
      objectType: 'list',
      objectName: 'Lan',
      details: { changes: { users: [[], ['lan']] }, fields: ['filter'] },
    },
  ])
})
