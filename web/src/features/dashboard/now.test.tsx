import type { DashboardJob, DashboardNow, InstanceAttention } from '@sendroom/contract/dashboard'
import { act, cleanup, screen, waitFor, within } from '@testing-library/react'
import { expect, test, vi } from 'vitest'
import { calm, stats } from '../../../test/dashboard.ts'
import { instance, wholeInstance } from '../../../test/instance.ts'
import { admin, member, renderApp } from '../../../test/render.tsx'
import { type Answers, pageOf, refuse } from '../../../test/server.ts'

const job: DashboardJob = {
  id: 7,
  messageTitle: 'New prices',
  instanceName: 'Shop',
  status: 'Running',
  isPaused: false,
  recipientCount: 10,
  sentCount: 4,
  failedCount: 0,
  scheduledAt: null,
  completedAt: null,
  waiting: null,
  nextSendAt: null,
  endsAt: null,
}
const ALL_WELL = 'All is well: nothing needs attention.'

type Given = { user?: typeof admin; now?: Partial<DashboardNow>; answers?: Answers }
const open = ({ user = admin, now = {}, answers = {} }: Given) =>
  renderApp({
    path: '/dashboard',
    user,
    answers: {
      'GET /groups/stats': () => stats,
      'GET /dashboard/now': () => ({ ...calm, ...now }),
      ...answers,
    },
  })

const inTrouble = (code: string | null, until: string | null = null) =>
  ({
    instance: { id: 3, name: 'Shop' },
    reason: code && { code, params: { count: 10 } },
    until,
  }) as InstanceAttention

const attention = async () => within(await screen.findByRole('region', { name: 'Needs attention' }))

//
test('when all is well, one line says so', async () => {
  open({})
  expect(await screen.findByText(ALL_WELL)).toBeTruthy()
  expect(screen.queryByRole('region', { name: 'Needs attention' })).toBeNull()
  expect(screen.queryByRole('region', { name: 'Now' })).toBeNull()
})

//
test('who signs in with the generated password reads why to change it, and not that all is well', async () => {
  open({ now: { hasGeneratedPassword: true } })
  const note = within(await screen.findByRole('note'))
  expect(note.getByText(/^Your password was generated at the first start/)).toBeTruthy()
  expect(note.getByRole('button', { name: 'Open your menu' }).getAttribute('popovertarget')).toBe('user-menu')
  expect(screen.queryByText(ALL_WELL)).toBeNull()
})

//
test('a new user reads neither that all is well nor of days without messages', async () => {
  open({ answers: { 'GET /groups/stats': () => ({ ...stats, totalJobs: 0 }) } })
  expect(await screen.findByText('Quick stats')).toBeTruthy()
  expect(screen.queryByText(ALL_WELL)).toBeNull()
  expect(screen.queryByRole('region', { name: 'Last 30 days' })).toBeNull()
})

test('what could not be read can be read again, and the numbers are there', async () => {
  vi.spyOn(console, 'warn').mockReturnValue()
  let isUp = false
  const { person } = open({
    answers: { 'GET /dashboard/now': () => (isUp ? calm : refuse(500, 'internal')) },
  })
  expect(await screen.findByText('Quick stats')).toBeTruthy()
  isUp = true
  await person.click(await screen.findByRole('button', { name: 'Try again' }))
  expect(await screen.findByText(ALL_WELL)).toBeTruthy()
})

const helpless = { ...member, canLinkAccounts: false, canCreateJobs: false }
test.each<[string | null, string, string, string | null, string]>([
  ['account_failures', 'last 10 messages', 'Resume sending', null, 'Ask an Admin to help.'],
  ['history_unreadable', 'chat history', 'Resume sending', null, 'Ask an Admin to help.'],
  [
    'account_not_linked',
    'Scan the QR code',
    'Scan QR',
    '/instances?search=Shop&scan=3',
    'Ask an Admin to help.',
  ],
  [
    'account_bad_token',
    'Enter the current token',
    'Edit account',
    '/instances/edit/3',
    'Ask an Admin to help.',
  ],
  [null, 'Expires on 1/2/30', 'Edit account', '/instances/edit/3', 'Ask an Admin to help.'],
  ['account_unpaid', 'Pay at the provider', 'View account', '/instances?search=Shop', 'View account'],
  ['account_restricted', 'Until 1/2/30', 'View account', '/instances?search=Shop', 'View account'],
  ['provider_unreachable', 'retries automatically', 'View account', '/instances?search=Shop', 'View account'],
  //
])(
  'an instance with %s has the one button that helps, or says whom to ask',
  async (code, text, button, to, help) => {
    const now = {
      accounts: {
        total: 1,
        first: [
          inTrouble(code, code === null || code === 'account_restricted' ? '2030-01-02T03:04:05.000Z' : null),
        ],
      },
    }
    open({ now })
    const row = within((await (await attention()).findByText('Shop')).closest('li') as HTMLElement)
    expect(row.getByText(new RegExp(text))).toBeTruthy()
    const found = to === null ? row.getByRole('button') : row.getByRole('link')
    expect(found.textContent).toBe(button)
    expect(found.getAttribute('href')).toBe(to)
    cleanup()
    open({ now, user: helpless })
    const theirs = within((await (await attention()).findByText('Shop')).closest('li') as HTMLElement)
    expect(theirs.getByText(help)).toBeTruthy()
  },
)

