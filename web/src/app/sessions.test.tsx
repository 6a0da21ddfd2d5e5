import { limits } from '@sendroom/contract/limits'
import type { Session } from '@sendroom/contract/sessions'
import { screen, waitFor, within } from '@testing-library/react'
import { expect, test } from 'vitest'
import { admin, member, renderApp } from '../../test/render.tsx'
import { pageOf, refuse } from '../../test/server.ts'
import '../features/session/security-page.tsx'
import '../features/users/user-form-page.tsx'
import '../ui/confirm-dialog.tsx'

const here: Session = {
  id: 7,
  browser: 'Firefox, Windows',
  address: '203.0.113.1',
  createdAt: '2026-11-26T01:00:00.000Z',
  usedAt: '2026-11-26T02:00:00.000Z',
  idleAt: null,
  isCurrent: true,
}
const phone: Session = {
  ...here,
  id: 8,
  browser: 'Chrome, Android',
  address: '203.0.113.2',
  isCurrent: false,
}

const cellsOf = (row: HTMLElement) =>
  within(row)
    .getAllByRole('cell')
    .map((cell) => cell.textContent)

// R-1905, R-1906
test('the user’s sessions are listed, and another one can be ended', async () => {
  const { person, requests } = renderApp({
    path: '/security',
    user: member,
    answers: {
      'GET /users/:id/sessions': () => ({ sessions: [here, phone] }),
      'DELETE /users/:id/sessions/:sessionId': () => undefined as never,
    },
  })
  const [, mine, other] = await screen.findAllByRole('row')
  if (!mine || !other) throw new Error('There are no rows.')
  expect(cellsOf(mine)).toEqual([
    'Firefox, WindowsThis one',
    '203.0.113.1',
    '11/26/26, 9:00 AM',
    '11/26/26, 8:00 AM',
    '',
  ])
  expect(within(mine).queryByRole('button')).toBeNull()

  await person.click(within(other).getByRole('button', { name: 'End session' }))

  expect(await screen.findByText('Session ended.')).toBeTruthy()
  expect(requests.find(({ name }) => name.startsWith('DELETE'))?.params).toEqual({ id: '2', sessionId: '8' })
})

// R-2193
test('a session that has asked without use since its last one says until when', async () => {
  const sessions = [here, { ...phone, idleAt: '2026-11-26T05:00:00.000Z' }]
  renderApp({ path: '/security', user: member, answers: { 'GET /users/:id/sessions': () => ({ sessions }) } })
  const [, mine, other] = await screen.findAllByRole('row')
  if (!mine || !other) throw new Error('There are no rows.')
  expect(cellsOf(mine)[2]).toBe('11/26/26, 9:00 AM')
  expect(cellsOf(other)[2]).toBe('11/26/26, 9:00 AMIn the background until 11/26/26, 12:00 PM')
})

// R-1907, R-1908
test.each([
  ['End all others', '/security', admin.id],
  ['End all', '/users/edit/2', member.id],
])('%s asks first', async (name, path, id) => {
  const sessions = id === admin.id ? [here, phone] : [phone]
  const { person, requests } = renderApp({
    path,
    answers: {
      'GET /users/:id': () => member,
      'GET /instances': () => pageOf([]),
      'GET /users/:id/sessions': () => ({ sessions }),
      'DELETE /users/:id/sessions': () => undefined as never,
    },
  })
  await person.click(await screen.findByRole('button', { name }))
  const question = await screen.findByRole('dialog')
  expect(requests.some((request) => request.name.startsWith('DELETE'))).toBe(false)
  await person.click(within(question).getByRole('button', { name }))
  await waitFor(() =>
    expect(requests.find((request) => request.name.startsWith('DELETE'))?.params).toEqual({ id: String(id) }),
  )
})

// R-1905
test('sessions and a factor that could not be read can be read again', async () => {
  let isDown = true
  const { person } = renderApp({
    path: '/security',
    user: member,
    answers: {
      'GET /users/:id/sessions': () => (isDown ? refuse(500, 'internal') : { sessions: [here] }),
      'GET /auth/factor': () =>
        isDown
          ? refuse(500, 'internal')
          : { hasFactor: false, recoveryCodesLeft: 0, isRequired: false, since: null },
    },
  })
  const retries = () => screen.queryAllByRole('button', { name: 'Try again' })
  await waitFor(() => expect(retries()).toHaveLength(2))
  isDown = false
  for (const retry of retries()) await person.click(retry)
  expect(await screen.findByText('Firefox, Windows')).toBeTruthy()
  expect(await screen.findByRole('button', { name: 'Set up' })).toBeTruthy()
})

// R-1941
test('a list that leaves sessions out says so', async () => {
  const sessions = Array.from({ length: limits.listedSessions }, (_, n) => ({ ...phone, id: n + 9 }))
  renderApp({
    path: '/security',
    user: member,
    answers: { 'GET /users/:id/sessions': () => ({ sessions: [here, ...sessions.slice(1)] }) },
  })
  expect(await screen.findByText('The 200 used last are listed.')).toBeTruthy()
})
