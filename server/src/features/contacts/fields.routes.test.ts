import { contract } from '@sendroom/contract'
import type { Input } from '@sendroom/contract/endpoint'
import { beforeEach, expect, test } from 'vitest'
import { useContext } from '../../../test/context.ts'
import type { TestUser } from '../../../test/factories.ts'

const context = useContext()
const { contacts, contactFields } = contract
let admin: TestUser
let user: TestUser

beforeEach(async () => {
  admin = await context.add.admin()
  user = await context.add.user({ canManageContacts: true })
})

const city = { key: 'city', name: 'City', type: 'choice' as const, choices: ['Huế', 'Hà Nội'] }
const define = (body: Input<typeof contactFields.create>['body']) =>
  context.call(admin, contactFields.create, { body })

//
test('a field is defined with a key that stays, and renamed', async () => {
  const made = await define(city)
  expect(made).toMatchObject({ status: 201, body: { ...city, isUsed: false } })
  const { id } = made.body
  const choices = ['Huế', 'Đà Lạt']
  const renamed = await context.call(admin, contactFields.update, {
    params: { id },
    body: { name: 'Thành phố', choices },
  })
  expect(renamed.body).toEqual({ ...made.body, name: 'Thành phố', choices })
  expect((await context.call(user, contactFields.list, {})).body.fields).toEqual([renamed.body])
})

//
test.each([
  ['a key with capitals', { key: 'City' }, { key: 'CONTACT_FIELD_FORM.KEY_INVALID' }],
  ['a key that begins with a digit', { key: '1st' }, { key: 'CONTACT_FIELD_FORM.KEY_INVALID' }],
  ['a key of 31 characters', { key: 'x'.repeat(31) }, { key: 'CONTACT_FIELD_FORM.KEY_INVALID' }],
  ['the key of the name', { key: 'name' }, { key: 'CONTACT_FIELD_FORM.KEY_RESERVED' }],
  ['no name', { name: ' ' }, { name: 'CONTACT_FIELD_FORM.NAME_INVALID' }],
  ['a name of 51 characters', { name: 'x'.repeat(51) }, { name: 'CONTACT_FIELD_FORM.NAME_INVALID' }],
  ['a choice without choices', { choices: [] }, { choices: 'CONTACT_FIELD_FORM.CHOICES_INVALID' }],
  ['a choice twice', { choices: ['a', 'a'] }, { choices: 'CONTACT_FIELD_FORM.CHOICES_INVALID' }],
  ['choices of a text', { type: 'text' as const }, { choices: 'CONTACT_FIELD_FORM.CHOICES_INVALID' }],
  [
    '101 choices',
    { choices: Array.from({ length: 101 }, (_, n) => `${n}`) },
    { choices: 'CONTACT_FIELD_FORM.CHOICES_INVALID' },
  ],
])('a field with %s is refused', async (_what, form, fields) => {
  expect(await define({ ...city, ...form })).toMatchObject({ status: 400, body: { fields } })
})

//
test('a field needs a key of its own, and there are 30 at most', async () => {
  expect((await define(city)).status).toBe(201)
  expect(await define(city)).toMatchObject({ status: 409, body: { code: 'contact_field_taken' } })
  for (let n = 1; n < 30; n++) await context.add.contactField()
  expect(await define({ ...city, key: 'town' })).toMatchObject({
    status: 409,
    body: { code: 'too_many_contact_fields' },
  })
})

//
test('a field that is deleted while a contact gets a value in it stays, or the value is refused', async () => {
  for (let n = 0; n < 5; n++) {
    const { id, key } = await context.add.contactField()
    const [made, removed] = await Promise.all([
      context.call(user, contacts.create, {
        body: { phoneNumbers: [`+8490123456${n}`], values: { [key]: 'x' } },
      }),
      context.call(admin, contactFields.remove, { params: { id } }),
    ])
    expect([
      [201, 409],
      [400, 204],
    ]).toContainEqual([made.status, removed.status])
  }
})

//
test('a field that a contact uses stays, and so does the choice', async () => {
  const { id } = (await define(city)).body
  const contact = (
    await context.call(user, contacts.create, {
      body: { phoneNumbers: ['0901234567'], values: { city: 'Huế' } },
    })
  ).body
  const remove = () => context.call(admin, contactFields.remove, { params: { id } })
  const choose = (...choices: string[]) =>
    context.call(admin, contactFields.update, { params: { id }, body: { name: 'City', choices } })

  expect(await remove()).toMatchObject({ status: 409, body: { code: 'contact_field_used' } })
  expect(await choose('Hà Nội')).toMatchObject({ status: 409, body: { code: 'contact_choice_used' } })
  expect((await context.call(user, contactFields.list, {})).body.fields).toMatchObject([
    { ...city, isUsed: true },
  ])
  expect((await choose('Huế')).status).toBe(200)

  await context.call(user, contacts.remove, { params: { id: contact.id } })
  expect((await remove()).status).toBe(204)
})
