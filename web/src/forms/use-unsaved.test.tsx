import { screen, waitFor } from '@testing-library/react'
import { act } from 'react'
import { expect, test } from 'vitest'
import { message } from '../../test/message.ts'
import { admin, member, renderApp } from '../../test/render.tsx'
import { pageOf, refuse } from '../../test/server.ts'
import { fillUser, signIn } from '../../test/steps.ts'
import { updateUser } from '../api/session.ts'

const answers = {
  'GET /users': () => pageOf([admin]),
  'GET /instances': () => pageOf([]),
  'GET /auth/options': () => ({ selfRegistration: false, passwordMin: 6 }),
} as const

async function startTyping(more: Parameters<typeof renderApp>[0]['answers'] = {}) {
  const app = renderApp({ path: '/users/new', answers: { ...answers, ...more } })
  await app.person.type(await screen.findByLabelText(/^Username/), 'lan')
  return app
}

test('leaving a form with unsaved values asks first, and staying keeps the values', async () => {
  const { router, person } = await startTyping()
  await person.click(screen.getByRole('link', { name: 'Users' }))
  await screen.findByRole('dialog', { name: 'Leave without saving?' })
  await person.click(screen.getByRole('button', { name: 'Stay' }))
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  expect(router.state.location.pathname).toBe('/users/new')
  expect(screen.getByLabelText<HTMLInputElement>(/^Username/).value).toBe('lan')

  await person.click(screen.getByRole('button', { name: 'Cancel' }))
  await person.click(await screen.findByRole('button', { name: 'Leave' }))
  await waitFor(() => expect(router.state.location.pathname).toBe('/users'))
})

test('a saved form can be left without a question', async () => {
  const { router, person } = await startTyping({ 'POST /users': () => admin })
  await fillUser(person)
  await person.click(screen.getByRole('button', { name: 'Save' }))
  await waitFor(() => expect(router.state.location.pathname).toBe('/users'))
  expect(screen.queryByRole('dialog')).toBeNull()
})

test('a double-click on save sends once', async () => {
  const { requests, person } = await startTyping({ 'POST /users': () => admin })
  await fillUser(person)
  await person.dblClick(screen.getByRole('button', { name: 'Save' }))
  await screen.findByText('User created successfully!')
  expect(requests.filter(({ name }) => name === 'POST /users')).toHaveLength(1)
})

//
test('a form is disabled while it is sent', async () => {
  let send = () => {}
  const { person } = await startTyping({
    'POST /users': () => new Promise((resolve) => (send = () => resolve(refuse(500, 'internal')))),
  })
  await fillUser(person)
  const password = screen.getByLabelText<HTMLInputElement>(/^Password/)
  const isClosed = () => password.closest('fieldset')?.disabled
  await person.click(screen.getByRole('button', { name: 'Save' }))
  await waitFor(() => expect(isClosed()).toBe(true))
  send()
  await waitFor(() => expect(isClosed()).toBe(false))
  expect(password.value).toBe('secret')
})

test.each([
  ['is empty if it was saved', () => admin, ''],
  ['keeps its values if sending failed', () => refuse(500, 'internal'), 'lan'],
  //
] as const)('a form that the user leaves during sending %s', async (_, answer, kept) => {
  let send = () => {}
  const { router, person } = await startTyping({
    'POST /users': () => new Promise((resolve) => (send = () => resolve(answer()))),
    'GET /groups': () => pageOf([]),
  })
  await fillUser(person)
  await person.click(screen.getByRole('button', { name: 'Save' }))
  await person.click(screen.getByRole('link', { name: 'Groups' }))
  await screen.findByRole('heading', { name: 'Groups' })
  send()
  await screen.findByText(kept ? 'Failed to create user.' : 'User created successfully!')
  expect(router.state.location.pathname).toBe('/groups')
  await router.navigate({ to: '/users/new' })
  expect((await screen.findByLabelText<HTMLInputElement>(/^Username/)).value).toBe(kept)
})

test('values are restored after the session ended and the user signed in again', async () => {
  const { router, person } = await startTyping({
    'POST /users': () => refuse(401, 'unauthenticated'),
    'POST /auth/login': () => ({ token: 'new', user: admin }),
  })
  await fillUser(person)
  await person.click(screen.getByRole('button', { name: 'Save' }))
  await waitFor(() => expect(router.state.location.search).toEqual({ returnUrl: '/users/new' }))
  await signIn(person)
  expect(await screen.findByText('Your earlier input is back.')).toBeTruthy()
  expect(screen.getByLabelText<HTMLInputElement>(/^Email/).value).toBe('lan@example.com')
})

