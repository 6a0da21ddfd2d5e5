import type { User } from '@sendroom/contract/users'
import { screen, waitFor, within } from '@testing-library/react'
import { expect, test } from 'vitest'
import { instance } from '../../../test/instance.ts'
import { admin, member, renderApp } from '../../../test/render.tsx'
import { type Answers, pageOf, refuse } from '../../../test/server.ts'
import { fillUser } from '../../../test/steps.ts'
import { currentToasts } from '../../ui/toasts.ts'
import './user-form-page.tsx'

const lan: User = { ...member, assignedInstances: [{ id: 7, name: 'Shop' }] }
const shop = { ...instance, id: 7, name: 'Shop' }
const rights = {
  canSendMessages: true,
  canCreateJobs: true,
  canLinkAccounts: true,
  canExportParticipants: true,
  canUseContacts: false,
  canManageContacts: false,
  canApproveJobs: false,
  canMentionAll: false,
}
const assigned = { assignedInstances: [], ...rights, version: 3 }
const answers: Answers = {
  'GET /users': () => pageOf([admin, lan]),
  'GET /instances': () => pageOf([shop]),
  'GET /users/:id': () => lan,
  'POST /users': () => lan,
  'PUT /users/:id': () => ({ ...lan, version: 2 }),
  'POST /users/:id/assign-instances': () => assigned,
}

const add = (more: Answers = {}) => renderApp({ path: '/users/new', answers: { ...answers, ...more } })
const edit = (more: Answers = {}) => renderApp({ path: '/users/edit/2', answers: { ...answers, ...more } })
type App = ReturnType<typeof add>

const input = (label: RegExp) => screen.findByLabelText<HTMLInputElement>(label)
const checkbox = (name: string) => screen.getByRole<HTMLInputElement>('checkbox', { name })
const save = async (person: App['person']) =>
  person.click(await screen.findByRole('button', { name: 'Save' }))
const callsOf = (requests: App['requests'], name: string) => requests.filter((call) => call.name === name)

const chooseShop = async (person: App['person']) => {
  await person.click(await screen.findByRole('combobox', { name: 'Assigned accounts' }))
  await person.click(await screen.findByRole('option', { name: 'Shop' }))
}

//
test('the form for a new user has the default values', async () => {
  add()
  const password = await input(/^Password/)
  expect(password.required).toBe(true)
  expect(screen.queryByText('Leave empty to keep the current password.')).toBeNull()
  const role = await screen.findByLabelText<HTMLSelectElement>(/^Role/)
  expect([...role.options].map(({ value, text }) => [value, text])).toEqual([
    ['Admin', 'Admin'],
    ['Member', 'Member'],
  ])
  expect(role.value).toBe('Member')
  for (const name of [
    'Active',
    'Can write messages',
    'Can create jobs',
    'Can link accounts and log them out',
    'Can export group members',
  ])
    expect(checkbox(name).checked).toBe(true)
  expect(screen.getByText(/^Members see only these accounts/)).toBeTruthy()
  for (const label of [/^Username/, /^Email/]) expect((await input(label)).value).toBe('')
})

//
test('the form of an existing user shows the user, but no password', async () => {
  edit()
  const password = await input(/^Password/)
  expect(password.required).toBe(false)
  expect(password.value).toBe('')
  expect(screen.getByText('Leave empty to keep the current password.')).toBeTruthy()
  expect((await input(/^Username/)).value).toBe('lan')
  expect((await input(/^Email/)).value).toBe('lan@example.com')
  expect((await screen.findAllByText('Shop')).length).toBeGreaterThan(0)
})

//
test('cancel leads back to the list', async () => {
  const { person, router } = add()
  await person.click(await screen.findByRole('button', { name: 'Cancel' }))
  await waitFor(() => expect(router.state.location.pathname).toBe('/users'))
})

//
test('an invalid submit marks each field and sends nothing', async () => {
  const { person, requests } = add()
  await save(person)
  expect(await screen.findByText('Please correct the form errors.')).toBeTruthy()
  for (const words of [
    'Enter a username of 3 to 100 characters.',
    'Enter a valid email address of at most 200 characters.',
    'Enter a password of 6 to 100 characters.',
  ])
    expect(screen.getByText(words)).toBeTruthy()
  expect(callsOf(requests, 'POST /users')).toEqual([])
  expect(document.activeElement).toBe(await input(/^Username/))
})

//
test('a refusal focuses its field', async () => {
  const { person } = add({
    'POST /users': () => refuse(400, 'invalid_input', { fields: { email: 'USER_FORM.EMAIL_INVALID' } }),
  })
  await fillUser(person)
  await save(person)
  expect(await screen.findByText('Enter a valid email address of at most 200 characters.')).toBeTruthy()
  expect(document.activeElement).toBe(await input(/^Email/))
})

