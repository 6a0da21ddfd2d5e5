import type { Job } from '@sendroom/contract/jobs'
import { act, screen, waitFor, within } from '@testing-library/react'
import { expect, test, vi } from 'vitest'
import { done, job, log } from '../../../../test/job.ts'
import { renderApp } from '../../../../test/render.tsx'
import { pageOf, refuse } from '../../../../test/server.ts'
import { isDisabled } from '../../../../test/steps.ts'
import { currentToasts } from '../../../ui/toasts.ts'

//
test('a job’s page shows its progress, why it waits and who got the message', async () => {
  renderApp({
    path: '/jobs/3',
    answers: { 'GET /jobs/:id': () => job, 'GET /jobs/:id/recipients': () => pageOf(job.sentMessages) },
  })
  const bar = await screen.findByRole('progressbar', { name: 'Progress' })
  expect(bar.getAttribute('aria-valuenow')).toBe('33.33')
  expect(document.title).toBe('Job #3 · Sendroom')
  const groups = within(screen.getByRole('region', { name: 'Assigned groups (3)' }))
  expect(groups.getAllByRole('listitem').map((item) => item.textContent)).toEqual([
    'Family',
    'Friends',
    'Work',
  ])
  for (const text of ['33.33%', 'Family', 'Work']) expect(screen.getAllByText(text).length).toBeGreaterThan(0)
  expect(screen.getByText(/The account pauses between messages/, { ignore: '[role=status]' })).toBeTruthy()
  expect(screen.getByText('Next message at 1/2/26, 10:05:00 AM.')).toBeTruthy()
  const table = within(await screen.findByRole('table', { name: 'Result for each recipient' }))
  const ofFamily = within(table.getByRole('row', { name: /Family/ }))
  expect(ofFamily.getByText('1/2/26, 10:04:06 AM')).toBeTruthy()
  expect(table.getByText('This chat doesn’t exist, or the account has left.')).toBeTruthy()
  const logs = within(screen.getByRole('table', { name: 'Logs' }))
  expect(logs.getByText('Cancelled by minh. Recipients skipped: 2.')).toBeTruthy()
  expect(logs.getByText('Warning')).toBeTruthy()
})

//
test('a job whose recipients and log were deleted says so, keeps its counts, and offers only to be deleted', async () => {
  const old = { ...done, areRecipientsDeleted: true, isLogDeleted: true, hasRemaining: false, logs: [] }
  const { requests } = renderApp({ path: '/jobs/3', answers: { 'GET /jobs/:id': () => old } })
  const results = within(await screen.findByRole('region', { name: 'Result for each recipient' }))
  results.getByText(/recipients of this job were deleted/)
  within(screen.getByRole('region', { name: 'Logs' })).getByText(/log of this job was deleted/)
  expect(screen.getByText('66.67%')).toBeTruthy()
  expect(screen.queryByRole('region', { name: /Assigned groups/ })).toBeNull()
  expect(isDisabled(screen.getByRole('button', { name: 'Restart' }))).toBe(true)
  expect(isDisabled(screen.getByRole('button', { name: 'Send to remaining' }))).toBe(true)
  expect(requests.map(({ name }) => name)).not.toContain('GET /jobs/:id/recipients')
})

test.each<[string, Partial<Job>, string | undefined]>([
  ['is animated while it runs', {}, 'true'],
  ['is not animated while it is paused', { isPaused: true }, undefined],
  [
    'is not animated while its instance needs attention',
    { waiting: { code: 'account_failures', params: { count: 10 } } },
    undefined,
  ],
])('the progress bar of a job %s', async (_, change, animated) => {
  renderApp({ path: '/jobs/3', answers: { 'GET /jobs/:id': () => ({ ...job, ...change }) } })
  const bar = await screen.findByRole('progressbar', { name: 'Progress' })
  expect(bar.dataset.animated).toBe(animated)
})

test('the countdowns to the next message and the end are updated every second', async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true, now: new Date('2026-01-02T03:03:30.000Z') })
  renderApp({
    path: '/jobs/3',
    answers: { 'GET /jobs/:id': () => ({ ...job, endsAt: '2026-01-02T05:05:00.000Z' }) },
  })
  expect(await screen.findByText('1 min 30 sec')).toBeTruthy()
  expect(screen.getByText('about 2 hr 1 min')).toBeTruthy()
  expect(screen.getByText('1/2/26, 12:05 PM')).toBeTruthy()

  await act(() => vi.advanceTimersByTimeAsync(60_000))
  expect(screen.getByText('30 sec')).toBeTruthy()
  await act(() => vi.advanceTimersByTimeAsync(60_000))
  expect(screen.getByText('Any moment')).toBeTruthy()
})

