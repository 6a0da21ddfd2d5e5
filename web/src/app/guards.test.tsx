import { screen, waitFor, within } from '@testing-library/react'
import { expect, test } from 'vitest'
import { instance } from '../../test/instance.ts'
import { job } from '../../test/job.ts'
import { message } from '../../test/message.ts'
import { admin, member, renderApp } from '../../test/render.tsx'
import { type Answers, pageOf, refuse } from '../../test/server.ts'
import { currentToasts } from '../ui/toasts.ts'

const answers: Answers = {
  'GET /groups/stats': () => refuse(503, 'unavailable'),
  'GET /messages': () => pageOf([]),
  'GET /messages/:id': () => ({ ...message, id: 3 }),
  'GET /jobs': () => pageOf([]),
  'GET /jobs/:id': () => job,
  'GET /instances': () => pageOf([instance]),
  'GET /users': () => pageOf([]),
  'GET /audit': () => pageOf([]),
  'POST /groups/search': () => pageOf([]),
}

test.each([
  //
  ['/dashboard', 'Dashboard'],
  //
  ['/groups', 'Groups'],
  //
  ['/instances', 'Accounts'],
  //
  ['/messages', 'Messages'],
  //
  ['/messages/new', 'Add message'],
  //
  ['/messages/edit/3', 'Edit message'],
  //
  ['/jobs', 'Jobs'],
  //
  ['/jobs/new', 'Add job'],
  //
  ['/jobs/3', 'Job #3'],
])('a Member can open %s, the page %s', async (path, heading) => {
  const { router } = renderApp({ path, user: member, answers })
  expect(await screen.findByRole('heading', { level: 1, name: heading })).toBeTruthy()
  expect(router.state.location.pathname).toBe(path)
})

const addresses = [
  '/',
  '/dashboard',
  '/messages?search=tea',
  '/messages/new',
  '/messages/edit/3',
  '/jobs',
  '/jobs/new',
  '/jobs/3',
  '/groups',
  '/instances',
  '/instances/new',
  '/instances/edit/3',
  '/audit?action=job.delete',
  '/settings/system',
  '/users?page=2',
  '/users/new',
  '/users/edit/3',
]
test.each(addresses)(
  //
  'a visitor of %s is redirected to the login with the address as return URL',
  async (path) => {
    const { router } = renderApp({ path, user: null, answers })
    expect(await screen.findByRole('button', { name: 'Sign in' })).toBeTruthy()
    expect(router.state.location.pathname).toBe('/login')
    expect(router.state.location.search).toEqual({ returnUrl: path === '/' ? '/dashboard' : path })
    expect(currentToasts()).toEqual([])
  },
)

test.each([
  //
  ['/instances/new'],
  //
  ['/instances/edit/1'],
  //
  ['/users'],
  //
  ['/users/new'],
  //
  ['/users/edit/1'],
  ['/settings'],
  ['/settings/audit'],
  ['/settings/fields'],
  ['/settings/retention'],
  ['/settings/personal-data'],
  ['/settings/limits'],
  ['/settings/system'],
  ['/settings/webhooks'],
  ['/settings/webhooks/new'],
  ['/settings/webhooks/edit/1'],
  ['/settings/webhooks/1'],
  //
])('a Member may not open %s', async (path) => {
  const { router } = renderApp({ path, user: member, answers })
  const toast = await screen.findByRole('alert')
  expect(within(toast).getByText('Access Denied')).toBeTruthy()
  const words = 'You do not have administrative privileges to access this page.'
  expect(within(toast).getByText(words)).toBeTruthy()
  expect(within(toast).getByRole('button', { name: 'Close' })).toBeTruthy()
  expect(toast.dataset.theme).toBe('bootstrap')
  expect(currentToasts()[0]).toMatchObject({ type: 'error', timeout: 5000, showClose: true })
  await waitFor(() => expect(router.state.location.pathname).toBe('/dashboard'))
})

test.each([
  //
  ['/instances/new', 'Add account'],
  //
  ['/users', 'Users'],
  //
  ['/users/new', 'Add user'],
])('an Admin can open %s, the page %s', async (path, heading) => {
  renderApp({ path, user: admin, answers })
  expect(await screen.findByRole('heading', { level: 1, name: heading })).toBeTruthy()
})

test.each([
  //
  ['/'],
  //
  ['/nowhere'],
  //
  ['/jobs/1/nowhere'],
])('%s redirects to the dashboard', async (path) => {
  const { router } = renderApp({ path, answers })
  await waitFor(() => expect(router.state.location.pathname).toBe('/dashboard'))
})

test.each([
  ['/audit?action=job.delete&from=2026-01-02', '/settings/audit?action=job.delete&from=2026-01-02'],
  ['/retention', '/settings/retention'],
  ['/limits', '/settings/limits'],
  ['/system', '/settings/system'],
  ['/webhooks/new', '/settings/webhooks/new'],
  //
])('the former address %s leads to %s', async (path, address) => {
  const { router } = renderApp({ path, answers })
  await waitFor(() => expect(router.state.location.href).toBe(address))
})

//
test('an expired session shows one toast and redirects to the login with a return URL', async () => {
  const { router } = renderApp({
    path: '/instances?page=3',
    answers: { 'GET /instances': () => refuse(401, 'unauthenticated') },
  })
  expect(await screen.findAllByText('Unauthorized. Please log in.')).toHaveLength(1)
  await waitFor(() => expect(router.state.location.pathname).toBe('/login'))
  expect(router.state.location.search).toEqual({ returnUrl: '/instances?page=3' })
  expect(localStorage.getItem('token')).toBeNull()
  expect(localStorage.getItem('user')).toBeNull()
})

test.each([
  ['/jobs/3', 'GET /jobs/:id'],
  ['/messages/edit/3', 'GET /messages/:id'],
  ['/instances/edit/3', 'GET /instances/:id'],
  ['/users/edit/3', 'GET /users/:id'],
] as const)('a session that ends while %s loads keeps it as the return URL', async (path, call) => {
  const { router } = renderApp({ path, answers: { [call]: () => refuse(401, 'unauthenticated') } })
  await waitFor(() => expect(router.state.location.pathname).toBe('/login'))
  await screen.findByRole('button', { name: 'Sign in' })
  expect(router.state.location.search).toEqual({ returnUrl: path })
})