test('sending is resumed from the dashboard', async () => {
  let isStopped = true
  const { person, requests } = open({
    answers: {
      'GET /dashboard/now': () =>
        isStopped ? { ...calm, accounts: { total: 1, first: [inTrouble('account_failures')] } } : calm,
      'POST /instances/:id/resume': () => {
        isStopped = false
        return undefined
      },
    },
  })
  await person.click(await screen.findByRole('button', { name: 'Resume sending' }))
  const dialog = within(await screen.findByRole('dialog'))
  await person.click(dialog.getByRole('button', { name: 'Resume sending' }))
  expect(await screen.findByText(ALL_WELL)).toBeTruthy()
  expect(requests.find(({ name }) => name === 'POST /instances/:id/resume')?.params).toEqual({ id: '3' })
})

//
test('jobs that stand still and jobs with failures lead to the job, and lists are cut off', async () => {
  open({
    now: {
      accounts: { total: 7, first: [inTrouble('account_unpaid')] },
      waitingJobs: { total: 3, first: [{ ...job, waiting: { code: 'account_inactive', params: {} } }] },
      failedJobs: {
        total: 4,
        first: [
          { ...job, id: 8, status: 'Completed', failedCount: 2, completedAt: '2026-01-02T03:04:05.000Z' },
        ],
      },
    },
  })
  const region = await attention()
  const [, standing] = region.getAllByRole('listitem').map((row) => row.textContent)
  expect(standing).toBe('#7 New pricesShop · The account isn’t active.View job')
  expect(region.getByText(/2 of 10 recipients failed\. Ended 1\/2\/26, 10:04 AM\./)).toBeTruthy()
  const links = region.getAllByRole('link', { name: 'View job' }).map((link) => link.getAttribute('href'))
  expect(links).toEqual(['/jobs/7', '/jobs/8?outcome=Failed'])
  const hrefOf = (name: string) => region.getByRole('link', { name }).getAttribute('href')
  expect(hrefOf('And 6 more')).toBe('/instances?only=attention')
  expect(hrefOf('And 2 more')).toBe('/jobs?only=stuck')
  expect(hrefOf('And 3 more')).toBe('/jobs?only=failures')
})

//
test('what needs attention later moves nothing until the user asks for it, and what is over goes at once', async () => {
  const [first, second] = [inTrouble('account_unpaid'), inTrouble('account_bad_token')]
  const later = [
    { accounts: { total: 1, first: [first] } },
    {
      accounts: {
        total: 2,
        first: [{ ...second, instance: { id: 4, name: 'Depot' } }, first],
      },
    },
    {},
  ]
  const answers = [{}, ...later]
  vi.useFakeTimers({ shouldAdvanceTime: true })
  const { person } = open({ answers: { 'GET /dashboard/now': () => ({ ...calm, ...answers.shift() }) } })
  const refresh = () => act(() => vi.advanceTimersByTimeAsync(30_000))
  const findButton = () => screen.findByRole('button', { name: 'Show new' })
  await screen.findByText(ALL_WELL)

  await refresh()
  const button = await findButton()
  expect(screen.queryByText(ALL_WELL)).toBeNull()
  expect(screen.queryByRole('region', { name: 'Needs attention' })).toBeNull()
  await person.click(button)
  expect((await attention()).getAllByRole('listitem')).toHaveLength(1)
  expect(screen.queryByRole('button', { name: 'Show new' })).toBeNull()

  await refresh()
  await findButton()
  expect((await attention()).getAllByRole('listitem')).toHaveLength(1)
  await refresh()
  expect(await screen.findByText(ALL_WELL)).toBeTruthy()
  expect(screen.queryByRole('region', { name: 'Needs attention' })).toBeNull()
})

