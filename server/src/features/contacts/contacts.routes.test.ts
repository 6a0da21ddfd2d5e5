import { contract } from '@sendroom/contract'
import type { Input } from '@sendroom/contract/endpoint'
import { beforeEach, expect, test } from 'vitest'
import { useContext } from '../../../test/context.ts'
import type { TestUser } from '../../../test/factories.ts'
import { sql } from '../../platform/database/sql.ts'

const context = useContext()
const { contacts } = contract
let user: TestUser

beforeEach(async () => {
  user = await context.add.user({ username: 'lan', canManageContacts: true })
})

type Form = Input<typeof contacts.create>['body']
const create = (form: Form) => context.call(user, contacts.create, { body: form })
const get = (id: number) => context.call(user, contacts.get, { params: { id } })
const search = (body: Input<typeof contacts.search>['body'] = {}) =>
  context.call(user, contacts.search, { body })
const namesOf = async (body: Input<typeof contacts.search>['body']) =>
  (await search(body)).body.data.map(({ name }) => name)
const change = (id: number, body: Input<typeof contacts.update>['body']) =>
  context.call(user, contacts.update, { params: { id }, body })

/** Fields of every type. */
async function addFields() {
  for (const type of ['text', 'number', 'date', 'yesNo'] as const)
    await context.add.contactField({ key: type.toLowerCase(), type })
  await context.add.contactField({ key: 'city', type: 'choice', choices: ['Hà Nội', 'Huế'] })
}
const everyValue = { text: 'two\nlines', number: 12.5, date: '2026-01-31', yesno: true, city: 'Huế' }

//
test('a contact is created with numbers, tags and values, and tells where it comes from', async () => {
  await addFields()
  const made = await create({
    name: ' Nguyễn Lan ',
    note: 'Met at the fair',
    phoneNumbers: ['0901234567', '+84 90 123 4567', '+1 202 555 0123'],
    tags: ['VIP', 'vip', 'shop'],
    values: { ...everyValue, number: '12.50', text: 'two\nlines' },
  })

  expect(made).toMatchObject({ status: 201 })
  expect(made.body).toEqual({
    id: expect.any(Number),
    name: 'Nguyễn Lan',
    note: 'Met at the fair',
    phoneNumbers: ['+84901234567', '+12025550123'],
    lid: null,
    tags: [
      { id: expect.any(Number), name: 'shop' },
      { id: expect.any(Number), name: 'VIP' },
    ],
    values: everyValue,
    source: 'form',
    sourceName: 'lan',
    optedOutAt: null,
    createdAt: expect.any(String),
    version: 1,
  })
  expect((await get(made.body.id)).body).toEqual(made.body)
  expect((await search()).body.data).toEqual([made.body])
  expect((await context.call(user, contacts.tags, {})).body.tags).toEqual(made.body.tags)
})

//
test.each([
  ['no number', { phoneNumbers: [] }, { phoneNumbers: 'CONTACT_FORM.PHONES_INVALID' }],
  [
    'what is no number',
    { phoneNumbers: ['0901234567', '12'] },
    { 'phoneNumbers.1': 'CONTACT_FORM.PHONE_INVALID' },
  ],
  [
    'a blank number',
    { phoneNumbers: ['0901234567', ' '] },
    { 'phoneNumbers.1': 'CONTACT_FORM.PHONE_INVALID' },
  ],
  [
    'six numbers',
    { phoneNumbers: [1, 2, 3, 4, 5, 6].map((n) => `+8490123456${n}`) },
    { phoneNumbers: 'CONTACT_FORM.PHONES_INVALID' },
  ],
  ['a name of 201 characters', { name: 'x'.repeat(201) }, { name: 'CONTACT_FORM.NAME_INVALID' }],
  ['a variable in the name', { name: 'Dear {{name}}' }, { name: 'CONTACT_FORM.NAME_INVALID' }],
  ['a name that turns texts around', { name: 'a\u202eb' }, { name: 'CONTACT_FORM.NAME_INVALID' }],
  ['a name of two lines', { name: 'a\nb' }, { name: 'CONTACT_FORM.NAME_INVALID' }],
  ['a note of 2,001 characters', { note: 'x'.repeat(2001) }, { note: 'CONTACT_FORM.NOTE_TOO_LONG' }],
  ['an empty tag', { tags: [' '] }, { 'tags.0': 'CONTACT_FORM.TAGS_INVALID' }],
  ['a tag of 51 characters', { tags: ['x'.repeat(51)] }, { 'tags.0': 'CONTACT_FORM.TAGS_INVALID' }],
  ['51 tags', { tags: Array.from({ length: 51 }, (_, n) => `t${n}`) }, { tags: 'CONTACT_FORM.TAGS_INVALID' }],
  ['an unknown field', { values: { age: 5 } }, { 'values.age': 'CONTACT_FORM.FIELD_UNKNOWN' }],
  ['another choice', { values: { city: 'Đà Lạt' } }, { 'values.city': 'CONTACT_FORM.VALUE_INVALID' }],
  [
    'a day that does not exist',
    { values: { date: '2026-02-30' } },
    { 'values.date': 'CONTACT_FORM.VALUE_INVALID' },
  ],
])('%s is named by its field', async (_what, form, fields) => {
  await addFields()
  const answer = await create({ phoneNumbers: ['0901234567'], ...form })

  expect(answer).toMatchObject({ status: 400, body: { code: 'invalid_input', fields } })
  expect((await search()).body.data).toEqual([])
})

