import { screen, waitFor, within } from '@testing-library/react'
import { expect, test, vi } from 'vitest'
import { admin, member, renderApp } from '../../test/render.tsx'
import { type Answers, pageOf, refuse } from '../../test/server.ts'
import { fillIn } from '../../test/steps.ts'

const answers: Answers = {
  'GET /instances': () => pageOf([]),
  'GET /auth/options': () => ({ selfRegistration: false, passwordMin: 6 }),
  'POST /auth/logout': () => undefined,
}

const open = (more: Partial<Parameters<typeof renderApp>[0]> = {}) =>
  renderApp({ path: '/instances', answers, ...more })
const menu = async () => within(await screen.findByRole('navigation', { name: 'Main menu' }))
const header = async () => within(await screen.findByRole('banner'))

//
test('a page has a header with the title, and a sidebar', async () => {
  open()
  expect((await header()).getByText('Sendroom')).toBeTruthy()
  expect(await menu()).toBeTruthy()
})

//
test('the login has no header and no sidebar', async () => {
  open({ path: '/login', user: null })
  await screen.findByRole('button', { name: 'Sign in' })
  expect(screen.queryByRole('banner')).toBeNull()
  expect(screen.queryByRole('navigation')).toBeNull()
})

const links = [
  ['Dashboard', '/dashboard'],
  ['Messages', '/messages'],
  ['Jobs', '/jobs'],
  ['Calendar', '/calendar'],
  ['Series', '/series'],
  ['Groups', '/groups'],
  ['Accounts', '/instances'],
]
test.each([
  ['Member', member, links],
  [
    'Admin',
    admin,
    [
      ...links.slice(0, -1),
      ['Contacts', '/contacts'],
      ['Lists', '/lists'],
      ['Opt-outs', '/opt-outs'],
      ['Possible opt-outs', '/possible-opt-outs'],
      ['Accounts', '/instances'],
      ['Users', '/users'],
      ['Settings', '/settings'],
    ],
  ],
  //
])('the sidebar of a %s has these links', async (_, user, expected) => {
  open({ user })
  const shown = (await menu()).getAllByRole('link')
  expect(shown.map((link) => [link.textContent, link.getAttribute('href')])).toEqual(expected)
})

//
test('the sidebar has groups of links with names', async () => {
  open()
  const sidebar = await menu()
  const linksOf = (name: string) => within(sidebar.getByRole('list', { name })).getAllByRole('link')
  expect(linksOf('Work').map((link) => link.textContent)).toEqual([
    'Dashboard',
    'Messages',
    'Jobs',
    'Calendar',
    'Series',
  ])
  expect(linksOf('People').map((link) => link.textContent)).toEqual([
    'Groups',
    'Contacts',
    'Lists',
    'Opt-outs',
    'Possible opt-outs',
  ])
})

const settingsAnswers: Answers = {
  'GET /personal-data/forget-requests': () => [],
  'GET /retention': () => ({
    deliveryDays: null,
    logDays: null,
    receiptDays: 7,
    messageDays: null,
    groupDays: null,
    contactDays: null,
  }),
  'POST /groups/search': () => pageOf([]),
}

//
test('the settings name their sections, which the sidebar shows while one is open', async () => {
  const { person } = open({ path: '/settings', answers: { ...answers, ...settingsAnswers } })
  const sections = [
    'Contact fields',
    'Opt-out words',
    'Retention',
    'Personal data',
    'Webhooks',
    'Limits',
    'Required second factor',
    'System',
    'Audit log',
  ]
  const inPage = within(await screen.findByRole('main'))
  expect(inPage.getAllByRole('link').map((link) => link.textContent)).toEqual(sections)
  const sidebar = await menu()
  expect(sidebar.getAllByRole('link').map((link) => link.textContent)).toEqual([
    ...links.slice(0, -1).map(([name]) => name),
    'Contacts',
    'Lists',
    'Opt-outs',
    'Possible opt-outs',
    'Accounts',
    'Users',
    'Settings',
    ...sections,
  ])
  await person.click(inPage.getByRole('link', { name: 'Retention' }))
  await screen.findByRole('heading', { name: 'Retention' })
  const current = sidebar.getAllByRole('link').filter((link) => link.getAttribute('aria-current') === 'page')
  expect(current.map((link) => link.textContent)).toEqual(['Retention'])
  await person.click(sidebar.getByRole('link', { name: 'Groups' }))
  await screen.findByRole('heading', { name: 'Groups' })
  expect(sidebar.queryByRole('link', { name: 'Retention' })).toBeNull()
})

