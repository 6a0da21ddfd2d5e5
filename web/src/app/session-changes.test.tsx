import { screen, waitFor } from '@testing-library/react'
import { expect, test } from 'vitest'
import { admin, member, renderApp } from '../../test/render.tsx'
import { type Answers, pageOf } from '../../test/server.ts'
import { currentToasts } from '../ui/toasts.ts'

const answers: Answers = {
  'GET /users': () => pageOf([admin]),
  'GET /instances': () => pageOf([]),
  'GET /auth/options': () => ({ selfRegistration: false, passwordMin: 6 }),
}

/** Makes a change to the stored session as another tab would. */
function inAnotherTab(change: () => void) {
  change()
  window.dispatchEvent(new StorageEvent('storage', { key: 'token' }))
  window.dispatchEvent(new StorageEvent('storage', { key: 'user' }))
}

/** An event stream without changes. */
const emptyStream = () =>
  new Response(new ReadableStream({ start: (to) => to.enqueue(new Uint8Array([58])) }))

test('signing out and in again in one tab does the same in the other', async () => {
  const { router } = renderApp({
    path: '/instances?page=2',
    answers: { ...answers, 'GET /auth/me': () => admin },
  })
  await screen.findByRole('table')
  inAnotherTab(() => {
    localStorage.removeItem('token')
    localStorage.removeItem('user')
  })
  await screen.findByRole('button', { name: 'Sign in' })
  expect(router.state.location.search).toEqual({ returnUrl: '/instances?page=2' })
  expect(currentToasts()).toEqual([])

  inAnotherTab(() => {
    localStorage.setItem('token', 'new')
    localStorage.setItem('user', JSON.stringify({ id: admin.id, role: 'Admin' }))
  })
  await screen.findByRole('table')
  expect(router.state.location.href).toBe('/instances?page=2')
})

test('a user who is no longer an Admin loses the Admin pages at once', async () => {
  const { router } = renderApp({
    path: '/users',
    answers: { ...answers, 'GET /events': emptyStream, 'GET /auth/me': () => ({ ...admin, role: 'Member' }) },
  })
  expect(await screen.findByText('Access Denied')).toBeTruthy()
  await waitFor(() => expect(router.state.location.pathname).toBe('/dashboard'))
  expect(screen.queryByRole('link', { name: 'Users' })).toBeNull()
  expect(JSON.parse(localStorage.getItem('user') ?? '')).toEqual({ id: admin.id, role: 'Member' })
})

test('a user who becomes an Admin sees the link to the users at once', async () => {
  renderApp({
    path: '/instances',
    user: member,
    answers: { ...answers, 'GET /events': emptyStream, 'GET /auth/me': () => ({ ...member, role: 'Admin' }) },
  })
  expect(await screen.findByRole('link', { name: 'Users' })).toBeTruthy()
})
