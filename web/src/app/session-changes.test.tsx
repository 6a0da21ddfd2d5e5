import { screen, waitFor } from '@testing-library/react'
import { afterEach, expect, test } from 'vitest'
import { admin, member, renderApp } from '../../test/render.tsx'
import { type Answers, pageOf } from '../../test/server.ts'
import { currentToasts, removeToast } from '../ui/toasts.ts'

const answers: Answers = {
  'GET /users': () => pageOf([admin]),
  'GET /instances': () => pageOf([]),
  'GET /auth/options': () => ({ selfRegistration: false }),
}

afterEach(() => {
  for (const { id } of currentToasts()) removeToast(id)
})

/** Another tab has done this to what the browser stores. */
function elsewhere(change: () => void) {
  change()
  window.dispatchEvent(new StorageEvent('storage', { key: 'token' }))
  window.dispatchEvent(new StorageEvent('storage', { key: 'user' }))
}

/** A connection that tells of nothing. */
const silence = () => new Response(new ReadableStream({ start: (to) => to.enqueue(new Uint8Array([58])) }))

test('signing out in one tab ends the other, which signs in again by the other as well', async () => {
  const { router } = renderApp({ path: '/instances?page=2', answers })
  await screen.findByRole('table')
  elsewhere(() => {
    localStorage.removeItem('token')
    localStorage.removeItem('user')
  })
  await screen.findByRole('button', { name: 'Sign in' })
  expect(router.state.location.search).toEqual({ returnUrl: '/instances?page=2' })
  expect(currentToasts()).toEqual([])

  elsewhere(() => {
    localStorage.setItem('token', 'new')
    localStorage.setItem('user', JSON.stringify(admin))
  })
  await screen.findByRole('table')
  expect(router.state.location.href).toBe('/instances?page=2')
})

test('who is no Admin any more loses the pages for Admins at once', async () => {
  const { router } = renderApp({
    path: '/users',
    answers: { ...answers, 'GET /events': silence, 'GET /auth/me': () => ({ ...admin, role: 'Member' }) },
  })
  expect(await screen.findByText('Access Denied')).toBeTruthy()
  await waitFor(() => expect(router.state.location.pathname).toBe('/dashboard'))
  expect(screen.queryByRole('link', { name: 'Users' })).toBeNull()
  expect(JSON.parse(localStorage.getItem('user') ?? '')).toMatchObject({ role: 'Member' })
})

test('who has become an Admin sees the link to the users at once', async () => {
  renderApp({
    path: '/instances',
    user: member,
    answers: { ...answers, 'GET /events': silence, 'GET /auth/me': () => ({ ...member, role: 'Admin' }) },
  })
  expect(await screen.findByRole('link', { name: 'Users' })).toBeTruthy()
})