//
test('the focus moves to the new page if the link disappears, and stays on links of the sidebar', async () => {
  const { person } = open()
  await person.click((await screen.findAllByRole('link', { name: 'Add account' }))[0] as HTMLElement)
  await screen.findByRole('heading', { name: 'Add account' })
  await waitFor(() => expect(document.activeElement).toBe(screen.getByRole('main')))
  const link = (await menu()).getByText('Accounts')
  await person.click(link)
  await screen.findByRole('heading', { name: 'Accounts' })
  expect(document.activeElement).toBe(link)
})

//
test('a chosen language is stored and applies to the app and the login', async () => {
  const { person } = open()
  const select = (await header()).getByLabelText<HTMLSelectElement>('Language')
  expect([...select.options].map(({ text }) => text)).toEqual(['VI', 'EN', 'CN'])
  await person.selectOptions(select, 'VI')
  expect(await screen.findByRole('link', { name: 'Tài khoản WhatsApp' })).toBeTruthy()
  expect(localStorage.getItem('lang')).toBe('vi')
  expect(document.documentElement.lang).toBe('vi')
  await person.click(screen.getByText('Đăng xuất'))
  expect(await screen.findByRole('button', { name: 'Đăng nhập' })).toBeTruthy()
})

//
test('the app is in English by default', async () => {
  open({ language: null })
  const select = (await header()).getByLabelText<HTMLSelectElement>('Language')
  expect(select.value).toBe('en')
  expect((await menu()).getByText('Accounts')).toBeTruthy()
  expect(localStorage.getItem('lang')).toBeNull()
})

//
test('the user menu shows username, email and role', async () => {
  open({ user: member })
  const button = await screen.findByRole('button', { name: 'User menu of lan' })
  const shown = within(document.getElementById(button.getAttribute('popovertarget') ?? '') as HTMLElement)
  for (const text of ['lan', 'lan@example.com', 'Member', 'Change password', 'Logout'])
    expect(shown.getByText(text)).toBeTruthy()
})

//
test('logging out ends the session in the browser and on the server', async () => {
  const { router, person, requests } = open()
  await person.click(await screen.findByText('Logout'))
  await waitFor(() => expect(router.state.location.href).toBe('/login'))
  expect(localStorage.getItem('token')).toBeNull()
  expect(localStorage.getItem('user')).toBeNull()
  const logout = requests.find(({ name }) => name === 'POST /auth/logout')
  expect(logout?.headers.get('authorization')).toBe('Bearer a-token')
})

test.each([
  ['token', 'user'],
  ['user', 'token'],
  //
])('a stored %s without a %s is no session', async (_, missing) => {
  const { router } = open({ path: '/groups' })
  await screen.findByRole('banner')
  localStorage.removeItem(missing)
  window.dispatchEvent(new StorageEvent('storage', { key: missing }))
  await router.navigate({ to: '/instances' })
  await waitFor(() => expect(router.state.location.pathname).toBe('/login'))
})

//
test('writes send the CSRF cookie as a header, reads do not', async () => {
  // biome-ignore lint/suspicious/noDocumentCookie: the server sets it so, and happy-dom has no cookieStore
  document.cookie = 'XSRF-TOKEN=abc%3D'
  const { person, requests } = open()
  await person.click(await screen.findByText('Logout'))
  const headerOf = (name: string) => requests.find((call) => call.name === name)?.headers.get('x-xsrf-token')
  expect(headerOf('POST /auth/logout')).toBe('abc=')
  expect(headerOf('GET /instances')).toBeNull()
})

//
test('calls send the session’s token', async () => {
  const { requests } = open()
  await screen.findByRole('banner')
  await waitFor(() => expect(requests[0]?.headers.get('authorization')).toBe('Bearer a-token'))
})

