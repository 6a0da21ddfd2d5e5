import type { User } from '@sendroom/contract/users'
import { screen, waitFor, within } from '@testing-library/react'
import { expect, test } from 'vitest'
import { admin, member, renderApp } from '../../../test/render.tsx'
import { type Answers, pageOf, refuse } from '../../../test/server.ts'

const lan: User = {
  ...member,
  isActive: false,
  createdAt: '2026-01-02T20:04:05.000Z',
  assignedInstances: [
    { id: 7, name: 'Shop' },
    { id: 8, name: 'Depot' },
  ],
}
const list: Answers = { 'GET /users': () => pageOf([admin, lan]) }

const open = (more: Answers = {}, path = '/users') => renderApp({ path, answers: { ...list, ...more } })
const rowOf = async (name: RegExp) => within(await screen.findByRole('row', { name }))

//
test('a row shows name, email, instances, role, status and the time in Vietnam', async () => {
  open()
  const row = await screen.findByRole('row', { name: /lan@example/ })
  const cells = within(row).getAllByRole('cell')
  expect(cells.slice(0, -1).map((cell) => cell.textContent)).toEqual([
    '2',
    'lan',
    'lan@example.com',
    'ShopDepot',
    'Member',
    'Locked',
    '1/3/26, 3:04 AM',
  ])
  for (const name of ['Shop', 'Depot', 'Locked'])
    expect(within(row).getByText(name).closest('.mantine-Badge-root')).toBeTruthy()
  expect((await rowOf(/minh@example/)).getByText('Active').closest('.mantine-Badge-root')).toBeTruthy()
  expect(screen.getAllByRole('columnheader').map((header) => header.textContent)).toEqual([
    'Id',
    'Username',
    'Email',
    'Assigned accounts',
    'Role',
    'Status',
    'Created at',
    'Actions',
  ])
})

//
test('a registration that nobody has activated is locked and waits', async () => {
  open({ 'GET /users': () => pageOf([lan, { ...lan, id: 3, email: 'new@example.com', isWaiting: true }]) })
  const row = await rowOf(/new@example/)
  expect(row.getByText('Locked')).toBeTruthy()
  expect(row.getByText('Waiting for activation').closest('.mantine-Badge-root')).toBeTruthy()
  expect((await rowOf(/lan@example/)).queryByText('Waiting for activation')).toBeNull()
})

test.each([
  ['Enter', '{Enter}'],
  ['the button', ''],
  //
])('the search starts with %s', async (_, key) => {
  const { requests, person, router } = open()
  expect(await screen.findByRole('heading', { level: 1, name: 'Users' })).toBeTruthy()
  expect(screen.getByRole('link', { name: 'Add user' }).getAttribute('href')).toBe('/users/new')
  await person.type(screen.getByLabelText('Search'), `lan${key}`)
  if (key === '') await person.click(screen.getByRole('button', { name: 'Search' }))
  await waitFor(() => expect(router.state.location.href).toBe('/users?search=lan'))
  await waitFor(() => expect(requests.at(-1)?.query).toMatchObject({ page: '1', search: 'lan' }))
})

//
test('by default the first ten users are read, without a sort field, descending', async () => {
  const { requests } = open()
  await rowOf(/lan@example/)
  expect(requests[0]?.query).toEqual({ page: '1', pageSize: '10', sortDirection: 'desc' })
})

//
test('the chosen page and order are read', async () => {
  const answer = () => pageOf([lan], 30, { page: 1, pageSize: 10 })
  const { requests, person } = open({ 'GET /users': answer })
  await rowOf(/lan@example/)
  await person.click(screen.getByRole('button', { name: 'Username' }))
  await waitFor(() =>
    expect(requests.at(-1)?.query).toMatchObject({ sortBy: 'username', sortDirection: 'asc', page: '1' }),
  )
  await person.click(screen.getByRole('button', { name: 'Page 3' }))
  await waitFor(() => expect(requests.at(-1)?.query).toMatchObject({ sortBy: 'username', page: '3' }))
})

