import type { InstanceRow } from '@sendroom/contract/instances'
import { screen, waitFor, within } from '@testing-library/react'
import { expect, test, vi } from 'vitest'
import { instance } from '../../../test/instance.ts'
import { renderApp } from '../../../test/render.tsx'
import { type Answers, pageOf } from '../../../test/server.ts'

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

/** Opens the groups page. The server answers with the current instances of `state`. */
async function open(state: { instances: InstanceRow[] }, answers: Answers = {}) {
  vi.useFakeTimers({ shouldAdvanceTime: true })
  const app = renderApp({
    path: '/groups',
    answers: {
      'GET /groups': () => pageOf([]),
      'GET /instances': () => pageOf(state.instances),
      'POST /instances/:id/sync': () => undefined,
      ...answers,
    },
  })
  const button = await screen.findByRole<HTMLButtonElement>('button', { name: 'Sync groups' })
  await waitFor(() => expect(button.disabled).toBe(false))
  const lists = () => app.requests.filter(({ name }) => name === 'GET /groups').length
  return { ...app, lists, sync: () => app.person.click(button) }
}
const nextPoll = () => vi.advanceTimersByTimeAsync(2000)

//
test('a sync is followed to its end, then the list is read again', async () => {
  const state = { instances: [shop] }
  const { sync, lists } = await open(state)
  await sync()
  expect(await screen.findByText('Syncing groups of Shop...')).toBeTruthy()
  state.instances = [{ ...shop, ...running }]
  await nextPoll()
  expect(screen.getByText('Syncing groups of Shop...')).toBeTruthy()
  const listsBefore = lists()
  state.instances = [{ ...shop, ...whole }]
  await nextPoll()
  expect(await screen.findByText('The groups of Shop are synced.')).toBeTruthy()
  expect(screen.queryByText('Syncing groups of Shop...')).toBeNull()
  await waitFor(() => expect(lists()).toBe(listsBefore + 1))
})

//
test('a failed sync says why, and when the groups were last complete', async () => {
  const state = { instances: [shop] }
  const { sync } = await open(state)
  await sync()
  state.instances = [{ ...shop, ...failed }]
  await nextPoll()
  const notice = await screen.findByText(/could be synced/)
  expect(notice.textContent).toBe(
    'Not all groups of Shop could be synced. The provider is unreachable. Last full sync: 1/3/26, 3:04 AM.',
  )
})

//
test('a sync that another user started is shown with its result', async () => {
  const other = { ...shop, id: 8, name: 'Depot' }
  const state = { instances: [shop, { ...other, ...running }] }
  await open(state)
  expect(await screen.findByText('Syncing groups of Depot...')).toBeTruthy()
  state.instances = [
    { ...shop, ...running },
    { ...other, ...running },
  ]
  await nextPoll()
  expect(await screen.findByText('Syncing groups of 2 accounts...')).toBeTruthy()
  state.instances = [
    { ...shop, ...running },
    { ...other, ...whole },
  ]
  await nextPoll()
  expect(await screen.findByText('Syncing groups of Shop...')).toBeTruthy()
  expect(screen.getByText('The groups of Depot are synced.')).toBeTruthy()
})

test('the page stops waiting for a sync that does not start', async () => {
  const { sync } = await open({ instances: [shop] })
  await sync()
  await vi.advanceTimersByTimeAsync(31_000)
  expect(await screen.findByText(/^Sync requested; starting soon\./)).toBeTruthy()
  expect(
    screen.getByRole<HTMLButtonElement>('button', { name: 'Sync groups' }).dataset.loading,
  ).toBeUndefined()
})

test('with several instances the button asks which one to sync', async () => {
  const state = { instances: [shop, { ...shop, id: 8, name: 'Depot' }] }
  const { person, sync, requests } = await open(state)
  await sync()
  const dialog = within(await screen.findByRole('dialog'))
  await person.click(dialog.getByRole('combobox', { name: 'Account' }))
  await person.click(await screen.findByRole('option', { name: 'Depot' }))
  await person.click(dialog.getByRole('button', { name: 'Sync groups' }))
  expect(await screen.findByText('Syncing groups of Depot...')).toBeTruthy()
  expect(requests.find(({ name }) => name === 'POST /instances/:id/sync')?.params).toEqual({ id: '8' })
})
