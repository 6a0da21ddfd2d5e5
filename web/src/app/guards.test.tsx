import { screen, waitFor } from '@testing-library/react'
import { expect, test, vi } from 'vitest'
import { member, renderApp } from '../../test/render.tsx'
import { pageOf, refuse } from '../../test/server.ts'

const answers = { 'GET /groups/stats': () => refuse(500, 'internal') }

test.each(['/users', '/users/new', '/users/edit/1', '/instances/new', '/instances/edit/1'])(
  'a Member is turned away from %s',
  async (path) => {
    const { router } = renderApp({ path, user: member, answers })
    expect(
      (await screen.findAllByText('You do not have administrative privileges to access this page.')).length,
    ).toBeGreaterThan(0)
    await waitFor(() => expect(router.state.location.pathname).toBe('/dashboard'))
  },
)

test.each(['/', '/nowhere', '/jobs/1/nowhere'])('%s leads to the dashboard', async (path) => {
  const { router } = renderApp({ path, answers })
  await waitFor(() => expect(router.state.location.pathname).toBe('/dashboard'))
})

test('only Admins see the link to the users', async () => {
  renderApp({ path: '/dashboard', user: member, answers })
  expect(await screen.findByRole('link', { name: 'Accounts' })).toBeTruthy()
  expect(screen.queryByRole('link', { name: 'Users' })).toBeNull()
})

test('when the server has ended the session, one toast says so and the login remembers the page', async () => {
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
] as const)('a session that ends while %s loads leads back there after the login', async (path, call) => {
  const { router } = renderApp({ path, answers: { [call]: () => refuse(401, 'unauthenticated') } })
  await waitFor(() => expect(router.state.location.pathname).toBe('/login'))
  await screen.findByRole('button', { name: 'Sign in' })
  expect(router.state.location.search).toEqual({ returnUrl: path })
})

test('logging out forgets the session here and on the server', async () => {
  const { router, person, seen } = renderApp({
    path: '/instances',
    answers: { 'GET /instances': () => pageOf([]), 'POST /auth/logout': () => undefined },
  })
  await person.click(await screen.findByText('Logout'))
  await waitFor(() => expect(router.state.location.href).toBe('/login'))
  expect(localStorage.getItem('token')).toBeNull()
  const logout = seen.find(({ name }) => name === 'POST /auth/logout')
  expect(logout?.headers.get('authorization')).toBe('Bearer a-token')
})

test('the forgery cookie goes with what changes something', async () => {
  // biome-ignore lint/suspicious/noDocumentCookie: the server sets it so, and happy-dom has no cookieStore
  document.cookie = 'XSRF-TOKEN=abc%3D'
  const { person, seen } = renderApp({
    path: '/instances',
    answers: { 'GET /instances': () => pageOf([]), 'POST /auth/logout': () => undefined },
  })
  await person.click(await screen.findByText('Logout'))
  const headerOf = (name: string) => seen.find((call) => call.name === name)?.headers.get('x-xsrf-token')
  expect(headerOf('POST /auth/logout')).toBe('abc=')
  expect(headerOf('GET /instances')).toBeNull()
})

test('changing the password sends only the password; two that differ are not sent', async () => {
  const alert = vi.fn()
  vi.stubGlobal('alert', alert)
  const { person, seen } = renderApp({
    path: '/instances',
    user: member,
    answers: { 'GET /instances': () => pageOf([]), 'PUT /users/:id': () => refuse(500, 'internal') },
  })
  await person.click(await screen.findByText('Change password'))
  await person.type(await screen.findByLabelText(/^New password/), 'secret1')
  await person.type(screen.getByLabelText(/^Confirm password/), 'secret2')
  const submit = () =>
    person.click(screen.getAllByRole('button', { name: 'Change password' }).at(-1) as HTMLElement)
  await submit()
  expect(alert).toHaveBeenCalledWith('The passwords do not match.')
  await person.clear(screen.getByLabelText(/^Confirm password/))
  await person.type(screen.getByLabelText(/^Confirm password/), 'secret1')
  await submit()
  expect(await screen.findByText('Failed to update user.')).toBeTruthy()
  expect(seen.at(-1)).toMatchObject({ params: { id: '2' }, body: { password: 'secret1' } })
})
