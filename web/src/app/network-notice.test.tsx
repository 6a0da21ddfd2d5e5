import { screen, waitFor } from '@testing-library/react'
import { afterEach, expect, test } from 'vitest'
import { admin, renderApp } from '../../test/render.tsx'
import { pageOf } from '../../test/server.ts'
import { currentToasts, removeToast } from '../ui/toasts.ts'

afterEach(() => {
  for (const { id } of currentToasts()) removeToast(id)
})

test('without a way to the server a notice says so; back again, the page fills by itself', async () => {
  let isThere = false
  const reach = <T,>(answer: T) => {
    if (!isThere) throw new TypeError('Failed to fetch')
    return answer
  }
  renderApp({
    path: '/users',
    answers: {
      'GET /users': () => reach(pageOf([admin])),
      'GET /events': () => reach(new Response(null)),
    },
  })
  const notice = await screen.findByText(/^No connection to Sendroom/)
  expect(notice.closest('[role=status]')).toBeTruthy()
  isThere = true
  window.dispatchEvent(new Event('online'))
  await waitFor(() => expect(screen.queryByText(/^No connection/)).toBeNull())
  expect(await screen.findByRole('row', { name: /minh@example/ })).toBeTruthy()
})

test('a write without a network fails at once, and what was typed stays', async () => {
  const { person } = renderApp({
    path: '/users/new',
    answers: {
      'GET /instances': () => pageOf([]),
      'POST /users': () => {
        throw new TypeError('Failed to fetch')
      },
    },
  })
  await person.type(await screen.findByLabelText(/^Username/), 'lan')
  await person.type(screen.getByLabelText(/^Email/), 'lan@example.com')
  await person.type(screen.getByLabelText(/^Password/), 'secret')
  await person.click(screen.getByRole('button', { name: 'Save' }))
  expect(await screen.findByText('Failed to create user.')).toBeTruthy()
  expect(screen.getByLabelText<HTMLInputElement>(/^Username/).value).toBe('lan')
})
