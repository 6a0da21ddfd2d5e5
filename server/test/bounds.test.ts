import { beforeAll, describe, expect, test } from 'vitest'
import type { Providers } from '../src/providers/provider.ts'
import { useSharedContext } from './context.ts'

// The defaults and bounds of all forms, with their numbers written out. A value at the bound is accepted. A value
// beyond it is refused with the field's name. Each test uses its own data.

const provider = { status: async () => ({ status: 'Connected', linkedNumber: null }) }
const context = useSharedContext({
  providers: () => ({ live: provider, test: provider }) as unknown as Providers, // these calls use only these methods
})
let token = ''

beforeAll(async () => {
  token = (await context.add.admin()).token
})

let address = 0

async function send(method: 'POST' | 'PUT', path: string, payload?: object) {
  const answer = await (await context.app).inject({
    method,
    url: `/api/${path}`,
    // Each request has another address, because registrations are limited by address.
    headers: { authorization: `Bearer ${token}`, 'x-forwarded-for': `10.0.0.${address++ % 250}` },
    ...(payload && { payload }),
  })
  const body = answer.body && answer.json()
  return { status: answer.statusCode, body }
}

/** Returns the status, or the refused fields with their keys if the status is 400. */
async function verdict(method: 'POST' | 'PUT', path: string, payload?: object) {
  const { status, body } = await send(method, path, payload)
  return status === 400 ? body.fields : status
}

const x = (length: number) => 'x'.repeat(length)
/** A password of this length that is not too simple. */
const passwordOf = (length: number) => 'k9-w2pxz'.repeat(13).slice(0, length)

let count = 0
/** A unique text of this length. */
const unique = (length: number) => `${count++}`.padStart(3, '0').padEnd(length, 'x')
/** A unique email address of this length, with `before` characters before the at-sign. */
function emailOf(length: number, before = 10) {
  const domain = Array.from({ length: length - before - 5 }, (_, n) => (n % 50 === 25 ? '.' : 'x')).join('')
  return `${unique(before)}@${domain}.com`
}

describe('signing in', () => {
  test.each([
    //
    ['without a username', { password: 'x' }, { username: 'LOGIN.USERNAME_REQUIRED' }],
    //
    ['with a blank username', { username: ' ', password: 'x' }, { username: 'LOGIN.USERNAME_REQUIRED' }],
    //
    ['without a password', { username: 'x' }, { password: 'LOGIN.PASSWORD_REQUIRED' }],
    //
    ['with an empty password', { username: 'x', password: '' }, { password: 'LOGIN.PASSWORD_REQUIRED' }],
  ])('%s names the field', async (_case, body, fields) => {
    expect(await verdict('POST', 'auth/login', body)).toEqual(fields)
  })
})

describe('registering', () => {
  const register = (fields: object) =>
    verdict('POST', 'auth/register', {
      username: unique(10),
      email: emailOf(50),
      password: 'secret-1',
      repassword: 'secret-1',
      ...fields,
    })

  //
  test('takes a username of 3 to 100 characters', async () => {
    for (const length of [3, 100]) expect(await register({ username: unique(length) })).toBe(204)
    for (const username of [undefined, '', 'ab', x(101)])
      expect(await register({ username })).toEqual({ username: 'REGISTER.USERNAME_REQUIRED' })
    expect(await register({ username: 'la\u200bn' })).toEqual({ username: 'USER_FORM.USERNAME_UNREADABLE' })
  })

  //
  test('needs an email address', async () => {
    expect(await register({ email: '' })).toEqual({ email: 'REGISTER.EMAIL_REQUIRED' })
    for (const wrong of ['minh', 'minh@', '@example.com', 'minh@example', 'a b@example.com'])
      expect(await register({ email: wrong })).toEqual({ email: 'REGISTER.EMAIL_INVALID' })
  })

  //
  test('takes an address of 254 characters, 64 of them before the at-sign', async () => {
    expect(await register({ email: emailOf(254, 64) })).toBe(204)
    for (const wrong of [emailOf(255, 64), emailOf(200, 65)])
      expect(await register({ email: wrong })).toEqual({ email: 'REGISTER.EMAIL_INVALID' })
  })

  //
  test('takes a password of 6 to 100 characters', async () => {
    const both = (password: string) => ({ password, repassword: password })
    for (const length of [6, 100]) expect(await register(both(passwordOf(length)))).toBe(204)
    for (const password of [passwordOf(5), passwordOf(101)])
      expect(await register(both(password))).toEqual({ password: 'REGISTER.PASSWORD_REQUIRED' })
  })

  //
  test('needs the same password a second time, whatever else is wrong', async () => {
    expect(await register({ repassword: '' })).toMatchObject({ repassword: 'REGISTER.REPASSWORD_REQUIRED' })
    const repassword = 'REGISTER.PASSWORD_NOT_MATCH'
    expect(await register({ repassword: 'secret-2' })).toEqual({ repassword })
    expect(await register({ username: '', email: 'minh', repassword: 'secret-2' })).toEqual({
      username: 'REGISTER.USERNAME_REQUIRED',
      email: 'REGISTER.EMAIL_INVALID',
      repassword,
    })
  })
})