//
test('a new user without instances causes no assignment', async () => {
  const { person, requests, router } = add()
  await fillUser(person)
  await save(person)
  expect(await screen.findByText('User created successfully!')).toBeTruthy()
  await waitFor(() => expect(router.state.location.pathname).toBe('/users'))
  expect(callsOf(requests, 'POST /users')[0]?.body).toEqual({
    username: 'lan',
    email: 'lan@example.com',
    password: 'secret',
    role: 'Member',
    isActive: true,
    ...rights,
    assignedInstances: [],
  })
  expect(callsOf(requests, 'POST /users/:id/assign-instances')).toEqual([])
})

//
test('instances to assign can be searched without accents', async () => {
  const { person } = add({ 'GET /instances': () => pageOf([shop, { ...shop, id: 8, name: 'Đà Nẵng' }]) })
  await screen.findByPlaceholderText('Choose accounts')
  await person.type(screen.getByRole('combobox', { name: 'Assigned accounts' }), 'da nang')
  expect(await screen.findByRole('option', { name: 'Đà Nẵng' })).toBeTruthy()
  expect(screen.queryByRole('option', { name: 'Shop' })).toBeNull()
})

//
test('a new user’s instances are assigned with the id from the answer', async () => {
  const { person, requests } = add()
  await fillUser(person)
  await chooseShop(person)
  await person.click(checkbox('Can write messages'))
  await save(person)
  expect(await screen.findByText('Instances assigned successfully!')).toBeTruthy()
  expect(callsOf(requests, 'POST /users')[0]?.body).toMatchObject({ assignedInstances: [7] })
  expect(callsOf(requests, 'POST /users/:id/assign-instances')[0]).toMatchObject({
    params: { id: '2' },
    body: { instanceIds: [7], ...rights, canSendMessages: false, version: 1 },
  })
})

//
test('a changed user is always assigned again and may keep the password', async () => {
  const { person, requests } = edit()
  await input(/^Username/)
  await person.click(checkbox('Can create jobs'))
  await person.click(checkbox('Can export group members'))
  await person.selectOptions(screen.getByLabelText(/^Role/), 'Admin')
  await save(person)
  expect(await screen.findByText('User updated successfully!')).toBeTruthy()
  expect(await screen.findByText('Instances assigned successfully!')).toBeTruthy()
  expect(callsOf(requests, 'PUT /users/:id')[0]).toMatchObject({ params: { id: '2' } })
  expect(callsOf(requests, 'PUT /users/:id')[0]?.body).toEqual({
    username: 'lan',
    email: 'lan@example.com',
    password: '',
    role: 'Admin',
    isActive: true,
    ...rights,
    canCreateJobs: false,
    canExportParticipants: false,
    version: 1,
    assignedInstances: [7],
  })
  expect(callsOf(requests, 'POST /users/:id/assign-instances')[0]).toMatchObject({
    params: { id: '2' },
    body: { instanceIds: [7], ...rights, canCreateJobs: false, canExportParticipants: false, version: 2 },
  })
  // The user is not read again just before the form is left.
  expect(requests.filter(({ name }) => name === 'GET /users/:id')).toHaveLength(1)
})

//
test('an Admin who makes themselves a Member sees one success toast', async () => {
  const { person, requests, router } = renderApp({
    path: '/users/edit/1',
    answers: {
      ...answers,
      'GET /users/:id': () => admin,
      'PUT /users/:id': () => ({ ...admin, role: 'Member' }),
      'POST /users/:id/assign-instances': () => refuse(403, 'forbidden'),
      'GET /auth/me': () => ({ ...admin, role: 'Member' }),
    },
  })
  await person.selectOptions(await screen.findByLabelText(/^Role/), 'Member')
  await save(person)
  const words = 'User updated successfully!'
  await screen.findByText(words)
  await waitFor(() => expect(router.state.location.pathname).toBe('/dashboard'))
  await waitFor(() => expect(screen.queryByRole('link', { name: 'Users' })).toBeNull())
  expect(currentToasts().filter(({ msg }) => msg !== words)).toEqual([])
  expect(callsOf(requests, 'PUT /users/:id')[0]?.body).toMatchObject({
    role: 'Member',
    assignedInstances: [],
  })
  expect(callsOf(requests, 'POST /users/:id/assign-instances')).toEqual([])
  expect(screen.queryByRole('dialog')).toBeNull()
})

//
test('a failed update shows a toast, assigns nothing and keeps the form open', async () => {
  const { person, requests, router } = edit({ 'PUT /users/:id': () => refuse(500, 'internal') })
  await input(/^Username/)
  await save(person)
  expect(await screen.findByText('Failed to update user.')).toBeTruthy()
  expect(callsOf(requests, 'POST /users/:id/assign-instances')).toEqual([])
  expect(router.state.location.pathname).toBe('/users/edit/2')
})

//
test('a failed creation shows a toast and keeps the form open', async () => {
  const { person, router } = add({ 'POST /users': () => refuse(500, 'internal') })
  await fillUser(person)
  await save(person)
  expect(await screen.findByText('Failed to create user.')).toBeTruthy()
  expect(router.state.location.pathname).toBe('/users/new')
  expect((await input(/^Username/)).value).toBe('lan')
})

//
test('a failed assignment shows a toast', async () => {
  const { person } = edit({ 'POST /users/:id/assign-instances': () => refuse(500, 'internal') })
  await input(/^Username/)
  await save(person)
  expect(await screen.findByText('Failed to assign instances.')).toBeTruthy()
})

