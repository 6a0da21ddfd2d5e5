import { screen, waitFor, within } from '@testing-library/react'
import { afterEach, expect, test } from 'vitest'
import { admin, member, renderApp } from '../../test/render.tsx'
import { type Answers, pageOf, refuse } from '../../test/server.ts'
import { cancelPasswordQuestion } from '../api/confirmation.ts'
import { currentToasts, removeToast } from '../ui/toasts.ts'
import '../features/users/user-form-page.tsx'
import '../features/session/confirm-password-modal.tsx'

afterEach(() => {
  cancelPasswordQuestion()
  for (const { id } of currentToasts()) removeToast(id)
})

/** Edits a user on a server that wants the password first. The password is `secret`. */
function editUser(more: Answers = {}) {
  let isConfirmed = false
  const guarded = <T,>(answer: T) => (isConfirmed ? answer : refuse(403, 'confirm_password'))
  return renderApp({
    path: '/users/edit/2',
    answers: {
      'GET /users': () => pageOf([admin, member]),
      'GET /instances': () => pageOf([]),
      'GET /users/:id': () => member,
      'PUT /users/:id': () => guarded(member),
      'POST /users/:id/assign-instances': () => guarded(member),
      'POST /auth/confirm': ({ body }) => {
        isConfirmed = (body as { password: string }).password === 'secret'
        return isConfirmed
          ? { token: 'next-token' }
          : refuse(400, 'invalid_input', { fields: { password: 'LOGIN.PASSWORD_WRONG' } })
      },
      ...more,
    },
  })
}
type App = ReturnType<typeof editUser>

async function changeRole(person: App['person']) {
  await person.selectOptions(await screen.findByLabelText(/^Role/), 'Admin')
  await person.click(screen.getByRole('button', { name: 'Save' }))
  return screen.findByRole('dialog', { name: 'Confirm with your password' })
}

async function enter(person: App['person'], password: string) {
  const field = screen.getByLabelText(/^Your current password/)
  await person.clear(field)
  await person.type(field, `${password}{Enter}`)
}

const callsOf = ({ requests }: App, name: string) => requests.filter((request) => request.name === name)

//
test('after the password the call is made again, and the form is done', async () => {
  const app = editUser()
  await changeRole(app.person)

  await enter(app.person, 'secret')

  expect(await screen.findByText('User updated successfully!')).toBeTruthy()
  expect(callsOf(app, 'PUT /users/:id')).toHaveLength(2)
  expect(callsOf(app, 'PUT /users/:id')[1]?.body).toMatchObject({ role: 'Admin' })
  expect(callsOf(app, 'POST /auth/confirm')).toHaveLength(1)
  await waitFor(() => expect(app.router.state.location.pathname).toBe('/users'))
  expect(screen.queryByRole('dialog')).toBeNull()
})

// R-1904
test('the session gets a new token, which the next calls and other tabs use', async () => {
  const app = editUser()
  await changeRole(app.person)
  await enter(app.person, 'secret')
  await screen.findByText('User updated successfully!')

  const tokens = callsOf(app, 'PUT /users/:id').map(({ headers }) => headers.get('authorization'))
  expect(tokens).toEqual(['Bearer a-token', 'Bearer next-token'])
  expect(localStorage.getItem('token')).toBe('next-token')
})

// R-1904, R-1950
test.each([
  ['replaces that of another tab of the user', { token: 'lost' }, 'next-token'],
  ['does not replace that of another user', { token: 'of-lan', user: '{"id":2,"role":"Member"}' }, 'of-lan'],
  ['is not stored after a sign-out', { token: '', user: 'null' }, ''],
])('a late new token %s', async (_, stored, token) => {
  const { promise, resolve } = Promise.withResolvers<{ token: string }>()
  const app = editUser({ 'POST /auth/confirm': () => promise })
  await changeRole(app.person)
  await enter(app.person, 'secret')
  await waitFor(() => expect(callsOf(app, 'POST /auth/confirm')).toHaveLength(1))
  Object.assign(localStorage, stored)
  resolve({ token: 'next-token' })
  await promise
  await new Promise((done) => setTimeout(done))
  expect(localStorage.getItem('token')).toBe(token)
})

