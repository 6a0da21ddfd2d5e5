import { screen, waitFor } from '@testing-library/react'
import { expect, test } from 'vitest'
import { admin, renderApp } from '../../test/render.tsx'
import { pageOf, refuse } from '../../test/server.ts'
import { fillUser } from '../../test/steps.ts'

test('a notice is shown while the server can’t be reached, and failed reads are repeated afterwards', async () => {
  let isReachable = false
  const ifReachable = <T,>(answer: T) => {
    if (!isReachable) throw new TypeError('Failed to fetch')
    return answer
  }
  renderApp({
    path: '/users',
    answers: {
      'GET /users': () => ifReachable(pageOf([admin])),
      'GET /notices': () => ifReachable({ notices: [] }),
      'GET /possible-opt-outs': () => ifReachable(pageOf([])),
      'GET /events': () => ifReachable(new Response(null)),
    },
  })
  const notice = await screen.findByText(/^No connection to Sendroom/)
  expect(notice.closest('[role=status]')).toBeTruthy()
  isReachable = true
  window.dispatchEvent(new Event('online'))
  await waitFor(() => expect(screen.queryByText(/^No connection/)).toBeNull())
  expect(await screen.findByRole('row', { name: /minh@example/ })).toBeTruthy()
})

test('a write without a network fails at once and keeps the form’s values', async () => {
  const { person } = renderApp({
    path: '/users/new',
    answers: {
      'GET /instances': () => pageOf([]),
      'POST /users': () => {
        throw new TypeError('Failed to fetch')
      },
    },
  })
  await fillUser(person)
  await person.click(screen.getByRole('button', { name: 'Save' }))
  expect(await screen.findByText('Failed to create user.')).toBeTruthy()
  expect(screen.getByLabelText<HTMLInputElement>(/^Username/).value).toBe('lan')
})

test('a notice is shown while the database is unavailable, and reads go on by themselves afterwards', async () => {
  let isAway = true
  const unlessAway = <T,>(answer: T) => (isAway ? refuse(503, 'database_unavailable') : answer)
  renderApp({
    path: '/users',
    answers: {
      'GET /users': () => unlessAway(pageOf([admin])),
      // An answer that comes later would say that all is well.
      'GET /possible-opt-outs': () => unlessAway(pageOf([])),
      'GET /events': () => unlessAway(new Response(null)) as Response,
      ['GET /ready' as never]: () => unlessAway({ status: 'ok' }),
    },
  })
  const notice = await screen.findByText(/^Sendroom is unavailable right now/)
  expect(notice.closest('[role=status]')).toBeTruthy()
  isAway = false
  expect(await screen.findByRole('row', { name: /minh@example/ })).toBeTruthy()
  expect(screen.queryByText(/^Sendroom is unavailable/)).toBeNull()
})

test('a write while the database is unavailable says to try again, and keeps the form’s values', async () => {
  const away = () => refuse(503, 'database_unavailable')
  const { person } = renderApp({
    path: '/users/new',
    answers: { 'GET /instances': () => pageOf([]), 'GET /events': away as never, 'POST /users': away },
  })
  await fillUser(person)
  await person.click(screen.getByRole('button', { name: 'Save' }))
  expect(await screen.findByText(/cannot read or save anything right now\. Try again/)).toBeTruthy()
  expect(screen.getByLabelText<HTMLInputElement>(/^Username/).value).toBe('lan')
})
