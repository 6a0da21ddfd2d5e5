import type { Instance, InstanceRow } from '@sendroom/contract/instances'
import { screen, waitFor, within } from '@testing-library/react'
import { afterEach, expect, test, vi } from 'vitest'
import { member, renderApp } from '../../../test/render.tsx'
import { pageOf, refuse } from '../../../test/server.ts'

const shop: InstanceRow = {
  id: 7,
  name: 'Shop',
  whatsAppNumber: '84901234567',
  isActive: true,
  isTest: true,
  createdAt: '2026-11-20T18:30:00.000Z',
  expiredTime: null,
  status: 'NeedsLogin',
  statusSeenAt: null,
  waiting: { code: 'account_not_linked', params: {} },
  lastSyncAt: null,
  isSyncing: false,
  syncProblem: null,
}
const whole: Instance = {
  ...shop,
  whapiToken: 'test_shop',
  groupPauseSeconds: [20, 30],
  privatePauseSeconds: [60, 90],
  dailyCap: { groups: 0, private: 200 },
  quietHours: null,
  timeZone: 'Asia/Ho_Chi_Minh',
}
afterEach(() => {
  vi.useRealTimers()
})

const list = { 'GET /instances': () => pageOf([shop]) }

const row = () => screen.findByRole('row', { name: /Shop/ })

test('a row tells the account, that it is a test, its status and why it waits', async () => {
  renderApp({ path: '/instances', answers: list })
  const cells = within(await row())
  for (const text of ['7', '84901234567', 'Test', 'Yes', '11/21/26, 1:30 AM', 'Needs login'])
    expect(cells.getByText(text)).toBeTruthy()
  expect(cells.getByText('The account is not linked to WhatsApp. Scan its QR code.')).toBeTruthy()
})

test('the list is asked for by what the address says', async () => {
  const { seen, person, router } = renderApp({ path: '/instances?page=2&pageSize=25', answers: list })
  await row()
  expect(seen[0]?.query).toEqual({
    page: '2',
    pageSize: '25',
    search: '',
    sortBy: 'createdAt',
    sortDirection: 'desc',
  })
  await person.type(screen.getByLabelText('Search'), '123{Enter}')
  await waitFor(() => expect(router.state.location.href).toBe('/instances?pageSize=25&search=123'))
  await waitFor(() => expect(seen.at(-1)?.query).toMatchObject({ page: '1', search: '123' }))
})

test('a Member may link and log out an account, but not change or add one', async () => {
  renderApp({ path: '/instances', user: member, answers: list })
  const names = within(await row())
    .getAllByRole('button')
    .map((button) => button.getAttribute('aria-label') ?? button.textContent)
  expect(names).toEqual(['Scan QR', 'Sync groups', 'Get code', 'Log out'])
  expect(screen.queryByRole('link', { name: 'Add account' })).toBeNull()
})

test('an account that is connecting is looked at until it says what is needed', async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true })
  let looks = 0
  renderApp({
    path: '/instances',
    answers: {
      'GET /instances': () => pageOf([{ ...shop, status: looks < 2 ? 'Connecting' : 'NeedsLogin' }]),
      'GET /instances/:id': () => {
        looks += 1
        return whole
      },
    },
  })
  await screen.findByText('Connecting')
  await vi.advanceTimersByTimeAsync(7000)
  expect(await screen.findByText('Needs login')).toBeTruthy()
  const looksThen = looks
  await vi.advanceTimersByTimeAsync(7000)
  expect(looks).toBe(looksThen)
})

test('an account that was stopped is let go on from the list', async () => {
  const stopped: InstanceRow = {
    ...shop,
    status: 'Connected',
    waiting: { code: 'account_failures', params: { count: 10 } },
  }
  const { person, seen } = renderApp({
    path: '/instances',
    answers: {
      'GET /instances': () => pageOf([stopped]),
      'POST /instances/:id/resume': () => undefined,
    },
  })
  await person.click(within(await row()).getByRole('button', { name: 'Let it go on' }))
  const dialog = within(await screen.findByRole('dialog', { name: 'Let it go on: Shop' }))
  await person.click(dialog.getByRole('button', { name: 'Let it go on' }))
  expect(await screen.findByText('The account goes on.')).toBeTruthy()
  expect(seen.some(({ name }) => name === 'POST /instances/:id/resume')).toBe(true)
})

