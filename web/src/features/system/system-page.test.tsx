import type { Finding } from '@sendroom/contract/system'
import { act, screen, waitFor, within } from '@testing-library/react'
import { expect, test, vi } from 'vitest'
import { renderApp } from '../../../test/render.tsx'
import { refuse } from '../../../test/server.ts'

const fine: Finding = { code: 'provider_ok', params: { host: 'gate.whapi.cloud', milliseconds: 1042 } }
const warning: Finding = { code: 'backup_old', params: { days: 4, command: 'npm start -- backup FILE' } }
const error: Finding = { code: 'accounts_troubled', params: { count: 1, names: 'Shop' } }
const urgent: Finding = { code: 'no_worker', params: { command: 'npm start -- worker' } }

const open = (findings: Finding[]) =>
  renderApp({ path: '/settings/system', answers: { 'GET /system': () => ({ findings }) } })
const itemsOf = async (name: string) =>
  within(await screen.findByRole('region', { name }))
    .getAllByRole('listitem')
    .map((item) => item.textContent)

test('troubles come first, errors before warnings, each with its remedy', async () => {
  open([fine, warning, error, urgent])
  expect(await itemsOf('What needs attention')).toEqual([
    'ErrorNo worker runs, so nothing is sent.Start one with npm start -- worker.',
    'WarningThe last backup is 4 days old.Run npm start -- backup FILE, and see why the regular backup has failed.',
    'WarningAccounts in trouble: 1 (Shop).Open the accounts. Each says what is wrong and what to do.',
  ])
  expect(await itemsOf('What works')).toEqual([
    'In orderThe provider gate.whapi.cloud answers within 1,042 ms.',
  ])
})

test('one line says that all is well, and a press checks again', async () => {
  const { person, requests } = open([fine])
  expect(await screen.findByText('Everything is in order.')).toBeTruthy()
  expect(screen.queryByText('What needs attention')).toBeNull()
  await person.click(screen.getByRole('button', { name: 'Check again' }))
  expect(requests.filter(({ name }) => name === 'GET /system')).toHaveLength(2)
})

test('a check that fails later keeps the former result, and can be tried again', async () => {
  let isUp = true
  const { person } = renderApp({
    path: '/settings/system',
    answers: { 'GET /system': () => (isUp ? { findings: [fine] } : refuse(500, 'internal')) },
  })
  await screen.findByText('Everything is in order.')
  isUp = false
  await person.click(screen.getByRole('button', { name: 'Check again' }))
  const again = await screen.findByRole('button', { name: 'Try again' })
  expect(screen.getByText('Everything is in order.')).toBeTruthy()
  isUp = true
  await person.click(again)
  await waitFor(() => expect(screen.queryByRole('button', { name: 'Try again' })).toBeNull())
})

test('a check that cannot be made can be tried again', async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true })
  const { requests } = renderApp({
    path: '/settings/system',
    answers: { 'GET /system': () => refuse(503, 'unavailable') },
  })
  await waitFor(() => expect(requests).toHaveLength(1))
  await act(() => vi.advanceTimersByTimeAsync(10_000)) // for the attempts that the page makes by itself
  expect(await screen.findByRole('button', { name: 'Try again' })).toBeTruthy()
})