//
test('a user that can’t be loaded leads back to the list', async () => {
  const { router } = edit({ 'GET /users/:id': () => refuse(404, 'not_found') })
  expect(await screen.findByText('Failed to load user.')).toBeTruthy()
  await waitFor(() => expect(router.state.location.pathname).toBe('/users'))
})

//
test('instances that can’t be loaded cause a toast', async () => {
  add({ 'GET /instances': () => refuse(500, 'internal') })
  expect(await screen.findByText('Failed to load instances for assignment.')).toBeTruthy()
})

//
test('all pages of instances to assign are loaded', async () => {
  const { requests } = add({
    'GET /instances': ({ query }) => pageOf([], 250, { page: Number(query.page), pageSize: 100 }),
  })
  await waitFor(() =>
    expect(requests.map(({ query }) => [query.page, query.pageSize])).toEqual([
      ['1', '100'],
      ['2', '100'],
      ['3', '100'],
    ]),
  )
})

// An Admin has changed the email while this form was open.
const changed: User = { ...lan, email: 'new@example.com', canCreateJobs: false, version: 5 }

/** Fills in another username and saves, after somebody else has saved the user. */
async function saveStale() {
  let isRead = false
  const app = edit({
    'GET /users/:id': () => {
      const user = isRead ? changed : lan
      isRead = true
      return user
    },
    'PUT /users/:id': ({ body }) =>
      (body as { version: number }).version === 5
        ? { ...changed, username: 'lan2', version: 6 }
        : refuse(409, 'stale_version'),
  })
  await app.person.type(await input(/^Username/), '2')
  await save(app.person)
  const dialog = within(
    await screen.findByRole('dialog', { name: 'Somebody else has changed this meanwhile' }),
  )
  const choose = (name: string) => app.person.click(dialog.getByRole('button', { name }))
  const rows = dialog.getAllByRole('row').map((row) => [...row.children].map((cell) => cell.textContent))
  return { ...app, choose, rows }
}

test('a save that would undo another Admin’s changes shows what differs', async () => {
  const { rows, choose } = await saveStale()
  expect(rows).toEqual([
    ['Field', 'Mine', 'Theirs'],
    ['Username', 'lan2', 'lan'],
    ['Email', 'lan@example.com', 'new@example.com'],
    ['Can create jobs', 'Yes', 'No'],
  ])
  expect(currentToasts()).toEqual([])
  await choose('Cancel')
})

test('what was typed is back after leaving the page while the dialog was open', async () => {
  const { router } = await saveStale()
  await router.navigate({ to: '/users' })
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  await router.navigate({ to: '/users/edit/$id', params: { id: '2' } })
  expect((await input(/^Username/)).value).toBe('lan2')
})

test('“Overwrite with mine” saves again with the new version', async () => {
  const { requests, choose, router } = await saveStale()
  await choose('Overwrite with mine')
  await waitFor(() => expect(router.state.location.pathname).toBe('/users'))
  expect(callsOf(requests, 'PUT /users/:id')[1]?.body).toMatchObject({
    username: 'lan2',
    email: 'lan@example.com',
    canCreateJobs: true,
    version: 5,
  })
  expect(callsOf(requests, 'POST /users/:id/assign-instances')[0]?.body).toMatchObject({ version: 6 })
})

test('“Load theirs” shows the other Admin’s values, and saves nothing', async () => {
  const { requests, choose, router, person } = await saveStale()
  await choose('Load theirs')
  await waitFor(async () => expect((await input(/^Email/)).value).toBe('new@example.com'))
  expect((await input(/^Username/)).value).toBe('lan')
  expect(checkbox('Can create jobs').checked).toBe(false)
  expect(router.state.location.pathname).toBe('/users/edit/2')
  expect(callsOf(requests, 'PUT /users/:id')).toHaveLength(1)
  await save(person)
  await waitFor(() => expect(callsOf(requests, 'PUT /users/:id')[1]?.body).toMatchObject({ version: 5 }))
})

test('cancelling keeps what was typed, and the next save asks again', async () => {
  const { requests, choose, person } = await saveStale()
  await choose('Cancel')
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  expect((await input(/^Username/)).value).toBe('lan2')
  expect(callsOf(requests, 'PUT /users/:id')).toHaveLength(1)
  await save(person)
  expect(await screen.findByRole('dialog', { name: /Somebody else has changed this/ })).toBeTruthy()
})

test('a save after a failed assignment does not meet its own update as a conflict', async () => {
  let fails = true
  const { requests, person, router } = edit({
    'POST /users/:id/assign-instances': () => {
      const answer = fails ? refuse(500, 'internal') : assigned
      fails = false
      return answer
    },
  })
  await input(/^Username/)
  await save(person)
  await screen.findByText('Failed to assign instances.')
  await save(person)
  await waitFor(() => expect(router.state.location.pathname).toBe('/users'))
  expect(callsOf(requests, 'PUT /users/:id').map(({ body }) => body)).toMatchObject([
    { version: 1 },
    { version: 2 },
  ])
})
