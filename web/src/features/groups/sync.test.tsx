import type { InstanceRow } from '@sendroom/contract/instances'
import { screen, waitFor, within } from '@testing-library/react'
import { afterEach, expect, test, vi } from 'vitest'
import { instance } from '../../../test/instance.ts'
import { renderApp } from '../../../test/render.tsx'
import { type Answers, pageOf } from '../../../test/server.ts'

afterEach(() => {
  vi.useRealTimers()
})

const shop: InstanceRow = {
  ...instance,
  lastSyncAt: '2026-01-02T20:04:05.000Z',
  syncEndedAt: '2026-01-02T20:04:05.000Z',
}
const running: Partial<InstanceRow> = { isSyncing: true, syncEndedAt: null }
const whole: Partial<InstanceRow> = {
  lastSyncAt: '2026-01-02T21:00:00.000Z',
  syncEndedAt: '2026-01-02T21:00:00.000Z',
}
const failed: Partial<InstanceRow> = {
  syncEndedAt: '2026-01-02T21:00:00.000Z',
  syncProblem: { code: 'provider_unreachable', params: {} },
}

/** The page of groups of a server whose accounts are as `state` says at the moment. */
async function open(state: { accounts: InstanceRow[] }, answers: Answers = {}) {
  vi.useFakeTimers({ shouldAdvanceTime: true })
  const app = renderApp({
    path: '/groups',
    answers: {
      'GET /groups': () => pageOf([]),
      'GET /instances': () => pageOf(state.accounts),
      'POST /instances/:id/sync': () => undefined,
      ...answers,
    },
  })
  const button = await screen.findByRole<HTMLButtonElement>('button', { name: 'Sync groups' })
  await waitFor(() => expect(button.disabled).toBe(false))
  const lists = () => app.seen.filter(({ name }) => name === 'GET /groups').length
  return { ...app, lists, sync: () => app.person.click(button) }
}
const nextLook = () => vi.advanceTimersByTimeAsync(2000)

//
test('a sync is followed to its end, and the list read again', async () => {
  const state = { accounts: [shop] }
  const { sync, lists } = await open(state)
  await sync()
  expect(await screen.findByText('Reading the groups of Shop...')).toBeTruthy()
  state.accounts = [{ ...shop, ...running }]
  await nextLook()
  expect(screen.getByText('Reading the groups of Shop...')).toBeTruthy()
  const listsBefore = lists()
  state.accounts = [{ ...shop, ...whole }]
  await nextLook()
  expect(await screen.findByText('The groups of Shop are up to date.')).toBeTruthy()
  expect(screen.queryByText('Reading the groups of Shop...')).toBeNull()
  await waitFor(() => expect(lists()).toBe(listsBefore + 1))
})

//
test('a sync that failed at once says why, and when the groups were last whole', async () => {
  const state = { accounts: [shop] }
  const { sync } = await open(state)
  await sync()
  state.accounts = [{ ...shop, ...failed }]
  await nextLook()
  const told = await screen.findByText(/could not be read whole/)
  expect(told.textContent).toBe(
    'The groups of Shop could not be read whole. The provider could not be reached. They were last read whole on 1/3/26, 3:04 AM.',
  )
})

//
test('a sync that somebody else began is seen, and how it ended', async () => {
  const other = { ...shop, id: 8, name: 'Depot' }
  const state = { accounts: [shop, { ...other, ...running }] }
  await open(state)
  expect(await screen.findByText('Reading the groups of Depot...')).toBeTruthy()
  state.accounts = [
    { ...shop, ...running },
    { ...other, ...running },
  ]
  await nextLook()
  expect(await screen.findByText('Reading the groups of 2 accounts...')).toBeTruthy()
  state.accounts = [
    { ...shop, ...running },
    { ...other, ...whole },
  ]
  await nextLook()
  expect(await screen.findByText('Reading the groups of Shop...')).toBeTruthy()
  expect(screen.getByText('The groups of Depot are up to date.')).toBeTruthy()
})

test('a sync that does not begin is no longer waited for', async () => {
  const { sync } = await open({ accounts: [shop] })
  await sync()
  await vi.advanceTimersByTimeAsync(31_000)
  expect(await screen.findByText(/^The sync has been asked for and begins soon\./)).toBeTruthy()
  expect(
    screen.getByRole<HTMLButtonElement>('button', { name: 'Sync groups' }).dataset.loading,
  ).toBeUndefined()
})

test('with several accounts it is asked whose groups to read', async () => {
  const state = { accounts: [shop, { ...shop, id: 8, name: 'Depot' }] }
  const { person, sync, seen } = await open(state)
  await sync()
  const dialog = within(await screen.findByRole('dialog'))
  await person.click(dialog.getByRole('combobox', { name: 'Account' }))
  await person.click(await screen.findByRole('option', { name: 'Depot' }))
  await person.click(dialog.getByRole('button', { name: 'Sync groups' }))
  expect(await screen.findByText('Reading the groups of Depot...')).toBeTruthy()
  expect(seen.find(({ name }) => name === 'POST /instances/:id/sync')?.params).toEqual({ id: '8' })
})
