import { screen, waitFor } from '@testing-library/react'
import { expect, test, vi } from 'vitest'
import { admin, member, renderApp } from '../../test/render.tsx'
import { type Answers, pageOf, refuse } from '../../test/server.ts'
import { fillUser, signIn } from '../../test/steps.ts'
import { currentUser } from '../api/session.ts'
import { reduceStoredUser } from '../api/stored-session.ts'
import { currentToasts } from '../ui/toasts.ts'

const stored = { id: admin.id, role: 'Admin' }
const storedUser = () => JSON.parse(localStorage.getItem('user') ?? 'null')

/** Starts a tab at the users, in which somebody is signed in. */
function start(answers: Answers = {}, path = '/users') {
  const usual: Answers = { 'GET /users': () => pageOf([admin]), 'GET /instances': () => pageOf([]) }
  return renderApp({ path, stored, answers: { ...usual, 'GET /auth/me': () => admin, ...answers } })
}

/** Changes the storage as another tab would. */
function inAnotherTab(entries: Record<string, string>) {
  Object.assign(localStorage, entries)
  for (const key of Object.keys(entries)) window.dispatchEvent(new StorageEvent('storage', { key }))
}

// R-1948
test('nothing is drawn before the server has said who the user is, once', async () => {
  let answer = () => {}
  const { requests } = start({
    'GET /auth/me': () => new Promise((resolve) => (answer = () => resolve(admin))),
  })
  await waitFor(() => expect(requests.map(({ name }) => name)).toEqual(['GET /auth/me']))
  expect(document.querySelector('h1, a, button, input')).toBeNull()
  expect(currentUser()).toBeNull()
  answer()
  expect(await screen.findByRole('heading', { name: 'Users' })).toBeTruthy()
  expect(await screen.findByRole('button', { name: 'User menu of minh' })).toBeTruthy()
  expect(requests.filter(({ name }) => name === 'GET /auth/me')).toHaveLength(1)
})

// R-1948
test('no right comes from the storage', async () => {
  const { router } = start({ 'GET /auth/me': () => ({ ...member, id: admin.id }) })
  expect(await screen.findByText('Access Denied')).toBeTruthy()
  await waitFor(() => expect(router.state.location.pathname).toBe('/dashboard'))
  expect(screen.queryByRole('link', { name: 'Users' })).toBeNull()
  expect(storedUser()).toEqual({ id: admin.id, role: 'Member' })
})

// R-1948
test('the token says who the user is, not what is stored beside it', async () => {
  start({ 'GET /auth/me': () => member }, '/instances')
  expect(await screen.findByRole('button', { name: 'User menu of lan' })).toBeTruthy()
  expect(storedUser()).toEqual({ id: member.id, role: 'Member' })
})

// R-1949
test('a session that has ended leads to the sign-in with the address, and says so once', async () => {
  const { router } = start({ 'GET /auth/me': () => refuse(401, 'unauthenticated') }, '/users?page=2')
  expect(await screen.findByRole('button', { name: 'Sign in' })).toBeTruthy()
  expect(router.state.location.pathname).toBe('/login')
  expect(router.state.location.search).toEqual({ returnUrl: '/users?page=2' })
  expect(currentToasts().map(({ msg }) => msg)).toEqual(['Unauthorized. Please log in.'])
  expect([localStorage.getItem('token'), localStorage.getItem('user')]).toEqual([null, null])
})

test.each(['a\ntoken', 'thẻ', 'a'.repeat(100_000)])(
  // R-1949
  'a stored token that no server gave leads to the sign-in',
  async (token) => {
    Object.assign(localStorage, { token, user: JSON.stringify(stored) })
    const { requests } = renderApp({ path: '/users', user: null })
    expect(await screen.findByRole('button', { name: 'Sign in' })).toBeTruthy()
    expect(requests).toEqual([])
  },
)

// R-1949
test('a user who could not be read can be read again', async () => {
  let isBroken = true
  const { person, requests, router } = start({
    'GET /auth/me': () => (isBroken ? refuse(500, 'internal') : admin),
  })
  await person.click(await screen.findByRole('button', { name: 'Try again' }))
  await waitFor(() => expect(requests).toHaveLength(2))
  expect((await screen.findByRole('alert')).textContent).toContain('Internal Server Error. Please try again')
  expect(screen.queryByRole('navigation')).toBeNull()
  isBroken = false
  await person.click(screen.getByRole('button', { name: 'Try again' }))
  expect(await screen.findByRole('heading', { name: 'Users' })).toBeTruthy()
  expect(router.state.location.pathname).toBe('/users')
  expect(storedUser()).toEqual(stored)
})

test.each([
  ['can’t be reached', /^No connection to Sendroom/, () => Promise.reject(new TypeError('Failed to fetch'))],
  ['has no database', /^Sendroom is unavailable/, () => refuse(503, 'database_unavailable')],
  // R-1949
])('a tab that starts while the server %s says so, and goes on by itself', async (_, words, away) => {
  let isAway = true
  start({
    'GET /auth/me': () => (isAway ? away() : admin),
    ['GET /ready' as never]: () => (isAway ? refuse(503, 'unavailable') : { status: 'ok' }),
  })
  expect(await screen.findByText(words)).toBeTruthy()
  isAway = false
  expect(await screen.findByRole('heading', { name: 'Users' })).toBeTruthy()
  expect(screen.queryByText(words)).toBeNull()
})

