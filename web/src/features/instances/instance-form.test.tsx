import type { Instance } from '@sendroom/contract/instances'
import { advisedPace } from '@sendroom/contract/pace'
import { screen, waitFor, within } from '@testing-library/react'
import { expect, test, vi } from 'vitest'
import { instance, wholeInstance } from '../../../test/instance.ts'
import { admin, member, renderApp } from '../../../test/render.tsx'
import { type Answers, pageOf, refuse } from '../../../test/server.ts'
import { signInAgain } from '../../../test/steps.ts'
import { expireSession } from '../../api/session.ts'
import { currentToasts } from '../../ui/toasts.ts'

const list = { 'GET /instances': () => pageOf([instance]) }

function open(path: string, answers: Answers = {}) {
  const app = renderApp({ path, answers: { ...list, ...answers } })
  const bodyOf = (call: string) => app.requests.find(({ name }) => name === call)?.body
  const save = async () => app.person.click(await screen.findByRole('button', { name: 'Save' }))
  return { ...app, bodyOf, save, isAt: () => app.router.state.location.pathname }
}
const name = () => screen.findByLabelText<HTMLInputElement>(/^Name/)
const number = () => screen.getByLabelText<HTMLInputElement>('WhatsApp number')
const token = () => screen.getByLabelText<HTMLInputElement>(/^API token/)
const active = () => screen.getByRole<HTMLInputElement>('checkbox', { name: 'Active' })

//
test('without an id the form is empty, for a new active instance', async () => {
  open('/instances/new')
  expect((await name()).value).toBe('')
  expect(number()).toMatchObject({ value: '', placeholder: 'With country code, e.g. 84901234567' })
  expect(token()).toMatchObject({ value: '', type: 'password' })
  expect(active().checked).toBe(true)
})

//
test('a new instance is saved with a toast, and the list opens', async () => {
  const { person, save, bodyOf, isAt } = open('/instances/new', { 'POST /instances': () => wholeInstance })
  await person.type(await name(), 'Shop')
  await person.type(number(), '84901234567')
  await person.type(token(), 'abc')
  await save()
  expect(await screen.findByText('Instance created successfully!')).toBeTruthy()
  expect(currentToasts().at(-1)?.timeout).toBe(3000)
  await waitFor(() => expect(isAt()).toBe('/instances'))
  expect(bodyOf('POST /instances')).toMatchObject({
    name: 'Shop',
    whatsAppNumber: '84901234567',
    whapiToken: 'abc',
    isActive: true,
  })
})

//
test('with an id the form shows the instance and sends the changes', async () => {
  const { person, save, bodyOf, requests, isAt } = open('/instances/edit/7', {
    'GET /instances/:id': () => ({ ...wholeInstance, id: 7 }),
    'PUT /instances/:id': () => wholeInstance,
  })
  expect((await name()).value).toBe('Shop')
  expect(token().value).toBe('••••shop')
  await person.type(await name(), ' 2')
  await person.type(screen.getByLabelText('Expiry date'), '2027-03-31')
  await person.click(active())
  await save()
  expect(await screen.findByText('Instance updated successfully!')).toBeTruthy()
  await waitFor(() => expect(isAt()).toBe('/instances'))
  for (const call of ['GET /instances/:id', 'PUT /instances/:id'])
    expect(requests.find((request) => request.name === call)?.params).toEqual({ id: '7' })
  expect(bodyOf('PUT /instances/:id')).toEqual({
    name: 'Shop 2',
    whatsAppNumber: '84901234567',
    isActive: false,
    expiredTime: '2027-03-31T16:59:59.000Z',
    ...advisedPace,
    warmUpStep: null,
    quietHours: null,
    timeZone: 'Asia/Ho_Chi_Minh',
    approval: 'never',
    approvalAbove: 100,
    version: 1,
  })
})

//
test('changing another field keeps the exact expiry time from the provider', async () => {
  const expiredTime = '2027-02-02T00:00:00.000Z'
  const { person, save, bodyOf } = open('/instances/edit/7', {
    'GET /instances/:id': () => ({ ...wholeInstance, expiredTime }),
    'PUT /instances/:id': () => wholeInstance,
  })
  await person.type(await name(), ' 2')
  expect(screen.getByLabelText<HTMLInputElement>('Expiry date').value).toBe('2027-02-02')
  await save()
  await waitFor(() => expect(bodyOf('PUT /instances/:id')).toMatchObject({ name: 'Shop 2', expiredTime }))
})