//
test('a job’s page polls the job until it ends', async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true })
  let reads = 0
  renderApp({
    path: '/jobs/3',
    answers: {
      'GET /jobs/:id': () => {
        reads += 1
        return reads < 3 ? job : done
      },
    },
  })
  await screen.findByText('33.33%')
  await vi.advanceTimersByTimeAsync(2000)
  expect(reads).toBe(2)
  await vi.advanceTimersByTimeAsync(2000)
  expect(await screen.findByText('66.67%')).toBeTruthy()
  expect(isDisabled(screen.getByRole('button', { name: 'Restart' }))).toBe(false)
  await vi.advanceTimersByTimeAsync(30_000)
  expect(reads).toBe(3)
})

test.each([
  //
  ['/jobs/0'],
  //
  ['/jobs/abc'],
  //
  ['/jobs/12'],
])('%s redirects to the list', async (path) => {
  const { router } = renderApp({ path, answers: { 'GET /jobs': () => pageOf([]) } })
  expect(await screen.findByText('Failed to load job details.')).toBeTruthy()
  expect(currentToasts()).toMatchObject([{ type: 'error', timeout: 5000 }])
  await waitFor(() => expect(router.state.location.pathname).toBe('/jobs'))
})

//
test('if another user deletes the job, its page redirects to the list', async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true })
  let isThere = true
  const { router } = renderApp({
    path: '/jobs/3',
    answers: {
      'GET /jobs/:id': () => (isThere ? job : refuse(404, 'not_found')),
      'GET /jobs': () => pageOf([]),
    },
  })
  await screen.findByText('33.33%')
  isThere = false
  await vi.advanceTimersByTimeAsync(2000)
  expect(await screen.findByText('Failed to load job details.')).toBeTruthy()
  await waitFor(() => expect(router.state.location.pathname).toBe('/jobs'))
})

//
test('a job’s page shows its fields, its times in Vietnam, and its message as WhatsApp shows it', async () => {
  const shown: Job = {
    ...done,
    textContent: '*One* line\nand another',
    imageUrl: '/images/a.webp',
    scheduledAt: '2026-01-02T03:05:00.000Z',
    startedAt: '2026-01-02T03:05:01.000Z',
    completedAt: '2026-01-02T18:06:00.000Z',
  }
  renderApp({ path: '/jobs/3', answers: { 'GET /jobs/:id': () => shown } })
  const facts = within(await screen.findByRole('region', { name: 'Details' }))
  const shownFacts = facts
    .getAllByRole('term')
    .map((term) => [term.textContent, term.nextElementSibling?.textContent])
  expect(shownFacts).toEqual([
    ['Type', 'Send to groups'],
    ['Account', 'Shop'],
    ['Created by', 'minh'],
    ['Created at', '1/2/26, 10:04:05 AM'],
    ['Scheduled at', '1/2/26, 10:05:00 AM'],
    ['Started at', '1/2/26, 10:05:01 AM'],
    ['Completed at', '1/3/26, 1:06:00 AM'],
  ])
  expect(facts.getByText('All times are in GMT+0700.')).toBeTruthy()
  expect(screen.getByText('Completed', { selector: '.mantine-Badge-root *' })).toBeTruthy()
  const message = within(screen.getByRole('region', { name: 'Message' }))
  expect(message.getByText('One').tagName).toBe('STRONG')
  expect(message.getByText('and another')).toBeTruthy()
  expect(message.getByRole('img').getAttribute('src')).toBe('/images/a.webp')
})

//
test('a job to phone numbers lists them', async () => {
  const targetPhoneNumbers = ['84901234567', '84907654321']
  const shown: Job = { ...done, jobType: 'SendToUsers', assignedGroups: [], targetPhoneNumbers }
  renderApp({ path: '/jobs/3', answers: { 'GET /jobs/:id': () => shown } })
  const region = within(await screen.findByRole('region', { name: /^Target phone numbers/ }))
  const numbers = region.getAllByRole('listitem').map((item) => item.textContent)
  expect(numbers).toEqual(['+84901234567', '+84907654321'])
})

//
test('sent messages and log lines have a badge in the color of their status or level', async () => {
  const logs = (['Info', 'Warning', 'Error'] as const).map((logLevel, id) => ({ ...log, id, logLevel }))
  renderApp({
    path: '/jobs/3',
    answers: {
      'GET /jobs/:id': () => ({ ...done, logs }),
      'GET /jobs/:id/recipients': () => pageOf(done.sentMessages),
    },
  })
  const badges = async (table: string) =>
    [...(await screen.findByRole('table', { name: table })).querySelectorAll('.mantine-Badge-root')].map(
      (badge) => [
        badge.textContent,
        /--mantine-color-(\w+)-light/.exec(badge.getAttribute('style') ?? '')?.[1],
      ],
    )
  expect(await badges('Result for each recipient')).toEqual([
    ['Sent', 'green'],
    ['Failed', 'red'],
  ])
  expect(await badges('Logs')).toEqual([
    ['Info', 'cyan'],
    ['Warning', 'yellow'],
    ['Error', 'red'],
  ])
})