// R-1950
test('after a sign-in nobody asks who the user is', async () => {
  const { requests, person } = renderApp({
    path: '/login?returnUrl=/users',
    user: null,
    answers: {
      'GET /users': () => pageOf([admin]),
      'POST /auth/login': () => ({ token: 'new', user: admin }),
    },
  })
  await signIn(person)
  expect(await screen.findByRole('button', { name: 'User menu of minh' })).toBeTruthy()
  expect(requests.map(({ name }) => name)).not.toContain('GET /auth/me')
  expect(storedUser()).toEqual(stored)
})

// R-1950
test('a sign-in as another user in another tab loads this one anew, without the user before', async () => {
  const reload = vi.spyOn(window.location, 'reload').mockReturnValue()
  start()
  await screen.findByRole('button', { name: 'User menu of minh' })
  inAnotherTab({ token: 'of-lan', user: JSON.stringify({ id: member.id, role: 'Member' }) })
  expect(reload).toHaveBeenCalledOnce()
  expect(currentUser()).toBeNull()
})

// R-1950
test('a page that the back button brings back is not shown to the next user', async () => {
  const reload = vi.spyOn(window.location, 'reload').mockReturnValue()
  start()
  await screen.findByRole('button', { name: 'User menu of minh' })
  window.dispatchEvent(new Event('pageshow'))
  expect(reload).not.toHaveBeenCalled()
  Object.assign(localStorage, { token: 'of-lan', user: JSON.stringify({ id: member.id, role: 'Member' }) })
  window.dispatchEvent(new Event('pageshow'))
  expect(reload).toHaveBeenCalledOnce()
  expect(currentUser()).toBeNull()
})

// R-1950
test.each([
  ['success', member],
  ['failure', refuse(409, 'too_many_api_keys')],
])('the next user of the tab sees no %s of the one before', async (_, answer) => {
  const hoa = { ...admin, id: 3, username: 'hoa' }
  const { promise, resolve } = Promise.withResolvers<typeof answer>()
  const { person, requests } = start(
    {
      'POST /users': () => promise,
      'POST /auth/login': () => ({ token: 'of-hoa', user: hoa }),
      'GET /groups': () => pageOf([]),
    },
    '/users/new',
  )
  await fillUser(person)
  await person.click(screen.getByRole('button', { name: 'Save' }))
  await waitFor(() => expect(requests.map(({ name }) => name)).toContain('POST /users'))
  inAnotherTab({ token: '' })
  await signIn(person)
  await screen.findByRole('button', { name: 'User menu of hoa' })
  resolve(answer)
  await promise
  await person.click(screen.getByRole('link', { name: 'Groups' }))
  await screen.findByRole('heading', { name: 'Groups' })
  expect(currentToasts().map(({ msg }) => msg)).toEqual(['Login successful!'])
})

// R-1950
test('what another tab stores of the same user changes nothing here', async () => {
  const { requests } = start()
  await screen.findByRole('button', { name: 'User menu of minh' })
  inAnotherTab({ token: 'next-token', user: JSON.stringify({ id: admin.id, role: 'Member' }) })
  expect(currentUser()).toEqual(admin)
  expect(requests.filter(({ name }) => name === 'GET /auth/me')).toHaveLength(1)
})

// R-1950
test('an answer about the session before is not taken', async () => {
  const { requests } = start({
    'GET /auth/me': ({ headers }) => {
      if (headers.get('authorization') === 'Bearer of-lan') return member
      Object.assign(localStorage, {
        token: 'of-lan',
        user: JSON.stringify({ id: member.id, role: 'Member' }),
      })
      return admin
    },
  })
  expect(await screen.findByRole('button', { name: 'User menu of lan' })).toBeTruthy()
  expect(requests.filter(({ name }) => name === 'GET /auth/me')).toHaveLength(2)
  expect(storedUser()).toEqual({ id: member.id, role: 'Member' })
})

test.each([
  ['the whole user', JSON.stringify(admin), JSON.stringify(stored)],
  ['id and role', JSON.stringify(stored), JSON.stringify(stored)],
  ['nothing', null, null],
  ['no JSON', '{', '{'],
  // R-1947
])('of a stored user with %s, the start leaves id and role', (_, before, after) => {
  if (before !== null) localStorage.setItem('user', before)
  reduceStoredUser()
  expect(localStorage.getItem('user')).toBe(after)
})

// R-1947
test('the browser stores neither name nor email address nor rights', async () => {
  start()
  await screen.findByRole('button', { name: 'User menu of minh' })
  expect({ ...localStorage }).toEqual({ token: 'a-token', user: JSON.stringify(stored), lang: 'en' })
  expect(sessionStorage).toHaveLength(0)
})