describe('a message', () => {
  const write = (fields: object) => verdict('POST', 'messages', { textContent: 'Hello', ...fields })
  const writeTest = async (fields: object) => {
    const { id: instanceId } = await context.add.instance()
    return verdict('POST', 'jobs/test', {
      textContent: 'Hello',
      instanceId,
      phoneNumber: '0901234567',
      ...fields,
    })
  }

  //
  test.each([
    ['a message', write],
    ['a test message', writeTest],
  ])('%s needs a text of up to 4000 characters', async (_what, save) => {
    for (const textContent of [undefined, '', ' \n '])
      expect(await save({ textContent })).toEqual({ textContent: 'MESSAGE.TEXT_REQUIRED' })
    expect(await save({ textContent: x(4000) })).toBe(201)
    expect(await save({ textContent: x(4001) })).toEqual({ textContent: 'MESSAGE.TEXT_TOO_LONG' })
  })

  //
  test('needs no instance', async () => {
    for (const instanceId of [undefined, null, '']) expect(await write({ instanceId })).toBe(201)
  })
})

describe('a job', () => {
  const order = async (fields: object) => {
    const group = await context.add.group()
    const message = await context.add.message()
    return send('POST', 'jobs', {
      messageId: message.id,
      instanceId: group.instanceId,
      groupIds: [group.id],
      ...fields,
    })
  }
  const refused = (fields: object) => ({ status: 400, body: { code: 'invalid_input', fields } })

  //
  test('is SendToGroups by default, and the only other type is SendToUsers', async () => {
    expect(await order({})).toMatchObject({ status: 201, body: { jobType: 'SendToGroups' } })
    expect(await order({ jobType: 'SendToAll' })).toMatchObject(refused({ jobType: 'JOB.JOB_TYPE_REQUIRED' }))
  })

  //
  test('needs a message and an instance', async () => {
    for (const messageId of [undefined, null, 0])
      expect(await order({ messageId })).toMatchObject(refused({ messageId: 'JOB.MESSAGE_REQUIRED' }))
    for (const instanceId of [undefined, null, 0])
      expect(await order({ instanceId })).toMatchObject(refused({ instanceId: 'JOB.INSTANCE_REQUIRED' }))
  })

  //
  test('needs no scheduled time; a scheduled time is an ISO string', async () => {
    for (const scheduledAt of [undefined, null, ''])
      expect(await order({ scheduledAt })).toMatchObject({ status: 201, body: { scheduledAt: null } })
    for (const scheduledAt of ['tomorrow', '2125-01-01', '2125-01-01T08:00'])
      expect(await order({ scheduledAt })).toMatchObject(refused({ scheduledAt: 'JOB.SCHEDULED_AT_INVALID' }))
  })

  //
  test('needs groups only if it sends to groups', async () => {
    for (const groupIds of [undefined, []])
      expect(await order({ groupIds })).toMatchObject(refused({ groupIds: 'JOB.GROUP_REQUIRED' }))
    const toUsers = { jobType: 'SendToUsers', phoneNumbers: '0901234567', groupIds: [] }
    expect(await order(toUsers)).toMatchObject({ status: 201 })
  })
})