// R-1904
test('another tab keeps what is typed when the token changes', async () => {
  const { person, router } = editUser()
  const email = await screen.findByLabelText<HTMLInputElement>(/^Email/)
  await person.type(email, 'x')
  const typed = email.value
  localStorage.setItem('token', 'next-token')
  window.dispatchEvent(new StorageEvent('storage', { key: 'token' }))
  expect(email.value).toBe(typed)
  expect(router.state.location.pathname).toBe('/users/edit/2')
})

// R-1910
test('a new password of one’s own needs the present one, also right after the sign-in', async () => {
  const app = renderApp({
    path: '/users/new',
    user: member,
    answers: {
      'POST /auth/confirm': () => ({ token: 'next-token' }),
      'PUT /users/:id': () => member,
    },
  })
  await app.person.click(await screen.findByText('Change password'))
  await app.person.type(await screen.findByLabelText(/^New password/), 'secret-2')
  await app.person.type(screen.getByLabelText(/^Confirm password/), 'secret-2{Enter}')
  await screen.findByRole('dialog', { name: 'Confirm with your password' })
  expect(callsOf(app, 'PUT /users/:id')).toHaveLength(0)

  await enter(app.person, 'secret-1')

  expect(await screen.findByText('Your password updated successfully!')).toBeTruthy()
  expect(app.requests.map(({ name }) => name)).toEqual(['POST /auth/confirm', 'PUT /users/:id'])
})

test('a wrong password is said at its field, and can be corrected', async () => {
  const app = editUser()
  const dialog = await changeRole(app.person)

  await enter(app.person, 'wrong')
  expect(await within(dialog).findByText('This is not your password.')).toBeTruthy()
  expect(currentToasts()).toEqual([])
  await enter(app.person, 'secret')

  expect(await screen.findByText('User updated successfully!')).toBeTruthy()
})

test('too many wrong passwords say how long to wait', async () => {
  const { person } = editUser({
    'POST /auth/confirm': () => refuse(429, 'too_many_requests', { params: { seconds: 16 } }),
  })
  await changeRole(person)
  await enter(person, 'wrong')
  expect(await screen.findByText('Too many attempts. Try again in 16 seconds.')).toBeTruthy()
  await person.keyboard('{Escape}')
})

test.each(['Cancel', 'Escape'])('%s leaves the form as it was, without a toast', async (way) => {
  const app = editUser()
  const dialog = await changeRole(app.person)

  if (way === 'Escape') await app.person.keyboard('{Escape}')
  else await app.person.click(within(dialog).getByRole('button', { name: way }))

  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  expect(screen.getByLabelText<HTMLSelectElement>(/^Role/).value).toBe('Admin')
  expect(screen.getByRole<HTMLButtonElement>('button', { name: 'Save' }).disabled).toBe(false)
  expect(currentToasts()).toEqual([])
  expect(callsOf(app, 'PUT /users/:id')).toHaveLength(1)
  expect(app.router.state.location.pathname).toBe('/users/edit/2')
})

test('a session that ends meanwhile leads to the login', async () => {
  const { person, router } = editUser({ 'POST /auth/confirm': () => refuse(401, 'unauthenticated') })
  await changeRole(person)

  await enter(person, 'secret')

  await waitFor(() => expect(router.state.location.pathname).toBe('/login'))
  expect(router.state.location.search).toEqual({ returnUrl: '/users/edit/2' })
  expect(screen.queryByRole('dialog')).toBeNull()
  expect(currentToasts().map(({ msg }) => msg)).toEqual(['Unauthorized. Please log in.'])
})

test('Escape closes only the upper of two dialogs', async () => {
  const { person } = renderApp({
    path: '/users/new',
    user: member,
    answers: { 'PUT /users/:id': () => refuse(403, 'confirm_password') },
  })
  await person.click(await screen.findByText('Change password'))
  await person.type(await screen.findByLabelText(/^New password/), 'secret-2')
  await person.type(screen.getByLabelText(/^Confirm password/), 'secret-2{Enter}')
  await screen.findByRole('dialog', { name: 'Confirm with your password' })

  await person.keyboard('{Escape}')

  await waitFor(() => expect(screen.getAllByRole('dialog')).toHaveLength(1))
  expect(screen.getByLabelText<HTMLInputElement>(/^New password/).value).toBe('secret-2')
})