//
test('a number belongs to one contact, also when two are created at once', async () => {
  const answers = await Promise.all([1, 2, 3].map(() => create({ phoneNumbers: ['0901234567'] })))

  expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 409, 409])
  const refused = answers.find(({ status }) => status === 409)
  expect(refused?.body).toMatchObject({ code: 'number_taken', params: { number: '+84901234567' } })
  expect((await search()).body.data).toHaveLength(1)
})

//
test('two contacts whose numbers are exchanged at once keep theirs, and nobody waits for the other', async () => {
  const [one, other] = [await context.add.contact(), await context.add.contact()]
  const exchange = () =>
    Promise.all([
      change(one.id, { phoneNumbers: [`+${other.number}`] }),
      change(other.id, { phoneNumbers: [`+${one.number}`] }),
    ])

  for (let time = 0; time < 5; time++)
    expect((await exchange()).map(({ body }) => body.code)).toEqual(['number_taken', 'number_taken'])
  expect((await get(one.id)).body.phoneNumbers).toEqual([`+${one.number}`])
})

//
test('a change replaces numbers, tags and values, and is found by the new number only', async () => {
  await addFields()
  const { id } = (
    await create({
      name: 'Lan',
      phoneNumbers: ['0901234567', '0902'.padEnd(10, '1')],
      tags: ['a'],
      values: everyValue,
    })
  ).body

  const changed = await change(id, {
    name: 'Lan Anh',
    phoneNumbers: ['0904111111', '0903111111', '0902111111'],
    addTags: ['b'],
    removeTags: ['a'],
    values: { city: 'Hà Nội', text: ' ', number: null },
    version: 1,
  })

  expect(changed.body).toMatchObject({
    name: 'Lan Anh',
    phoneNumbers: ['+84904111111', '+84903111111', '+84902111111'],
    tags: [{ name: 'b' }],
    version: 2,
  })
  expect(changed.body.values).toEqual({ city: 'Hà Nội' })
  expect(await namesOf({ search: '0903 111 111' })).toEqual(['Lan Anh'])
  expect(await namesOf({ search: '0901234567' })).toEqual([])
  // The number is free again.
  expect((await create({ phoneNumbers: ['0901234567'] })).status).toBe(201)
})

//
test('a change of an old version is refused', async () => {
  const { id, number } = await context.add.contact()
  const form = { phoneNumbers: [`+${number}`], version: 1 }
  expect((await change(id, { ...form, name: 'First' })).status).toBe(200)

  expect(await change(id, { ...form, name: 'Second' })).toMatchObject({
    status: 409,
    body: { code: 'stale_version' },
  })
  expect((await get(id)).body).toMatchObject({ name: 'First', version: 2 })
})

//
test('the audit log tells of contacts without their names, numbers and values', async () => {
  await addFields()
  const form = { name: 'Lan', phoneNumbers: ['0901234567'], values: everyValue }
  const { id } = (await create(form)).body
  await change(id, { ...form, name: 'Lan Anh', values: {} })
  await context.call(user, contacts.remove, { params: { id } })

  const entries = await context.db.many(sql`
    select action, object_id, object_name, details from audit_log where action like 'contact.%' order by id`)
  const of = { objectId: id, objectName: '' }
  expect(entries).toEqual([
    { action: 'contact.create', ...of, details: {} },
    { action: 'contact.update', ...of, details: { fields: ['name', 'values'] } },
    { action: 'contact.delete', ...of, details: {} },
  ])
})
