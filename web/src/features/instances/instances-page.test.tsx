import { instanceStatuses } from '@sendroom/contract/instance-status'
import type { InstanceRow } from '@sendroom/contract/instances'
import { screen, waitFor, within } from '@testing-library/react'
import { expect, test, vi } from 'vitest'
import { instance, wholeInstance } from '../../../test/instance.ts'
import { member, renderApp } from '../../../test/render.tsx'
import { pageOf, refuse } from '../../../test/server.ts'
import { isDisabled } from '../../../test/steps.ts'

const unlinked = { why: { code: 'account_not_linked', params: {} }, until: null } as const
const shop: InstanceRow = {
  ...instance,
  id: 7,
  status: 'NeedsLogin',
  waiting: { code: 'account_not_linked', params: {} },
  holds: { people: unlinked, groups: unlinked },
}
const list = { 'GET /instances': () => pageOf([shop]) }

const row = () => screen.findByRole('row', { name: /Shop/ })

//
test('a row shows id, name, number, activity, dates and status, in this order', async () => {
  renderApp({ path: '/instances', answers: list })
  await row()
  expect(screen.getAllByRole('columnheader').map(({ textContent }) => textContent)).toEqual([
    'Id',
    'Account name',
    'Chat number',
    'Active',
    'Created at',
    'Expiry',
    'Status',
    'Actions',
  ])
  const texts = within(await row())
    .getAllByRole('cell')
    .map(({ textContent }) => textContent)
  expect(texts.slice(0, 6)).toEqual(['7', 'ShopTest', '84901234567', 'Yes', '11/21/26, 1:30 AM', '–'])
})

//
test('dates are short and in Vietnam time', async () => {
  const dates = { createdAt: '2026-11-20T16:59:00.000Z', expiredTime: '2099-12-31T17:00:00.000Z' }
  renderApp({ path: '/instances', answers: { 'GET /instances': () => pageOf([{ ...shop, ...dates }]) } })
  const cells = within(await row())
  expect(cells.getByText('11/20/26, 11:59 PM')).toBeTruthy()
  expect(cells.getByText('1/1/00')).toBeTruthy()
})

//
test('a badge says whether an instance is active', async () => {
  const off = { ...shop, id: 8, name: 'Depot', isActive: false }
  renderApp({ path: '/instances', answers: { 'GET /instances': () => pageOf([shop, off]) } })
  expect(
    within(await row())
      .getByText('Yes')
      .closest('[class*=Badge]'),
  ).toBeTruthy()
  const depot = within(screen.getByRole('row', { name: /Depot/ }))
  expect(depot.getByText('No').closest('[class*=Badge]')).toBeTruthy()
})

//
test('a status is shown with the reason why the instance waits below', async () => {
  const rows = instanceStatuses.map((status, id) => ({ ...shop, id: id + 1, status }))
  renderApp({ path: '/instances', answers: { 'GET /instances': () => pageOf(rows) } })
  const words = [
    'Connected',
    'Needs login',
    'Starting',
    'Degraded',
    'Disconnected',
    'Bad token',
    'Unpaid',
    'Unknown',
  ]
  for (const word of words) expect(await screen.findByText(word)).toBeTruthy()
  expect(screen.getAllByText('The account isn’t linked to WhatsApp. Scan the QR code.')).toHaveLength(8)
})

test('a failed sync is shown with the time of the last successful one', async () => {
  const dayAgo = new Date(Date.now() - 90_000_000).toISOString()
  const syncProblem = { code: 'provider_unreachable' as const, params: {} }
  const stale = { ...shop, waiting: null, syncProblem, lastSyncAt: dayAgo }
  const never = { ...stale, id: 8, name: 'Depot', lastSyncAt: null }
  renderApp({ path: '/instances', answers: { 'GET /instances': () => pageOf([stale, never]) } })
  const words = 'Group sync failed: The provider is unreachable.'
  expect(within(await row()).getByText(`${words} Last synced yesterday.`)).toBeTruthy()
  const depot = within(screen.getByRole('row', { name: /Depot/ }))
  expect(depot.getByText(`${words} No full sync yet.`)).toBeTruthy()
})