test('an empty list says so', async () => {
  renderApp({ path: '/instances', answers: { 'GET /instances': () => pageOf([]) } })
  expect(await screen.findByText('No data found')).toBeTruthy()
})

test('a list that can’t be loaded says so once and can be tried again', async () => {
  let tries = 0
  const { person } = renderApp({
    path: '/instances',
    answers: {
      'GET /instances': () => {
        tries += 1
        return tries === 1 ? refuse(500, 'internal') : pageOf([shop])
      },
    },
  })
  await person.click(await screen.findByRole('button', { name: 'Try again' }))
  expect(await row()).toBeTruthy()
})

test('a page that became empty gives way to the last one that is not', async () => {
  const { router } = renderApp({
    path: '/instances?page=3',
    answers: {
      'GET /instances': ({ query }) =>
        query.page === '3'
          ? pageOf([], 20, { page: 3, pageSize: 10 })
          : pageOf([shop], 20, { page: 2, pageSize: 10 }),
    },
  })
  await row()
  expect(router.state.location.href).toBe('/instances?page=2')
  expect(screen.getByText('Showing 11 to 20 of 20 entries')).toBeTruthy()
  expect(screen.getByRole<HTMLButtonElement>('button', { name: 'Next page' }).disabled).toBe(true)
})

test('deleting asks first, deletes, says so and reloads', async () => {
  const { person, seen } = renderApp({
    path: '/instances',
    answers: { ...list, 'DELETE /instances/:id': () => undefined },
  })
  const remove = within(await row()).getByRole('button', { name: 'Delete' })
  await person.click(remove)
  const dialog = within(await screen.findByRole('dialog', { name: 'Delete account' }))
  expect(dialog.getByText(/This action cannot be undone\./)).toBeTruthy()
  await person.click(dialog.getByRole('button', { name: 'Cancel' }))
  expect(seen.some(({ name }) => name.startsWith('DELETE'))).toBe(false)
  await waitFor(() => expect(document.activeElement).toBe(remove))

  await person.click(remove)
  await person.click(within(await screen.findByRole('dialog')).getByRole('button', { name: 'Delete' }))
  expect(await screen.findByText('Instance deleted successfully!')).toBeTruthy()
  await waitFor(() => expect(seen.filter(({ name }) => name === 'GET /instances')).toHaveLength(2))
})

test('logging out asks the browser’s own question', async () => {
  const ask = vi.fn(() => false)
  vi.stubGlobal('confirm', ask)
  const { person, seen } = renderApp({
    path: '/instances',
    answers: { ...list, 'GET /instances/:id/logout': () => undefined },
  })
  await person.click(within(await row()).getByRole('button', { name: 'Log out' }))
  expect(ask).toHaveBeenCalled()
  expect(seen).toHaveLength(1)
})

test('the QR dialog shows the code and a countdown, and notices the connection', async () => {
  let isConnected = false
  const { person } = renderApp({
    path: '/instances',
    answers: {
      ...list,
      'GET /instances/:id/qrcode-base64': () => ({ qr: 'data:image/png;base64,AAAA' }),
      'GET /instances/:id': () => ({ ...whole, status: isConnected ? 'Connected' : 'NeedsLogin' }),
    },
  })
  await person.click(within(await row()).getByRole('button', { name: 'Scan QR' }))
  const image = await screen.findByRole<HTMLImageElement>('img', { name: 'QR code to link the account' })
  expect(image.src).toBe('data:image/png;base64,AAAA')
  expect(screen.getByRole('timer').textContent).toMatch(/^New code in (30|29|28) s$/)
  isConnected = true
  expect(await screen.findByText('The account is connected.')).toBeTruthy()
  expect(screen.queryByRole('timer')).toBeNull()
})