//
test('values are also restored if the session ends after the user left the form during sending', async () => {
  let send = () => {}
  const { router, person } = await startTyping({
    'POST /users': () => new Promise((resolve) => (send = () => resolve(refuse(401, 'unauthenticated')))),
    'POST /auth/login': () => ({ token: 'new', user: admin }),
    'GET /groups': () => pageOf([]),
  })
  await fillUser(person)
  await person.click(screen.getByRole('button', { name: 'Save' }))
  await person.click(screen.getByRole('link', { name: 'Groups' }))
  await screen.findByRole('heading', { name: 'Groups' })
  send()
  await waitFor(() => expect(router.state.location.pathname).toBe('/login'))
  await signIn(person)
  await screen.findByRole('heading', { name: 'Groups' })
  await router.navigate({ to: '/users/new' })
  expect((await screen.findByLabelText<HTMLInputElement>(/^Username/)).value).toBe('lan')
})

const signOut = async (person: Awaited<ReturnType<typeof startTyping>>['person']) => {
  await person.click(screen.getByText('Logout'))
  await person.click(await screen.findByRole('button', { name: 'Leave' }))
}

async function typedAfterSignIn({ router, person }: Awaited<ReturnType<typeof startTyping>>) {
  await waitFor(() => expect(router.state.location.pathname).toBe('/login'))
  await signIn(person)
  await waitFor(() => expect(router.state.location.pathname).not.toBe('/login'))
  await router.navigate({ to: '/users/new' })
  return (await screen.findByLabelText<HTMLInputElement>(/^Username/)).value
}

// R-1951
test('signing out asks about unsaved values first, and then forgets them', async () => {
  const app = await startTyping({ 'POST /auth/login': () => ({ token: 'new', user: admin }) })
  await app.person.click(screen.getByText('Logout'))
  await app.person.click(await screen.findByRole('button', { name: 'Stay' }))
  expect(app.router.state.location.pathname).toBe('/users/new')
  expect(screen.getByLabelText<HTMLInputElement>(/^Username/).value).toBe('lan')
  expect(app.requests.map(({ name }) => name)).not.toContain('POST /auth/logout')

  await signOut(app.person)
  expect(await typedAfterSignIn(app)).toBe('')
})

// R-1951
test('what fails to be saved after the sign-out is forgotten, too', async () => {
  let send = () => {}
  const app = await startTyping({
    'POST /users': () => new Promise((resolve) => (send = () => resolve(refuse(401, 'unauthenticated')))),
    'POST /auth/login': () => ({ token: 'new', user: admin }),
  })
  await fillUser(app.person)
  await app.person.click(screen.getByRole('button', { name: 'Save' }))
  await signOut(app.person)
  await screen.findByRole('button', { name: 'Sign in' })
  send()
  expect(await typedAfterSignIn(app)).toBe('')
})

// R-1951
test('the sign-in of another user forgets what was typed when the session ended', async () => {
  const other = { ...member, role: 'Admin' as const }
  const users = [other, admin]
  const app = await startTyping({
    'POST /users': () => refuse(401, 'unauthenticated'),
    'POST /auth/login': () => ({ token: 'new', user: users.shift() ?? admin }),
  })
  await fillUser(app.person)
  await app.person.click(screen.getByRole('button', { name: 'Save' }))
  expect(await typedAfterSignIn(app)).toBe('')
  await app.person.click(screen.getByText('Logout'))
  expect(await typedAfterSignIn(app)).toBe('')
})

// R-2280
test('what was typed is back when a right is withdrawn and given again', async () => {
  const writer = { ...member, canSendMessages: true }
  const { person } = renderApp({ path: '/messages/new', user: writer, answers })
  await person.type(await screen.findByLabelText(/^Text/), 'Half a sentence')
  act(() => updateUser({ ...writer, canSendMessages: false }))
  await screen.findByText(/You can view messages but not write them/)
  act(() => updateUser(writer))
  expect((await screen.findByLabelText<HTMLTextAreaElement>(/^Text/)).value).toBe('Half a sentence')
})

// R-2280
test('what was saved while a right was withdrawn is not back when it is given again', async () => {
  const writer = { ...member, canSendMessages: true }
  const saving = Promise.withResolvers<typeof message>()
  const { person, requests } = renderApp({
    path: '/messages/new',
    user: writer,
    answers: { ...answers, 'POST /messages': () => saving.promise },
  })
  await person.type(await screen.findByLabelText(/^Text/), 'Half a sentence')
  await person.click(screen.getByRole('button', { name: 'Save' }))
  await waitFor(() => expect(requests.some(({ name }) => name === 'POST /messages')).toBe(true))
  act(() => updateUser({ ...writer, canSendMessages: false }))
  await screen.findByText(/You can view messages but not write them/)
  saving.resolve(message)
  await screen.findByText('Message created successfully!')
  act(() => updateUser(writer))
  expect((await screen.findByLabelText<HTMLTextAreaElement>(/^Text/)).value).toBe('')
})