//
test('running and upcoming jobs have progress, times and the reason why they wait', async () => {
  open({
    now: {
      runningJobs: {
        total: 6,
        first: [
          { ...job, endsAt: '2030-01-02T03:04:05.000Z', waiting: { code: 'pause_between', params: {} } },
          { ...job, id: 6, waiting: { code: 'paused', params: {} } },
        ],
      },
      upcomingJobs: {
        total: 2,
        first: [
          {
            ...job,
            id: 9,
            status: 'Pending',
            scheduledAt: '2030-01-01T03:00:00.000Z',
            waiting: { code: 'scheduled', params: {} },
          },
        ],
      },
    },
  })
  const region = within(await screen.findByRole('region', { name: 'Now' }))
  const rows = region.getAllByRole('listitem').map((row) => row.textContent)
  expect(rows[0]).toBe('#7 New pricesShop · Ends about 1/2/30, 10:04 AM.4/10')
  expect(rows[1]).toMatch(/^#6 New pricesShop · .*paused.*4\/10$/)
  expect(rows[2]).toBe('#9 New pricesShop · Starts 1/1/30, 10:00 AM.')
  expect(region.getAllByRole('progressbar')[0]?.getAttribute('aria-valuenow')).toBe('40')
  expect(region.getByRole('link', { name: 'And 4 more' }).getAttribute('href')).toBe('/jobs?only=running')
  expect(region.getByRole('link', { name: 'And 1 more' }).getAttribute('href')).toBe('/jobs?only=pending')
  expect(await screen.findByText(ALL_WELL)).toBeTruthy()
})

const days = Array.from({ length: 30 }, (_, n) => ({
  day: `2026-10-${String(n + 1).padStart(2, '0')}`,
  ...(n === 29
    ? { sent: 1200, delivered: 900, read: 300, failed: 5 }
    : { sent: 0, delivered: 0, read: 0, failed: 0 }),
}))

//
test('the last thirty days are a chart and a table, for one instance on request, and a file', async () => {
  const { person, requests } = open({
    answers: {
      'GET /dashboard/days': () => ({ days }),
      'GET /instances': () => pageOf([instance]),
      'GET /dashboard/days/export': () => refuse(503, 'unavailable'),
    },
  })
  const region = within(await screen.findByRole('region', { name: 'Last 30 days' }))
  await region.findByRole('img', { name: 'Last 30 days. Sent: 1,200, Delivered: 900, Read: 300, Failed: 5' })
  await person.click(region.getByText('Show as a table'))
  const rows = within(region.getByRole('table', { name: 'Last 30 days' })).getAllByRole('row')
  expect(rows).toHaveLength(31)
  expect([...(rows[1]?.children ?? [])].map((cell) => cell.textContent)).toEqual([
    '10/30/26',
    '1,200',
    '900',
    '300',
    '5',
  ])
  expect(requests.some(({ name }) => name === 'GET /instances')).toBe(false)

  await person.click(region.getByRole('button', { name: 'Choose an account' }))
  await person.click(await region.findByRole('combobox', { name: 'Account' }))
  await person.click(await screen.findByRole('option', { name: instance.name }))
  const lastQuery = (wanted: string) => requests.findLast(({ name }) => name === wanted)?.query
  await waitFor(() => expect(lastQuery('GET /dashboard/days')).toEqual({ instanceId: String(instance.id) }))
  await person.click(region.getByRole('button', { name: 'Export CSV' }))
  expect(await screen.findByText('Failed to export the last 30 days.')).toBeTruthy()
  expect(lastQuery('GET /dashboard/days/export')).toEqual({ instanceId: String(instance.id) })
})

test('the days that could not be read can be read again', async () => {
  vi.spyOn(console, 'warn').mockReturnValue()
  let isUp = false
  const { person } = open({
    answers: { 'GET /dashboard/days': () => (isUp ? { days: days.slice(0, 29) } : refuse(500, 'internal')) },
  })
  const region = within(await screen.findByRole('region', { name: 'Last 30 days' }))
  isUp = true
  await person.click(await region.findByRole('button', { name: 'Try again' }))
  expect(await region.findByText('No message was sent in the last 30 days.')).toBeTruthy()
})

test('the address of an instance to link opens its QR code, also if other instances of the name come first', async () => {
  const { router } = renderApp({
    path: '/instances?search=Shop&scan=3',
    answers: {
      'GET /instances': () => pageOf([{ ...instance, id: 12, name: 'Shop 2' }], 300),
      'GET /instances/:id': ({ params }) => ({
        ...wholeInstance,
        id: Number(params.id),
        status: 'NeedsLogin',
      }),
    },
  })
  expect(await screen.findByRole('dialog')).toBeTruthy()
  await waitFor(() => expect(router.state.location.search).toEqual({ search: 'Shop' }))
})

test.each([
  // R-1529
  ['an approver', { ...member, canApproveJobs: true }, true],
  ['whoever may not approve', member, false],
])('%s learns how many jobs wait for approval', async (_, user, isTold) => {
  const { requests, router, person } = open({
    user,
    answers: { 'GET /jobs': () => pageOf([], 3, { page: 1, pageSize: 1 }) },
  })
  await screen.findByText(ALL_WELL)
  if (!isTold) return expect(requests.some(({ name }) => name === 'GET /jobs')).toBe(false)
  expect(await screen.findByText('3 jobs wait for your approval.')).toBeTruthy()
  await person.click(screen.getByRole('link', { name: 'Review' }))
  await waitFor(() => expect(router.state.location.search).toEqual({ only: 'to_approve' }))
  expect(requests.find(({ name }) => name === 'GET /jobs')?.query).toMatchObject({ only: 'to_approve' })
})
