import { screen, waitFor, within } from '@testing-library/react'
import { expect, test } from 'vitest'
import { admin, member, renderApp } from '../../../test/render.tsx'
import { pageOf, refuse } from '../../../test/server.ts'

const lan = { ...member, isActive: false, assignedInstances: [{ id: 7, name: 'Shop' }] }
const list = { 'GET /users': () => pageOf([admin, lan]) }
const assigned = { assignedInstances: [], canSendMessages: true, canCreateJobs: true }
const noInstances = { 'GET /instances': () => pageOf([]) }

test('a row tells name, email, accounts, role and status', async () => {
  renderApp({ path: '/users', answers: list })
  const cells = within(await screen.findByRole('row', { name: /lan@example/ }))
  for (const text of ['lan', 'Shop', 'Member', 'Locked']) expect(cells.getByText(text)).toBeTruthy()
})

test('deleting asks first; a refusal is told in its own words', async () => {
  const { person } = renderApp({
    path: '/users',
    answers: { ...list, 'DELETE /users/:id': () => refuse(409, 'own_user') },
  })
  const row = await screen.findByRole('row', { name: /minh@example/ })
  await person.click(within(row).getByRole('button', { name: 'Delete' }))
  const dialog = within(await screen.findByRole('dialog', { name: 'Delete user' }))
  expect(dialog.getByText(/cannot be undone/)).toBeTruthy()
  await person.click(dialog.getByRole('button', { name: 'Delete' }))
  expect(await screen.findByText('You can’t delete yourself.')).toBeTruthy()
})

test('a new user without accounts makes no assignment', async () => {
  const { person, seen, router } = renderApp({
    path: '/users/new',
    answers: { ...list, ...noInstances, 'POST /users': () => lan },
  })
  await person.type(await screen.findByLabelText(/^Username/), 'lan')
  await person.type(screen.getByLabelText(/^Email/), 'lan@example.com')
  await person.type(screen.getByLabelText(/^Password/), 'secret')
  await person.click(screen.getByRole('button', { name: 'Save' }))
  expect(await screen.findByText('User created successfully!')).toBeTruthy()
  await waitFor(() => expect(router.state.location.pathname).toBe('/users'))
  expect(seen.find(({ name }) => name === 'POST /users')?.body).toEqual({
    username: 'lan',
    email: 'lan@example.com',
    password: 'secret',
    role: 'Member',
    isActive: true,
    canSendMessages: true,
    canCreateJobs: true,
    assignedInstances: [],
  })
  expect(seen.some(({ name }) => name.includes('assign'))).toBe(false)
})

test('a changed user is always assigned anew, and may keep the password', async () => {
  const { person, seen } = renderApp({
    path: '/users/edit/2',
    answers: {
      ...list,
      ...noInstances,
      'GET /users/:id': () => lan,
      'PUT /users/:id': () => lan,
      'POST /users/:id/assign-instances': () => assigned,
    },
  })
  expect(await screen.findByText('Leave it empty to keep the current password.')).toBeTruthy()
  await person.click(screen.getByRole('checkbox', { name: 'Can create jobs' }))
  await person.click(screen.getByRole('button', { name: 'Save' }))
  expect(await screen.findByText('Instances assigned successfully!')).toBeTruthy()
  expect(seen.find(({ name }) => name.includes('assign'))).toMatchObject({
    params: { id: '2' },
    body: { instanceIds: [7], canSendMessages: true, canCreateJobs: false },
  })
})

test('accounts to assign are loaded to the last page', async () => {
  const { seen } = renderApp({
    path: '/users/new',
    answers: {
      'GET /instances': ({ query }) => pageOf([], 250, { page: Number(query.page), pageSize: 100 }),
    },
  })
  await waitFor(() => expect(seen.map(({ query }) => query.page)).toEqual(['1', '2', '3']))
})
