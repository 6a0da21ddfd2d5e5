import { contract } from '@sendroom/contract'
import type { Input } from '@sendroom/contract/endpoint'
import { beforeEach, expect, test } from 'vitest'
import { useContext } from '../../../test/context.ts'
import type { TestUser } from '../../../test/factories.ts'
import { foldCounts } from '../../platform/count-fold.ts'
import { findCountDifferences } from '../../platform/counts.ts'
import { sql } from '../../platform/database/sql.ts'

const context = useContext()
const { contacts } = contract
let user: TestUser

const create = (form: Input<typeof contacts.create>['body']) =>
  context.call(user, contacts.create, { body: form })
const search = (body: Input<typeof contacts.search>['body'] = {}) =>
  context.call(user, contacts.search, { body })
const namesOf = async (body: Input<typeof contacts.search>['body']) =>
  (await search(body)).body.data.map(({ name }) => name)

beforeEach(async () => {
  user = await context.add.user({ canManageContacts: true })
  await context.add.contactField({ key: 'city', type: 'choice', choices: ['Hà Nội', 'Huế'] })
  await context.add.contactField({ key: 'number', type: 'number' })
  await create({
    name: 'Đỗ Khách',
    phoneNumbers: ['0901000001'],
    tags: ['vip', 'shop'],
    values: { city: 'Huế' },
  })
  await create({
    name: 'Anh',
    phoneNumbers: ['0901000002'],
    tags: ['vip'],
    values: { city: 'Huế', number: 5 },
  })
  await create({ name: 'Bình', note: 'Likes tea', phoneNumbers: ['0901000003'], values: { number: 5.0 } })
})
const tagIds = async (...names: string[]) => {
  const { tags } = (await context.call(user, contacts.tags, {})).body
  return names.map((wanted) => tags.find(({ name }) => name === wanted)?.id ?? 0)
}

//
test.each([
  ['everything, by name', {}, ['Anh', 'Bình', 'Đỗ Khách']],
  ['a name without accents', { search: 'do khach' }, ['Đỗ Khách']],
  ['a note', { search: 'TEA' }, ['Bình']],
  ['a number as people write it', { search: '0901 000.003' }, ['Bình']],
  ['a number with its country', { search: '+84 901000002' }, ['Anh']],
  ['two letters, at the beginning of a word', { search: 'NH' }, []],
  ['two letters of a first word', { search: 'ĐỖ' }, ['Đỗ Khách']],
  ['two letters of a later word', { search: 'kh' }, ['Đỗ Khách']],
  ['a letter of a note', { search: 'l' }, ['Bình']],
  ['nothing', { search: 'nobody' }, []],
  ['nothing of zeros', { search: '00 00' }, []],
  ['a choice', { fields: [{ key: 'city', value: 'Huế' }] }, ['Anh', 'Đỗ Khách']],
  ['a number however it is written', { fields: [{ key: 'number', value: '5.00' }] }, ['Anh', 'Bình']],
  [
    'two values',
    {
      fields: [
        { key: 'city', value: 'Huế' },
        { key: 'number', value: 5 },
      ],
    },
    ['Anh'],
  ],
  ['both search and value', { search: 'anh', fields: [{ key: 'number', value: 5 }] }, ['Anh']],
])('the list finds %s', async (_what, query, names) => {
  expect(await namesOf(query)).toEqual(names)
})

//
test.each([
  ['id', ['Đỗ Khách', 'Anh', 'Bình']],
  ['name', ['Anh', 'Bình', 'Đỗ Khách']],
  ['createdAt', ['Bình', 'Đỗ Khách', 'Anh']],
] as const)('the list sorts by %s, both ways, page after page', async (sortBy, expected) => {
  await context.db.run(sql`
    update contacts set created_at = clock_now() + id % 3 * interval '1 day'`)
  for (const sortDirection of ['asc', 'desc'] as const) {
    const page = (n: number) => namesOf({ sortBy, sortDirection, page: n, pageSize: 2 })
    const names = [...(await page(1)), ...(await page(2))]
    expect(names).toEqual(sortDirection === 'asc' ? expected : expected.toReversed())
  }
})

//
test.each([
  [{ page: 0 }, 'page'],
  [{ pageSize: 1001 }, 'pageSize'],
  [{ search: 'x'.repeat(201) }, 'search'],
  [{ sortBy: 'numbers' as 'name' }, 'sortBy'],
  [{ tagIds: ['x'] }, 'tagIds.0'],
  [{ fields: [{ key: 'x'.repeat(31), value: 1 }] }, 'fields.0.key'],
])('the list refuses %j', async (query, field) => {
  expect(await search(query)).toMatchObject({ status: 400, body: { fields: { [field]: 'FIELD.INVALID' } } })
})

//
test('the list has the contacts with all of some tags', async () => {
  expect(await namesOf({ tagIds: await tagIds('vip') })).toEqual(['Anh', 'Đỗ Khách'])
  expect(await namesOf({ tagIds: await tagIds('vip', 'shop') })).toEqual(['Đỗ Khách'])
})