//
test('a restored form with a half-typed expiry date says so and is not sent', async () => {
  const { person, save, requests } = open('/instances/edit/7', {
    'GET /instances/:id': () => ({ ...wholeInstance, expiredTime: '2027-02-02T00:00:00.000Z' }),
    'PUT /instances/:id': () => wholeInstance,
    'POST /auth/login': () => ({ token: 'new', user: admin }),
    'GET /auth/options': () => ({ selfRegistration: false, passwordMin: 6 }),
  })
  const half = vi.spyOn(ValidityState.prototype, 'valid', 'get').mockReturnValue(false)
  await person.click(await screen.findByLabelText('Expiry date'))
  await person.click(await name())
  half.mockRestore()
  expireSession('a-token')
  await signInAgain(person)
  await person.type(await name(), ' 2')
  await save()
  expect(await screen.findByText('Enter a full date or leave this empty.')).toBeTruthy()
  expect(requests.some((request) => request.name === 'PUT /instances/:id')).toBe(false)
})

//
test('cancel leads back to the list without saving', async () => {
  const { person, requests, isAt } = open('/instances/new')
  await person.click(await screen.findByRole('button', { name: 'Cancel' }))
  await waitFor(() => expect(isAt()).toBe('/instances'))
  await waitFor(() => expect(requests.map((request) => request.name)).toEqual(['GET /instances']))
})

//
test('during sending the button is disabled with a loader, and a second click sends nothing', async () => {
  let answer = (_: Instance) => {}
  const { person, save, requests } = open('/instances/new', {
    'POST /instances': () => new Promise((resolve) => (answer = resolve)),
  })
  await person.type(await name(), 'Shop')
  await person.type(token(), 'abc')
  const button = screen.getByRole<HTMLButtonElement>('button', { name: 'Save' })
  await save()
  await waitFor(() => expect(button.disabled).toBe(true))
  expect(button.querySelector('[class*=Loader]')).toBeTruthy()
  await save()
  answer(wholeInstance)
  expect(await screen.findByText('Instance created successfully!')).toBeTruthy()
  expect(requests.filter((request) => request.name === 'POST /instances')).toHaveLength(1)
})

//
test('an invalid form shows its errors and is not sent', async () => {
  const { save, requests } = open('/instances/new')
  await save()
  expect(await screen.findByText('Please correct the form errors.')).toBeTruthy()
  expect(currentToasts().at(-1)).toMatchObject({ type: 'error', timeout: 5000 })
  expect(screen.getByText('Enter a name of at most 100 characters.')).toBeTruthy()
  expect(screen.getByText('Enter a token of at most 200 characters.')).toBeTruthy()
  expect(requests).toEqual([])
})

test.each([
  //
  ['a name', name, 100, 'Enter a name of at most 100 characters.'],
  //
  ['a number', async () => number(), 50, 'The number can have 50 characters at most.'],
  //
  ['a token', async () => token(), 200, 'Enter a token of at most 200 characters.'],
])('%s is limited to its maximum length', async (_, field, length, words) => {
  const { person, save, bodyOf } = open('/instances/new', { 'POST /instances': () => wholeInstance })
  await person.type(await name(), 'Shop')
  await person.type(token(), 'abc')
  const input = await field()
  // `maxLength` stops typing, but not programs that fill in forms.
  expect(input.maxLength).toBe(length)
  input.removeAttribute('maxlength')
  await person.clear(input)
  await person.click(input)
  await person.paste('x'.repeat(length + 1))
  expect(await screen.findByText(words)).toBeTruthy()
  await save()
  expect(bodyOf('POST /instances')).toBeUndefined()
  await person.type(input, '{Backspace}')
  await waitFor(() => expect(screen.queryByText(words)).toBeNull())
  await save()
  await waitFor(() => expect(bodyOf('POST /instances')).toBeTruthy())
})

//
test('the number is optional', async () => {
  const { person, save, bodyOf } = open('/instances/new', { 'POST /instances': () => wholeInstance })
  await person.type(await name(), 'Shop')
  await person.type(token(), 'abc')
  await save()
  await waitFor(() => expect(bodyOf('POST /instances')).toMatchObject({ whatsAppNumber: '' }))
})

//
test('a refusal is shown at its field, and the values stay', async () => {
  const { person, save, isAt } = open('/instances/new', {
    'POST /instances': () => refuse(409, 'token_taken'),
  })
  await person.type(await name(), 'Shop')
  await person.type(token(), 'test_shop')
  await save()
  expect(await screen.findByText('Failed to create instance.')).toBeTruthy()
  expect(currentToasts().at(-1)?.timeout).toBe(5000)
  expect(screen.getAllByText('Another account uses this token.')).toHaveLength(2)
  expect((await name()).value).toBe('Shop')
  expect(isAt()).toBe('/instances/new')
})