describe('an instance', () => {
  const create = (fields: object) =>
    verdict('POST', 'instances', { name: 'Shop', whapiToken: unique(10), ...fields })
  const change = async (fields: object) =>
    verdict('PUT', `instances/${(await context.add.instance()).id}`, fields)

  //
  test.each([
    ['created', create],
    ['changed', change],
  ])(
    '%s with a name up to 100 characters, a number up to 50 or none, and a token up to 200',
    async (step, save) => {
      const success = step === 'created' ? 201 : 200
      expect(await save({ name: x(100), whatsAppNumber: x(50), whapiToken: unique(200) })).toBe(success)
      expect(await save({ whatsAppNumber: '' })).toBe(success)
      for (const name of ['', ' ', x(101)])
        expect(await save({ name })).toEqual({ name: 'ACCOUNT_FORM.NAME_INVALID' })
      expect(await save({ whatsAppNumber: x(51) })).toEqual({
        whatsAppNumber: 'ACCOUNT_FORM.WHATSAPP_INVALID',
      })
      for (const whapiToken of ['', ' ', x(201)])
        expect(await save({ whapiToken })).toEqual({ whapiToken: 'ACCOUNT_FORM.TOKEN_INVALID' })
    },
  )

  //
  test('is not created without name or token', async () => {
    expect(await create({ name: undefined })).toEqual({ name: 'ACCOUNT_FORM.NAME_INVALID' })
    expect(await create({ whapiToken: undefined })).toEqual({ whapiToken: 'ACCOUNT_FORM.TOKEN_INVALID' })
  })

  //
  test('is active by default', async () => {
    const { body } = await send('POST', 'instances', { name: 'Shop', whapiToken: unique(10) })
    expect(body).toMatchObject({ isActive: true, whatsAppNumber: '' })
  })

  //
  test('has a pace within its bounds', async () => {
    const pace = {
      groupPauseSeconds: [0, 3600],
      privatePauseSeconds: [0, 3600],
      dailyCap: { groups: 0, private: 100_000 },
      privateSlowAfter: 100_000,
      privateSlowPauseSeconds: [0, 3600],
      privatePerQuarterHour: 200,
      privateHoursPerDay: 24,
      privateDaysInARow: 30,
      personCap: 50,
      personRestDays: 365,
      newPeopleCap: 100_000,
      warmUpStep: 200,
      quietHours: { from: '22:00', to: '07:00' },
      timeZone: 'Asia/Ho_Chi_Minh',
    }
    expect(await change(pace)).toBe(200)
    for (const [field, value] of Object.entries({
      groupPauseSeconds: [0, 3601],
      privatePauseSeconds: [5, 4],
      dailyCap: { groups: 0, private: 100_001 },
      privateSlowAfter: 1.5,
      privateSlowPauseSeconds: [9, 8],
      privatePerQuarterHour: 201,
      privateHoursPerDay: 25,
      privateDaysInARow: 31,
      personCap: 51,
      personRestDays: 366,
      newPeopleCap: -1,
      warmUpStep: 30,
      quietHours: { from: '22:00', to: '22:00' },
    }))
      expect(Object.keys(await change({ [field]: value }))[0]).toMatch(new RegExp(`^${field}`))
    // Neither an offset nor a zone of letters knows the clock's changes.
    for (const timeZone of ['Mars/Base', '+07:00', 'CET'])
      expect(Object.keys(await change({ timeZone }))).toEqual(['timeZone'])
  })
})

describe('a user', () => {
  const form = () => ({ username: unique(10), email: emailOf(50), password: 'secret-1' })
  const create = (fields: object) => verdict('POST', 'users', { ...form(), ...fields })
  const change = async (fields: object) => verdict('PUT', `users/${(await context.add.user()).id}`, fields)

  //
  test.each([
    ['created', create],
    ['changed', change],
  ])(
    '%s with a username of 3 to 100 characters, an email address up to 200, and a password of 6 to 100',
    async (step, save) => {
      const success = step === 'created' ? 201 : 200
      expect(await save({ username: unique(3), email: emailOf(200), password: passwordOf(6) })).toBe(success)
      expect(await save({ username: unique(100), password: passwordOf(100) })).toBe(success)
      for (const username of ['', 'ab', x(101)])
        expect(await save({ username })).toEqual({ username: 'USER_FORM.USERNAME_INVALID' })
      for (const email of ['', 'minh', emailOf(201)])
        expect(await save({ email })).toEqual({ email: 'USER_FORM.EMAIL_INVALID' })
      for (const password of [passwordOf(5), passwordOf(101)])
        expect(await save({ password })).toEqual({ password: 'USER_FORM.PASSWORD_INVALID' })
      for (const role of ['', 'Owner'])
        expect(await save({ role })).toEqual({ role: 'USER_FORM.ROLE_REQUIRED' })
    },
  )

  //
  test('is not created without username, email or password', async () => {
    expect(await create({ username: undefined })).toEqual({ username: 'USER_FORM.USERNAME_INVALID' })
    expect(await create({ email: undefined })).toEqual({ email: 'USER_FORM.EMAIL_INVALID' })
    for (const password of [undefined, ''])
      expect(await create({ password })).toEqual({ password: 'USER_FORM.PASSWORD_INVALID' })
  })

  //
  test('can be changed without a password, or with an empty one', async () => {
    expect(await change({ email: emailOf(50) })).toBe(200)
    expect(await change({ password: '' })).toBe(200)
  })

  //
  test('keeps a longer email address from their registration, but cannot change to another one of that length', async () => {
    const email = emailOf(254, 64)
    const { id } = await context.add.user({ email, isActive: false })
    const change = (fields: object) => verdict('PUT', `users/${id}`, { ...form(), ...fields })

    expect(await change({ email, isActive: true })).toBe(200)
    for (const other of [emailOf(254, 64), emailOf(256, 64)])
      expect(await change({ email: other })).toEqual({ email: 'USER_FORM.EMAIL_INVALID' })
  })

  //
  test('is an active Member with all rights but those to contacts by default', async () => {
    expect(await send('POST', 'users', form())).toMatchObject({
      status: 201,
      body: {
        role: 'Member',
        isActive: true,
        canSendMessages: true,
        canCreateJobs: true,
        canLinkAccounts: true,
        canExportParticipants: true,
        canUseContacts: false,
        canManageContacts: false,
        assignedInstances: [],
      },
    })
  })
})