test('a reason that applies twice is shown once', async () => {
  const both = { ...shop, syncProblem: shop.waiting }
  renderApp({ path: '/instances', answers: { 'GET /instances': () => pageOf([both]) } })
  expect(within(await row()).getAllByText(/isn’t linked to WhatsApp/)).toHaveLength(1)
})

// R-1216
test('a row says apart what holds back people and groups', async () => {
  const until = '2026-11-26T17:00:00.000Z'
  const cap = { why: { code: 'daily_cap', params: {} }, until } as const
  const rest = { why: { code: 'rest_day', params: {} }, until } as const
  const held = { ...shop, waiting: null, holds: { people: rest, groups: cap } }
  renderApp({ path: '/instances', answers: { 'GET /instances': () => pageOf([held]) } })
  expect(within(await row()).getByText(/^People: The account rests today/)).toBeTruthy()
  expect(within(await row()).getByText(/^Groups: The account has reached its 24-hour limit/)).toBeTruthy()
})

//
test('only test instances have a test badge', async () => {
  const live = { ...shop, id: 8, name: 'Depot', isTest: false }
  renderApp({ path: '/instances', answers: { 'GET /instances': () => pageOf([shop, live]) } })
  expect(within(await row()).getByText('Test')).toBeTruthy()
  expect(within(screen.getByRole('row', { name: /Depot/ })).queryByText('Test')).toBeNull()
})

//
test('the ten newest instances are read by default', async () => {
  const { requests } = renderApp({ path: '/instances', answers: list })
  await row()
  expect(requests[0]).toMatchObject({
    name: 'GET /instances',
    query: { page: '1', pageSize: '10', search: '', sortBy: 'createdAt', sortDirection: 'desc' },
  })
})

//
test('Enter starts a search at page 1', async () => {
  const { requests, person, router } = renderApp({ path: '/instances?page=2&pageSize=25', answers: list })
  await row()
  expect(screen.getByRole('heading', { level: 1, name: 'Accounts' })).toBeTruthy()
  expect(requests[0]?.query).toMatchObject({ page: '2', pageSize: '25' })
  await person.type(screen.getByLabelText('Search'), '123{Enter}')
  await waitFor(() => expect(router.state.location.href).toBe('/instances?pageSize=25&search=123'))
  await waitFor(() => expect(requests.at(-1)?.query).toMatchObject({ page: '1', search: '123' }))
})

//
test('the search button starts a search', async () => {
  const { requests, person } = renderApp({ path: '/instances', answers: list })
  await row()
  await person.type(screen.getByLabelText('Search'), 'shop')
  await person.click(screen.getByRole('button', { name: 'Search' }))
  await waitFor(() => expect(requests.at(-1)?.query).toMatchObject({ search: 'shop' }))
})

//
test('the list has pages of a changeable size', async () => {
  const { requests, person } = renderApp({
    path: '/instances',
    answers: {
      'GET /instances': ({ query }) => pageOf([shop], 30, { page: Number(query.page), pageSize: 10 }),
    },
  })
  await row()
  await person.click(screen.getByRole('button', { name: 'Next page' }))
  await waitFor(() => expect(requests.at(-1)?.query).toMatchObject({ page: '2', pageSize: '10' }))
  await person.selectOptions(screen.getByRole('combobox', { name: /per page/i }), '25')
  await waitFor(() => expect(requests.at(-1)?.query).toMatchObject({ page: '1', pageSize: '25' }))
})

//
test('the table is busy until it is loaded', async () => {
  let answer = (_: ReturnType<typeof pageOf<InstanceRow>>) => {}
  renderApp({
    path: '/instances',
    answers: { 'GET /instances': () => new Promise((resolve) => (answer = resolve)) },
  })
  const table = await screen.findByRole('table', { name: 'Accounts' })
  expect(table.getAttribute('aria-busy')).toBe('true')
  expect(screen.queryByText(/No data/)).toBeNull()
  answer(pageOf([shop]))
  await row()
  expect(table.getAttribute('aria-busy')).toBe('false')
})