//
test('a failed change shows a toast and keeps the form open', async () => {
  const { save, isAt } = open('/instances/edit/1', {
    'GET /instances/:id': () => wholeInstance,
    'PUT /instances/:id': () => refuse(500, 'internal'),
  })
  await name()
  await save()
  expect(await screen.findByText('Failed to update instance.')).toBeTruthy()
  expect(isAt()).toBe('/instances/edit/1')
})

//
test('an instance that can’t be loaded leads back to the list', async () => {
  const { isAt } = open('/instances/edit/8')
  expect(await screen.findByText('Failed to load instance.')).toBeTruthy()
  await waitFor(() => expect(isAt()).toBe('/instances'))
})

test.each(['/instances/new', '/instances/edit/1'])(
  //
  'a Member is turned away from %s',
  async (path) => {
    const { router, requests } = renderApp({ path, user: member, answers: list })
    expect(await screen.findByText('Access Denied')).toBeTruthy()
    await waitFor(() => expect(router.state.location.pathname).toBe('/dashboard'))
    expect(requests.some((request) => request.name.includes('/instances'))).toBe(false)
  },
)

//
test('a token is replaced by typing another over its end', async () => {
  const { person, save, bodyOf } = open('/instances/edit/1', {
    'GET /instances/:id': () => wholeInstance,
    'PUT /instances/:id': () => wholeInstance,
  })
  await name()
  // Dots only would not tell that there is a token, or which.
  expect(token().type).toBe('text')
  token().focus()
  await person.keyboard('test_next')
  expect(token().type).toBe('password')
  expect(token()).toBe(document.activeElement)
  await save()
  await waitFor(() => expect(bodyOf('PUT /instances/:id')).toMatchObject({ whapiToken: 'test_next' }))
})

test('an instance that somebody else has saved meanwhile shows what differs', async () => {
  const theirs: Instance = {
    ...wholeInstance,
    whapiToken: '••••ther',
    dailyCap: { groups: 0, private: 50 },
    personCap: 2,
    privateSlowPauseSeconds: [90, 180],
    warmUpStep: 50,
    quietHours: { from: '22:00', to: '06:00' },
    version: 2,
  }
  let isRead = false
  const { person, save, requests, isAt } = open('/instances/edit/1', {
    'GET /instances/:id': () => {
      const found = isRead ? theirs : wholeInstance
      isRead = true
      return found
    },
    'PUT /instances/:id': ({ body }) =>
      (body as { version: number }).version === 2 ? theirs : refuse(409, 'stale_version'),
  })
  await person.type(await name(), ' 2')
  await save()
  const dialog = within(await screen.findByRole('dialog', { name: /Somebody else has changed this/ }))
  expect(dialog.getAllByRole('row').map((row) => [...row.children].map((cell) => cell.textContent))).toEqual([
    ['Field', 'Mine', 'Theirs'],
    ['Name', 'Shop 2', 'Shop'],
    [
      'People',
      'Shortest pause (s) 60 Longest pause (s) 90\nLimit in 24 hours (0: no limit): 200',
      'Shortest pause (s) 60 Longest pause (s) 90\nLimit in 24 hours (0: no limit): 50',
    ],
    ['Messages to a person in 24 hours (0: no limit)', '3', '2'],
    ['Pause when slower (s)', '90 – 120', '90 – 180'],
    ['Warm-up', '—', '50'],
    ['Quiet hours', '—', '22:00 – 06:00'],
  ])
  await person.click(dialog.getByRole('button', { name: 'Overwrite with mine' }))
  await waitFor(() => expect(isAt()).toBe('/instances'))
  expect(requests.filter(({ name }) => name === 'PUT /instances/:id')[1]?.body).toMatchObject({
    name: 'Shop 2',
    quietHours: null,
    version: 2,
  })
})

// R-1216, R-1215
test('the page of an account says what holds it, and how its warm-up stands', async () => {
  const until = '2026-11-26T17:00:00.000Z'
  const warmUp = { step: 20, nextStep: 50, sentToday: 5, neededToday: 16, spoiltBy: null } as const
  open('/instances/edit/1', {
    'GET /instances/:id': () => ({
      ...wholeInstance,
      holds: { people: { why: { code: 'rest_day', params: {} }, until }, groups: null },
      warmUp,
    }),
  })
  await name()
  expect(
    screen.getByText(/^People: The account rests today after several busy days. Until .*26/),
  ).toBeTruthy()
  expect(screen.getByText(/Sent today: 5\. Next step: 50 messages, after a day with 16 or more/)).toBeTruthy()
})