//
test('the list has the contacts of an import, without refused rows', async () => {
  const { id: importId } = await context.db.one<{ id: number }>(sql`
    insert into imports (source, user_id, user_name, status) values ('file', ${user.id}, 'lan', 'checked') returning id`)
  await context.db.run(sql`
    insert into import_rows (import_id, place, number, outcome, contact_id)
    select ${importId}, row_number() over (order by id), 1, case name when 'Anh' then 'twice' else 'added' end, id
    from contacts`)
  expect(await namesOf({ importId })).toEqual(['Bình', 'Đỗ Khách'])
  expect(await namesOf({ importId, search: 'binh' })).toEqual(['Bình'])
  expect(await namesOf({ importId: importId + 1 })).toEqual([])
})

//
test.each([
  [[{ key: 'age', value: 1 }], { 'fields.0.key': 'CONTACT_FORM.FIELD_UNKNOWN' }],
  [[{ key: 'number', value: 'many' }], { 'fields.0.value': 'CONTACT_FORM.VALUE_INVALID' }],
])('the list refuses a filter that fits no field', async (fields, expected) => {
  expect(await search({ fields })).toMatchObject({ status: 400, body: { fields: expected } })
})

//
test('all that match can be tagged, not only a page', async () => {
  const filter = { fields: [{ key: 'city', value: 'Huế' }] }
  const tag = () =>
    context.call(user, contacts.bulkTag, { body: { filter, add: ['Huế', 'vip'], remove: ['shop'] } })

  expect((await tag()).body).toEqual({ count: 2, hasMore: false })
  expect(await namesOf({ tagIds: await tagIds('Huế', 'vip') })).toEqual(['Anh', 'Đỗ Khách'])
  expect(await namesOf({ tagIds: await tagIds('shop') })).toEqual([])
  // Nothing is left to change.
  expect((await tag()).body).toEqual({ count: 0, hasMore: false })
})

//
test('all that match can be deleted, with the password, and others stay', async () => {
  const remove = () =>
    context.call(user, contacts.bulkDelete, {
      body: { filter: { fields: [{ key: 'city', value: 'Huế' }] } },
    })

  await context.db.run(sql`update sessions set confirmed_at = 'epoch'`)
  expect(await remove()).toMatchObject({ status: 403, body: { code: 'confirm_password' } })
  await context.db.run(sql`update sessions set confirmed_at = clock_now()`)
  expect((await remove()).body).toEqual({ count: 2, hasMore: false })
  expect(await namesOf({})).toEqual(['Bình'])
})

//
test('a call names some contacts or a filter, not both and not neither', async () => {
  for (const body of [{}, { ids: [1], filter: {} }])
    expect(await context.call(user, contacts.bulkDelete, { body })).toMatchObject({
      status: 400,
      body: { fields: { ids: 'FIELD.INVALID' } },
    })
})

//
test('a deleted contact takes its numbers, tags and values along', async () => {
  const { data } = (await search()).body
  await context.call(user, contacts.bulkDelete, { body: { ids: data.map(({ id }) => id) } })

  expect(
    await context.db.one(sql`
      select (select count(*) from contacts) + (select count(*) from contact_identities)
        + (select count(*) from contact_tags) + (select count(*) from contact_values) as rows`),
  ).toEqual({ rows: 0 })
})

//
test('a deleted tag leaves its contacts', async () => {
  const [id = 0] = await tagIds('vip')
  expect((await context.call(user, contacts.removeTag, { params: { id } })).status).toBe(204)
  expect(await namesOf({})).toHaveLength(3)
  expect(await tagIds('vip')).toEqual([0])
})

//
test('a call changes ten thousand contacts, and says that more match', async () => {
  await context.db.run(sql`
    insert into contacts (name, numbers, source, source_name)
    select 'Contact ' || n, '', 'form', 'lan' from generate_series(1, 9998) n`)
  await context.db.run(sql`update sessions set confirmed_at = clock_now()`)
  const tag = () => context.call(user, contacts.bulkTag, { body: { filter: {}, add: ['all'] } })
  const remove = () => context.call(user, contacts.bulkDelete, { body: { filter: {} } })

  expect((await tag()).body).toEqual({ count: 10_000, hasMore: true })
  expect((await tag()).body).toEqual({ count: 1, hasMore: false })
  expect((await search()).body.pagination.totalCount).toBe(10_001)
  expect(await findCountDifferences(context.db)).toEqual([])
  expect((await remove()).body).toEqual({ count: 10_000, hasMore: true })
  await foldCounts(context.db)
  expect((await remove()).body).toEqual({ count: 1, hasMore: false })
  expect(await findCountDifferences(context.db)).toEqual([])
})

//
test('a form offers the contacts that the caller sees and can send to', async () => {
  const user = await context.add.user({ canUseContacts: true })
  const [shared, other, hidden] = [
    await context.add.contact({ name: 'Quyên A' }),
    await context.add.contact({ name: 'Quyên B' }),
    await context.add.contact({ name: 'Quyên C' }),
  ]
  await context.db.run(sql`
    update contact_identities set kind = 'lid', is_primary = false where contact_id = ${hidden.id}`)
  await context.add.list({ users: [user], contacts: [shared, hidden] })
  const offered = async (by: TestUser) =>
    (await context.call(by, contacts.choices, { body: { search: 'quyen' } })).body.contacts
  const choice = { id: shared.id, name: 'Quyên A', phoneNumber: `+${shared.number}` }
  expect(await offered(user)).toEqual([choice])
  expect(await offered(await context.add.admin())).toEqual([
    choice,
    { id: other.id, name: 'Quyên B', phoneNumber: `+${other.number}` },
  ])
})