test.each([
  ['Pending', ['Cancel job', 'Delete', 'Pause job']],
  ['Completed', ['Delete', 'Restart', 'Send to remaining']],
  //
] as const)('the available actions on the page of a %s job', async (status, able) => {
  renderApp({ path: '/jobs/3', answers: { 'GET /jobs/:id': () => ({ ...job, status }) } })
  await screen.findByRole('heading', { name: 'Job #3' })
  const names = ['Cancel job', 'Delete', 'Pause job', 'Restart', 'Send to remaining']
  expect(
    names.filter((name) => screen.queryAllByRole('button', { name }).some((button) => !isDisabled(button))),
  ).toEqual(able)
})

//
test('deleting a job leads to the list without an error', async () => {
  let isThere = true
  const { person, router } = renderApp({
    path: '/jobs/3',
    answers: {
      'GET /jobs/:id': () => (isThere ? job : refuse(404, 'not_found')),
      'DELETE /jobs/:id': () => {
        isThere = false
        return undefined
      },
      'GET /jobs': () => pageOf([]),
    },
  })
  await person.click(await screen.findByRole('button', { name: 'Delete' }))
  const dialog = within(await screen.findByRole('dialog'))
  await person.click(dialog.getByRole('button', { name: 'Delete' }))
  expect(await screen.findByText('Job deleted successfully!')).toBeTruthy()
  await waitFor(() => expect(router.state.location.pathname).toBe('/jobs'))
  expect(screen.queryByText('Failed to load job details.')).toBeNull()
})

//
test('the user can page through many rows', async () => {
  const many = Array.from({ length: 200 }, (_, i) => ({ ...log, id: 500 - i }))
  const { person, requests } = renderApp({
    path: '/jobs/3',
    answers: {
      'GET /jobs/:id': () => ({ ...done, logs: many }),
      'GET /jobs/:id/logs': () => pageOf(many.slice(0, 100), 500, { page: 1, pageSize: 100 }),
    },
  })
  await person.click(await screen.findByRole('button', { name: 'Page through all' }))
  expect(await screen.findByText('Showing 1 to 100 of 500 entries')).toBeTruthy()
  expect(requests.at(-1)?.query).toEqual({ page: '1', pageSize: '100' })
})

//
test('a page of rows beyond the end is replaced by the last page', async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true })
  const many = Array.from({ length: 200 }, (_, i) => ({ ...log, id: 500 - i }))
  let total = 250
  const { person } = renderApp({
    path: '/jobs/3',
    answers: {
      'GET /jobs/:id': () => ({ ...job, logs: many }),
      'GET /jobs/:id/logs': ({ query }) => {
        const [page, pageSize] = [Number(query.page), Number(query.pageSize)]
        const rows = Array.from({ length: total }, (_, i) => ({ ...log, id: total - i }))
        return pageOf(rows.slice((page - 1) * pageSize, page * pageSize), total, { page, pageSize })
      },
    },
  })
  await person.click(await screen.findByRole('button', { name: 'Page through all' }))
  await person.click(await screen.findByRole('button', { name: 'Page 3' }))
  await screen.findByText('Showing 201 to 250 of 250 entries')
  total = 4
  // The rows are polled while the job runs.
  await vi.advanceTimersByTimeAsync(3000)
  await waitFor(() =>
    expect(within(screen.getByRole('table', { name: 'Logs' })).getAllByRole('row')).toHaveLength(1 + total),
  )
})

