import type { Group } from '@sendroom/contract/groups'
import type { Instance } from '@sendroom/contract/instances'
import { screen, within } from '@testing-library/react'
import { afterEach, expect, test, vi } from 'vitest'
import { instance } from '../../../test/instance.ts'
import { renderApp } from '../../../test/render.tsx'
import { type Answers, pageOf } from '../../../test/server.ts'

const group: Group = {
  id: 2,
  name: 'Family',
  participantCount: 12,
  lastSyncAt: '2026-01-02T20:04:05.000Z',
  hasLeft: true,
  instance: { id: 1, name: 'Shop' },
}
const whole: Instance = {
  ...instance,
  lastSyncAt: '2026-01-02T20:04:05.000Z',
  groupPauseSeconds: [20, 30],
  privatePauseSeconds: [60, 90],
  dailyCap: { groups: 0, private: 200 },
  quietHours: null,
  timeZone: 'Asia/Ho_Chi_Minh',
}
const answers: Answers = {
  'GET /groups': () => pageOf([group]),
  'GET /instances': () => pageOf([instance]),
  'POST /instances/:id/sync': () => undefined,
}
const open = (more: Answers = {}) => renderApp({ path: '/groups', answers: { ...answers, ...more } })

/** Answers of `GET /instances/:id` one after another; the last one stays. */
function inTurn(...states: Partial<Instance>[]) {
  let read = 0
  return () => {
    const state = states[Math.min(read, states.length - 1)]
    read += 1
    return { ...whole, ...state }
  }
}

afterEach(() => {
  vi.useRealTimers()
})

test('a row tells its group, that the account has left it, and the time in Vietnam', async () => {
  open()
  const cells = within(await screen.findByRole('row', { name: /Family/ }))
  for (const text of ['12', 'Left', '1/3/26, 3:04 AM', 'Shop']) expect(cells.getByText(text)).toBeTruthy()
  expect(cells.getByRole('button', { name: 'Export the members of Family' })).toBeTruthy()
})

test('an empty list says what to do', async () => {
  open({ 'GET /groups': () => pageOf([]) })
  expect(await screen.findByText('No groups yet. Sync an account to read its groups.')).toBeTruthy()
})

test('a sync is followed to its end, and the list read again', async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true })
  const { person, seen } = open({
    'GET /instances/:id': inTurn({}, {}, { isSyncing: true }, { lastSyncAt: '2026-01-02T21:00:00.000Z' }),
  })
  await person.click(await screen.findByRole('button', { name: 'Sync groups' }))
  expect(await screen.findByText('Syncing groups...')).toBeTruthy()
  const listsBefore = seen.filter(({ name }) => name === 'GET /groups').length
  await vi.advanceTimersByTimeAsync(1600)
  expect(screen.getByText('Syncing groups...')).toBeTruthy()
  await vi.advanceTimersByTimeAsync(1600)
  expect(await screen.findByText('The groups of Shop are up to date.')).toBeTruthy()
  expect(seen.filter(({ name }) => name === 'GET /groups').length).toBe(listsBefore + 1)
})

test('a sync that failed says why, and when the groups were last whole', async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true })
  const { person } = open({
    'GET /instances/:id': inTurn(
      {},
      { isSyncing: true },
      { syncProblem: { code: 'provider_unreachable', params: {} } },
    ),
  })
  await person.click(await screen.findByRole('button', { name: 'Sync groups' }))
  await vi.advanceTimersByTimeAsync(1600)
  const told = await screen.findByText(/could not be read whole/)
  expect(told.textContent).toBe(
    'The groups of Shop could not be read whole. The provider could not be reached. They were last read whole on 1/3/26, 3:04 AM.',
  )
})

test('with several accounts it is asked whose groups to read', async () => {
  const { person, seen } = open({
    'GET /instances': () => pageOf([instance, { ...instance, id: 8, name: 'Depot' }]),
    'GET /instances/:id': inTurn({}, { lastSyncAt: '2026-01-02T21:00:00.000Z' }),
  })
  await person.click(await screen.findByRole('button', { name: 'Sync groups' }))
  const dialog = within(await screen.findByRole('dialog'))
  await person.click(dialog.getByRole('combobox', { name: 'Account' }))
  await person.click(await screen.findByRole('option', { name: 'Depot' }))
  await person.click(dialog.getByRole('button', { name: 'Sync groups' }))
  await screen.findByText(/are up to date/)
  expect(seen.find(({ name }) => name === 'POST /instances/:id/sync')?.params).toEqual({ id: '8' })
})

test('an export that fails says so', async () => {
  const { person } = open()
  await person.click(await screen.findByRole('button', { name: 'Export the members of Family' }))
  expect(await screen.findByText('Failed to export group participants.')).toBeTruthy()
})