test('a pairing code needs a phone number, and is shown', async () => {
  const alert = vi.fn()
  vi.stubGlobal('alert', alert)
  const { person, seen } = renderApp({
    path: '/instances',
    answers: {
      ...list,
      'GET /instances/:id': () => whole,
      'GET /instances/:id/connect-code': () => ({ code: 'ABCD-1234' }),
    },
  })
  await person.click(within(await row()).getByRole('button', { name: 'Get code' }))
  const dialog = within(await screen.findByRole('dialog'))
  const phone = dialog.getByLabelText('Phone number')
  await person.clear(phone)
  await person.click(dialog.getByRole('button', { name: 'Get code' }))
  expect(alert).toHaveBeenCalledWith('Enter the phone number with its country code.')
  await person.type(phone, '+84 90')
  await person.click(dialog.getByRole('button', { name: 'Get code' }))
  expect(await dialog.findByText('ABCD-1234')).toBeTruthy()
  expect(seen.find(({ name }) => name.includes('connect-code'))?.query).toEqual({ phone: '+84 90' })
})

test('an invalid form names its fields and is not sent', async () => {
  const { person, seen } = renderApp({ path: '/instances/new' })
  await person.click(await screen.findByRole('button', { name: 'Save' }))
  expect(await screen.findByText('Please correct the form errors.')).toBeTruthy()
  expect(screen.getByText('Enter a name of at most 100 characters.')).toBeTruthy()
  expect(screen.getByText('Enter the token, at most 200 characters.')).toBeTruthy()
  expect(seen).toEqual([])
})

test('what the server refuses lands on its field, and what was typed stays', async () => {
  const { person, router } = renderApp({
    path: '/instances/new',
    answers: { 'POST /instances': () => refuse(409, 'token_taken') },
  })
  await person.type(await screen.findByLabelText(/^Name/), 'Shop')
  await person.type(screen.getByLabelText(/^API token/), 'test_shop')
  await person.click(screen.getByRole('button', { name: 'Save' }))
  expect(await screen.findByText('Failed to create instance.')).toBeTruthy()
  expect(screen.getAllByText('Another account already uses this token.')).toHaveLength(2)
  expect(screen.getByLabelText<HTMLInputElement>(/^Name/).value).toBe('Shop')
  expect(router.state.location.pathname).toBe('/instances/new')
})

test('editing shows what is there and sends it back changed', async () => {
  const { person, seen, router } = renderApp({
    path: '/instances/edit/7',
    answers: { ...list, 'GET /instances/:id': () => whole, 'PUT /instances/:id': () => whole },
  })
  const name = await screen.findByLabelText<HTMLInputElement>(/^Name/)
  expect(name.value).toBe('Shop')
  await person.type(name, ' 2')
  await person.click(screen.getByRole('checkbox', { name: 'Active' }))
  await person.click(screen.getByRole('button', { name: 'Save' }))
  expect(await screen.findByText('Instance updated successfully!')).toBeTruthy()
  await waitFor(() => expect(router.state.location.pathname).toBe('/instances'))
  expect(seen.find(({ name: call }) => call === 'PUT /instances/:id')?.body).toEqual({
    name: 'Shop 2',
    whatsAppNumber: '84901234567',
    whapiToken: 'test_shop',
    isActive: false,
    expiredTime: null,
    groupPauseSeconds: [20, 30],
    privatePauseSeconds: [60, 90],
    dailyCap: { groups: 0, private: 200 },
    quietHours: null,
    timeZone: 'Asia/Ho_Chi_Minh',
  })
})

test('an account that can’t be loaded leads back to the list', async () => {
  const { router } = renderApp({ path: '/instances/edit/8', answers: list })
  expect(await screen.findByText('Failed to load instance.')).toBeTruthy()
  await waitFor(() => expect(router.state.location.pathname).toBe('/instances'))
})