//
test('the recipients can be filtered by outcome', async () => {
  const [sent, failed] = job.sentMessages
  if (!sent || !failed) throw new Error('The job has sent nothing.')
  const waiting = { ...sent, id: 4, recipientName: 'Work', status: 'Waiting' } as const
  const { person, requests } = renderApp({
    path: '/jobs/3',
    answers: {
      'GET /jobs/:id': () => ({ ...job, failedCount: 1 }),
      'GET /jobs/:id/recipients': ({ query }) =>
        pageOf([failed, sent, waiting].filter(({ status }) => (query.outcome ?? status) === status)),
    },
  })
  const rows = async () => {
    const table = within(await screen.findByRole('table', { name: 'Result for each recipient' }))
    return table
      .getAllByRole('row')
      .slice(1)
      .map((row) => within(row).getAllByRole('cell')[1]?.textContent)
  }
  await screen.findByRole('table', { name: 'Result for each recipient' })
  expect(await rows()).toEqual(['Failed', 'Sent', 'Waiting'])
  const filters = within(screen.getByRole('group', { name: 'Show recipients by result' }))
  expect(filters.getAllByRole('button').map((button) => button.textContent)).toEqual([
    'All (3)',
    'Failed (1)',
    'Sent (1)',
    'Waiting (1)',
  ])
  await person.click(filters.getByRole('button', { name: 'Failed (1)' }))
  await waitFor(async () => expect(await rows()).toEqual(['Failed']))
  // The job runs, so its page may have asked for more since.
  const lastRead = requests.findLast(({ name }) => name === 'GET /jobs/:id/recipients')
  expect(lastRead?.query).toEqual({ page: '1', pageSize: '25', outcome: 'Failed' })
  expect(filters.getByRole('button', { name: 'Failed (1)' }).getAttribute('aria-pressed')).toBe('true')
  expect(screen.getByText('1 failed')).toBeTruthy()
})

//
test('filter, search and page of the recipients are in the address, and an export has what they leave', async () => {
  const { person, requests, router } = renderApp({
    path: '/jobs/3?outcome=Sent&page=2&pageSize=50',
    answers: {
      'GET /jobs/:id': () => job,
      'GET /jobs/:id/recipients': ({ query }) =>
        query.search === undefined
          ? pageOf(job.sentMessages.slice(0, 1), 51, {
              page: Number(query.page),
              pageSize: Number(query.pageSize),
            })
          : pageOf([]),
      'GET /jobs/:id/recipients/export/xlsx': () => refuse(503, 'unavailable'),
    },
  })
  const results = within(await screen.findByRole('region', { name: 'Result for each recipient' }))
  await results.findByRole('table')
  const lastQuery = () => requests.findLast(({ name }) => name === 'GET /jobs/:id/recipients')?.query
  expect(lastQuery()).toEqual({ page: '2', pageSize: '50', outcome: 'Sent' })

  await person.type(results.getByRole('searchbox'), 'hoa{Enter}')
  expect(await results.findByText('No data found')).toBeTruthy()
  expect(lastQuery()).toEqual({ page: '1', pageSize: '50', outcome: 'Sent', search: 'hoa' })
  expect(router.state.location.search).toEqual({ pageSize: 50, outcome: 'Sent', search: 'hoa' })

  await person.click(results.getByRole('button', { name: 'Export Excel' }))
  expect(await screen.findByText('Failed to export the results.')).toBeTruthy()
  expect(requests.find(({ name }) => name.endsWith('xlsx'))).toMatchObject({
    params: { id: '3' },
    query: { outcome: 'Sent', search: 'hoa' },
  })

  await person.click(results.getByRole('button', { name: 'Show all' }))
  expect(await results.findByRole('table')).toBeTruthy()
  expect(router.state.location.search).toEqual({ pageSize: 50, outcome: 'Sent' })
})

test('an open page reads only what changed, and adds the new lines of the log', async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true })
  const logs = [{ ...log, id: 2, reason: { code: 'job_paused', params: { user: 'lan' } } } as const]
  const { requests } = renderApp({
    path: '/jobs/3',
    answers: {
      'GET /jobs/:id': () => job,
      'GET /jobs/:id/changes': () => ({ ...job, progress: 66.67, logs }),
    },
  })
  await screen.findByText('33.33%')
  await vi.advanceTimersByTimeAsync(2000)
  expect(await screen.findByText('66.67%')).toBeTruthy()
  const reads = requests.filter(({ name }) => /^GET .jobs.:id(.changes)?$/.test(name))
  expect(reads.map(({ name, query }) => [name, query])).toEqual([
    ['GET /jobs/:id', {}],
    ['GET /jobs/:id/changes', { afterLog: '1' }],
  ])
  expect(within(screen.getByRole('table', { name: 'Logs' })).getAllByRole('row')).toHaveLength(3)
})

test('a restart, which clears the log, makes an open page read the whole job', async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true })
  let current = job
  renderApp({ path: '/jobs/3', answers: { 'GET /jobs/:id': () => current } })
  await screen.findByText('33.33%')
  current = { ...job, run: 2, progress: 0, logs: [{ ...log, id: 9 }] }
  await vi.advanceTimersByTimeAsync(2000)
  expect(await screen.findByText(/^0(\.00)?%$/)).toBeTruthy()
  expect(within(screen.getByRole('table', { name: 'Logs' })).getAllByRole('row')).toHaveLength(2)
})