//
test('an Admin has a button to add an instance', async () => {
  const { person, router } = renderApp({ path: '/instances', answers: list })
  await person.click(await screen.findByRole('link', { name: 'Add account' }))
  await waitFor(() => expect(router.state.location.pathname).toBe('/instances/new'))
})

//
test('a Member may link and log out an instance, but not add or change one', async () => {
  renderApp({ path: '/instances', user: member, answers: list })
  const names = within(await row())
    .getAllByRole('button')
    .map((button) => button.getAttribute('aria-label') ?? button.textContent)
  expect(names).toEqual(['Scan QR', 'Get code', 'Log out'])
  expect(screen.queryByRole('link', { name: 'Add account' })).toBeNull()
})

//
test('an Admin may link and log out an instance too', async () => {
  renderApp({ path: '/instances', answers: list })
  const cells = within(await row())
  for (const name of ['Scan QR', 'Get code', 'Log out'])
    expect(isDisabled(cells.getByRole('button', { name }))).toBe(false)
})

test('a connecting instance is polled until its status changes', async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true })
  let polls = 0
  renderApp({
    path: '/instances',
    answers: {
      'GET /instances': () => pageOf([{ ...shop, status: polls < 2 ? 'Connecting' : 'NeedsLogin' }]),
      'GET /instances/:id': () => {
        polls += 1
        return wholeInstance
      },
    },
  })
  await screen.findByText('Starting')
  await vi.advanceTimersByTimeAsync(7000)
  expect(await screen.findByText('Needs login')).toBeTruthy()
  const pollsBefore = polls
  await vi.advanceTimersByTimeAsync(7000)
  expect(polls).toBe(pollsBefore)
})

//
test('an empty list says what to do next', async () => {
  renderApp({ path: '/instances', answers: { 'GET /instances': () => pageOf([]) } })
  expect(await screen.findByText('No data found. Add an account to begin.')).toBeTruthy()
})

//
test('a Member without an instance reads whom to ask', async () => {
  renderApp({ path: '/instances', user: member, answers: { 'GET /instances': () => pageOf([]) } })
  expect(await screen.findByText('No data found. Ask an Admin to assign you an account.')).toBeTruthy()
})

//
test('a search that finds nothing says so', async () => {
  renderApp({ path: '/instances?search=x', answers: { 'GET /instances': () => pageOf([]) } })
  expect(await screen.findByText('No data found')).toBeTruthy()
})

//
test('a list that could not be loaded shows one alert and can be loaded again', async () => {
  let tries = 0
  const { person } = renderApp({
    path: '/instances',
    answers: {
      'GET /instances': () => {
        tries += 1
        return tries === 1 ? refuse(500, 'internal') : pageOf([shop])
      },
    },
  })
  const retry = await screen.findByRole('button', { name: 'Try again' })
  expect(screen.getAllByRole('alert')).toHaveLength(1)
  await person.click(retry)
  expect(await row()).toBeTruthy()
})

test('a page beyond the end is replaced by the last page', async () => {
  const { router } = renderApp({
    path: '/instances?page=3',
    answers: {
      'GET /instances': ({ query }) =>
        query.page === '3'
          ? pageOf([], 20, { page: 3, pageSize: 10 })
          : pageOf([shop], 20, { page: 2, pageSize: 10 }),
    },
  })
  await row()
  expect(router.state.location.href).toBe('/instances?page=2')
  expect(screen.getByText('Showing 11 to 20 of 20 entries')).toBeTruthy()
  expect(isDisabled(screen.getByRole('button', { name: 'Next page' }))).toBe(true)
})

//
test('a list that the address limits to instances in trouble says so, and shows all again', async () => {
  const { person, requests, router } = renderApp({ path: '/instances?only=attention', answers: list })
  expect(await screen.findByText('Only accounts that need attention')).toBeTruthy()
  expect(requests.find(({ name }) => name === 'GET /instances')?.query).toMatchObject({ only: 'attention' })
  await person.click(screen.getByRole('link', { name: 'Show all' }))
  await waitFor(() => expect(router.state.location.href).toBe('/instances'))
  await waitFor(() =>
    expect(requests.findLast(({ name }) => name === 'GET /instances')?.query).not.toHaveProperty('only'),
  )
})
