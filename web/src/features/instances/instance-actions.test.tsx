import type { InstanceRow } from '@sendroom/contract/instances'
import { screen, waitFor, within } from '@testing-library/react'
import { expect, test, vi } from 'vitest'
import { instance, wholeInstance } from '../../../test/instance.ts'
import { admin, member, renderApp } from '../../../test/render.tsx'
import { type Answers, pageOf, refuse } from '../../../test/server.ts'
import { isDisabled, reasonOf } from '../../../test/steps.ts'
import { currentToasts } from '../../ui/toasts.ts'

const rowOf = (name: string) => screen.findByRole('row', { name: new RegExp(name) })

async function open(answers: Answers = {}, shop: InstanceRow = instance, language = 'en', user = admin) {
  const app = renderApp({
    path: '/instances',
    user,
    language,
    answers: { 'GET /instances': () => pageOf([shop]), ...answers },
  })
  const cells = within(await rowOf('Shop'))
  const button = (name: string) => cells.getByRole<HTMLButtonElement>('button', { name })
  const lists = () => app.requests.filter(({ name }) => name === 'GET /instances').length
  return { ...app, button, lists, calls: () => app.requests.map(({ name, params }) => ({ name, params })) }
}
const timeoutOf = (words: string) => currentToasts().find(({ msg }) => msg === words)?.timeout

//
test('editing opens the instance’s form', async () => {
  const { person, button, router } = await open({ 'GET /instances/:id': () => wholeInstance })
  await person.click(button('Edit'))
  await waitFor(() => expect(router.state.location.pathname).toBe('/instances/edit/1'))
})

test.each([
  {
    //
    name: 'deleting',
    button: 'Delete',
    title: 'Delete account',
    confirm: 'Delete',
    color: 'red',
    call: 'DELETE /instances/:id',
    says: 'Instance deleted successfully!',
  },
  {
    //
    name: 'clearing the data',
    button: 'Clear data',
    title: 'Clear account data',
    confirm: 'Clear',
    color: 'orange',
    call: 'DELETE /instances/data/:id',
    says: 'Instance clean successfully!',
  },
] as const)('$name asks first, warns that it can’t be undone, and reloads the list', async (given) => {
  const { person, button, lists, calls } = await open({ [given.call]: () => undefined })
  await person.click(button(given.button))
  const dialog = within(await screen.findByRole('dialog', { name: given.title }))
  expect(dialog.getByText(/This action cannot be undone\./)).toBeTruthy()
  await person.click(dialog.getByRole('button', { name: 'Cancel' }))
  await waitFor(() => expect(document.activeElement).toBe(button(given.button)))
  expect(calls().some(({ name }) => name.startsWith('DELETE'))).toBe(false)

  await person.click(button(given.button))
  const again = within(await screen.findByRole('dialog'))
  const yes = again.getByRole('button', { name: given.confirm })
  expect(yes.style.getPropertyValue('--button-bg')).toContain(given.color)
  await person.click(yes)
  expect(await screen.findByText(given.says)).toBeTruthy()
  expect(timeoutOf(given.says)).toBe(3000)
  expect(calls()).toContainEqual({ name: given.call, params: { id: '1' } })
  await waitFor(() => expect(lists()).toBe(2))
})

//
test('logging out asks with the browser’s own dialog, in the user’s language', async () => {
  const ask = vi.fn(() => false)
  vi.stubGlobal('confirm', ask)
  const { person, button, calls } = await open({}, instance, 'vi')
  await person.click(button('Đăng xuất WhatsApp'))
  expect(ask).toHaveBeenCalledWith(
    'Đăng xuất tài khoản này khỏi WhatsApp? Tài khoản không gửi được cho đến khi bạn liên kết lại.',
  )
  expect(calls().map(({ name }) => name)).toEqual(['GET /instances'])
})

//
test('a confirmed logout calls the server and reloads the list', async () => {
  vi.stubGlobal('confirm', () => true)
  const { person, button, lists, calls } = await open({ 'GET /instances/:id/logout': () => undefined })
  await person.click(button('Log out'))
  await waitFor(() => expect(lists()).toBe(2))
  expect(calls()).toContainEqual({ name: 'GET /instances/:id/logout', params: { id: '1' } })
})

//
test('starting a sync calls the server and shows a toast', async () => {
  const { person, button, calls } = await open({ 'POST /instances/:id/sync': () => undefined })
  await person.click(button('Sync groups'))
  expect(await screen.findByText('Syncing groups.')).toBeTruthy()
  expect(calls()).toContainEqual({ name: 'POST /instances/:id/sync', params: { id: '1' } })
})

test('an instance that is not linked offers no sync', async () => {
  const { button } = await open({}, { ...instance, status: 'NeedsLogin' })
  expect(button('Scan QR').textContent).toBe('Scan QR')
  expect(screen.queryByRole('button', { name: 'Sync groups' })).toBeNull()
})

//
test('a failure is shown for five seconds', async () => {
  const { person, button } = await open({ 'POST /instances/:id/sync': () => refuse(409, 'not_connected') })
  await person.click(button('Sync groups'))
  const words = 'This account isn’t linked to WhatsApp. Scan the QR code first.'
  expect(await screen.findByText(words)).toBeTruthy()
  expect(timeoutOf(words)).toBe(5000)
})

test('the actions of an inactive instance are disabled and say why', async () => {
  const { button } = await open({}, { ...instance, status: 'Disconnected', isActive: false })
  for (const name of ['Scan QR', 'Get code', 'Sync groups']) {
    expect(isDisabled(button(name))).toBe(true)
    expect(reasonOf(button(name))).toBe('This account isn’t active. Activate the account first.')
  }
  expect(isDisabled(button('Log out'))).toBe(false)
})

//
test('a Member without the right to link sees why the buttons for linking and logging out are disabled', async () => {
  const { button } = await open({}, instance, 'en', { ...member, canLinkAccounts: false })
  for (const name of ['Scan QR', 'Get code', 'Log out']) {
    expect(isDisabled(button(name))).toBe(true)
    expect(reasonOf(button(name))).toBe('You can’t link accounts or log them out. Ask an Admin.')
  }
  expect(isDisabled(button('Sync groups'))).toBe(false)
})

test.each(['a finger', 'the keyboard'])(
  'a disabled action that is pressed with %s says why and does nothing',
  async (by) => {
    const { button, person, requests } = await open({}, { ...instance, isActive: false })
    if (by === 'the keyboard') {
      button('Sync groups').focus()
      await person.keyboard('{Enter}')
    } else await person.pointer({ keys: '[TouchA]', target: button('Sync groups') })
    const region = within(screen.getByRole('region', { name: 'Notifications' }))
    expect(region.getByText('This account isn’t active. Activate the account first.')).toBeTruthy()
    expect(requests.every(({ name }) => name.startsWith('GET'))).toBe(true)
  },
)

test('a stopped instance can be resumed from the list', async () => {
  const stopped: InstanceRow = { ...instance, waiting: { code: 'account_failures', params: { count: 10 } } }
  const { person, button, calls } = await open({ 'POST /instances/:id/resume': () => undefined }, stopped)
  await person.click(button('Resume sending'))
  const dialog = within(await screen.findByRole('dialog', { name: 'Resume sending: Shop' }))
  await person.click(dialog.getByRole('button', { name: 'Resume sending' }))
  expect(await screen.findByText('Sending resumed.')).toBeTruthy()
  expect(calls()).toContainEqual({ name: 'POST /instances/:id/resume', params: { id: '1' } })
})