//
test('an empty list says that there is no data', async () => {
  open({ 'GET /users': () => pageOf([]) })
  expect((await screen.findByRole('row', { name: /No data/ })).textContent).toContain('No data')
})

test('a search without results offers to show all', async () => {
  const { router, person } = open(
    { 'GET /users': ({ query }) => pageOf(query.search === undefined ? [lan] : []) },
    '/users?search=nobody',
  )
  await screen.findByText('No data found')
  await person.click(screen.getByRole('button', { name: 'Show all' }))
  expect(await rowOf(/lan@example/)).toBeTruthy()
  expect(router.state.location.href).toBe('/users')
})

//
test('a list that could not be loaded can be loaded again', async () => {
  let isUp = false
  const { person } = open({ 'GET /users': () => (isUp ? pageOf([lan]) : refuse(500, 'internal')) })
  expect(await screen.findByText('Loading failed.')).toBeTruthy()
  expect(screen.queryByRole('table')).toBeNull()
  isUp = true
  await person.click(screen.getByRole('button', { name: 'Try again' }))
  expect(await rowOf(/lan@example/)).toBeTruthy()
})

//
test('edit opens the user’s form', async () => {
  const { router, person } = open({ 'GET /users/:id': () => lan, 'GET /instances': () => pageOf([]) })
  await person.click((await rowOf(/lan@example/)).getByRole('button', { name: 'Edit' }))
  await waitFor(() => expect(router.state.location.pathname).toBe('/users/edit/2'))
})

//
test('deleting asks first and shows a toast', async () => {
  const { requests, person } = open({ 'DELETE /users/:id': () => undefined })
  await person.click((await rowOf(/lan@example/)).getByRole('button', { name: 'Delete' }))
  const dialog = within(await screen.findByRole('dialog', { name: 'Delete user' }))
  expect(dialog.getByText(/“lan”.*This action cannot be undone/)).toBeTruthy()
  expect(requests.some(({ name }) => name.startsWith('DELETE'))).toBe(false)
  await person.click(dialog.getByRole('button', { name: 'Delete' }))
  expect(await screen.findByText('User deleted successfully!')).toBeTruthy()
  expect(requests.find(({ name }) => name.startsWith('DELETE'))?.params).toEqual({ id: '2' })
})

//
test('cancelling deletes nothing', async () => {
  const { requests, person } = open({ 'DELETE /users/:id': () => undefined })
  await person.click((await rowOf(/lan@example/)).getByRole('button', { name: 'Delete' }))
  await person.click(await screen.findByRole('button', { name: 'Cancel' }))
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  expect(requests.some(({ name }) => name.startsWith('DELETE'))).toBe(false)
})

test('deleting oneself is refused with its own message', async () => {
  const { person } = open({ 'DELETE /users/:id': () => refuse(409, 'own_user') })
  await person.click((await rowOf(/minh@example/)).getByRole('button', { name: 'Delete' }))
  await person.click(
    within(await screen.findByRole('dialog', { name: 'Delete user' })).getByRole('button', {
      name: 'Delete',
    }),
  )
  expect(await screen.findByText('You can’t delete yourself.')).toBeTruthy()
})

test('a page that became empty is replaced by the last page', async () => {
  let total = 11
  const answer: Answers['GET /users'] = ({ query }) => {
    const page = Number(query.page)
    return pageOf(total === 11 || page === 1 ? [lan] : [], total, { page, pageSize: 10 })
  }
  const { router, person } = open(
    {
      'GET /users': answer,
      'DELETE /users/:id': () => {
        total = 10
      },
    },
    '/users?page=2',
  )
  await person.click((await rowOf(/lan@example/)).getByRole('button', { name: 'Delete' }))
  await person.click(
    within(await screen.findByRole('dialog', { name: 'Delete user' })).getByRole('button', {
      name: 'Delete',
    }),
  )
  await waitFor(() => expect(router.state.location.href).toBe('/users'))
  expect(await rowOf(/lan@example/)).toBeTruthy()
})