async function changePassword(more: Answers = {}, user = member) {
  const confirm = { 'POST /auth/confirm': () => ({ token: 'next-token' }) }
  const app = renderApp({ path: '/instances', user, answers: { ...answers, ...confirm, ...more } })
  await app.person.click(await screen.findByText('Change password'))
  const dialog = within(await screen.findByRole('dialog', { name: 'Change password' }))
  const fill = async (password: string, confirm: string) => {
    await fillIn(app.person, dialog.getByLabelText(/^New password/), password)
    await fillIn(app.person, dialog.getByLabelText(/^Confirm password/), confirm)
  }
  const submit = () => app.person.click(dialog.getByRole('button', { name: 'Change password' }))
  const submitWithPassword = async () => {
    await submit()
    await app.person.type(await screen.findByLabelText(/^Your current password/), 'present{Enter}')
  }
  return { ...app, dialog, fill, submit, submitWithPassword }
}

//
test('a click outside does not close the password modal', async () => {
  const { person, dialog } = await changePassword()
  expect(dialog.getByLabelText(/^New password/)).toBeTruthy()
  expect(dialog.getByLabelText(/^Confirm password/)).toBeTruthy()
  const backdrop = document.querySelector('.mantine-Modal-overlay')
  expect(backdrop).toBeTruthy()
  await person.click(document.querySelector('.mantine-Modal-inner') as Element)
  await person.click(backdrop as Element)
  expect(screen.getByRole('dialog', { name: 'Change password' })).toBeTruthy()
})

//
test('different passwords are marked at the field, shown in an alert, and not sent', async () => {
  const alert = vi.fn()
  vi.stubGlobal('alert', alert)
  const { requests, dialog, fill, submit } = await changePassword()
  await fill('short', 'shirt')
  expect(dialog.getByText('The passwords do not match.')).toBeTruthy()
  expect(dialog.getByText('Enter a password of 6 to 100 characters.')).toBeTruthy()
  expect(alert).not.toHaveBeenCalled()
  await submit()
  expect(alert).toHaveBeenCalledExactlyOnceWith('The passwords do not match.')
  expect(requests.some(({ name }) => name.startsWith('PUT'))).toBe(false)
})

//
test('only the password is sent, and a failure shows a toast and keeps the modal open', async () => {
  const { requests, dialog, fill, submitWithPassword } = await changePassword({
    'PUT /users/:id': () => refuse(500, 'internal'),
  })
  await fill('secret1', 'secret1')
  await submitWithPassword()
  expect(await screen.findByText('Failed to update user.')).toBeTruthy()
  expect(requests.at(-1)).toMatchObject({ name: 'PUT /users/:id', params: { id: '2' } })
  expect(requests.at(-1)?.body).toEqual({ password: 'secret1' })
  expect(dialog.getByLabelText(/^New password/)).toBeTruthy()
})

//
test('a changed password shows a toast and reloads the page', async () => {
  const reload = vi.spyOn(window.location, 'reload').mockReturnValue()
  const { fill, submitWithPassword } = await changePassword({ 'PUT /users/:id': () => member })
  await fill('secret1', 'secret1')
  await submitWithPassword()
  expect(await screen.findByText('Your password updated successfully!')).toBeTruthy()
  expect(screen.queryByRole('dialog')).toBeNull()
  await waitFor(() => expect(reload).toHaveBeenCalledOnce())
})

//
test('a password modal that is closed during sending and opened again stays open', async () => {
  vi.spyOn(window.location, 'reload').mockReturnValue()
  let send = () => {}
  const { person, fill, submitWithPassword } = await changePassword({
    'PUT /users/:id': () =>
      new Promise((resolve) => {
        send = () => resolve(member)
      }),
  })
  await fill('secret1', 'secret1')
  await submitWithPassword()
  await person.keyboard('{Escape}')
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  await person.click(screen.getByText('Change password'))
  await screen.findByRole('dialog', { name: 'Change password' })
  send()
  await screen.findByText('Your password updated successfully!')
  expect(screen.getByRole('dialog', { name: 'Change password' })).toBeTruthy()
})
