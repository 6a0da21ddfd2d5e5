import type { JobStatus } from '@sendroom/contract/job-life'
import { act, screen, waitFor, within } from '@testing-library/react'
import { expect, test } from 'vitest'
import { done, job, row } from '../../../../test/job.ts'
import { member, renderApp } from '../../../../test/render.tsx'
import { type Answers, pageOf, refuse } from '../../../../test/server.ts'
import { isDisabled, reasonOf } from '../../../../test/steps.ts'
import { currentToasts } from '../../../ui/toasts.ts'

const ended = { ...row, id: 4, jobType: 'SendToUsers', status: 'Completed', messageTitle: 'Short' } as const
const open = (more: Answers = {}, path = '/jobs') =>
  renderApp({ path, answers: { 'GET /jobs': () => pageOf([row, ended]), ...more } })
const rowOf = async (name: RegExp | string) => within(await screen.findByRole('row', { name }))
const findDialog = async () => within(await screen.findByRole('dialog'))
const expectToast = (msg: string, type = 'success', timeout = 3000) =>
  waitFor(() => expect(currentToasts()).toMatchObject([{ type, msg, timeout }]))

//
test('a row shows the job’s fields in this order, with the time in Vietnam', async () => {
  open()
  const cells = (await rowOf(/xxxx/)).getAllByRole('cell')
  expect(cells.slice(1, -1).map((cell) => cell.textContent)).toEqual([
    '3',
    'Send to groups',
    `${'x'.repeat(50)}...`,
    'Shop',
    'Running1/3',
    '1/2/26, 10:04 AM',
  ])
  expect((await rowOf(/Short/)).getByText('Send to phone numbers')).toBeTruthy()
  const headers = screen.getAllByRole('columnheader').map((header) => header.textContent)
  expect(headers.slice(1)).toEqual(['Id', 'Type', 'Message', 'Account', 'Status', 'Created at', 'Actions'])
})

test.each([
  ['Pending', 'Pending', 'yellow'],
  ['Running', 'Running', 'cyan'],
  ['Completed', 'Completed', 'green'],
  ['Failed', 'Failed', 'red'],
  ['Cancelled', 'Cancelled', 'gray'],
  //
] as const)('a %s job has the badge %s in %s', async (status, words, color) => {
  open({ 'GET /jobs': () => pageOf([{ ...row, status }]) })
  const badge = (await (await rowOf(/Shop/)).findByText(words)).closest('.mantine-Badge-root')
  expect(badge?.getAttribute('style')).toContain(`--mantine-color-${color}-light`)
})

//
test('a job has the picture of its message, and says how many recipients got it', async () => {
  open({
    'GET /jobs': () =>
      pageOf([{ ...row, imageUrl: '/images/a.webp', sentCount: 1200, recipientCount: 4800 }]),
  })
  const cells = await rowOf(/Shop/)
  expect(cells.getByRole('presentation').getAttribute('src')).toBe('/images/a.webp')
  expect(cells.getByText('1,200/4,800')).toBeTruthy()
  expect(cells.getByRole('progressbar').getAttribute('aria-valuenow')).toBe('25')
})

//
test('a list that the address limits says so, keeps the limit, and shows all again', async () => {
  const { person, requests, router } = open({}, '/jobs?only=failures')
  const lastQuery = () => requests.findLast(({ name }) => name === 'GET /jobs')?.query
  expect(await screen.findByText('Only jobs with failures in the last 7 days')).toBeTruthy()
  expect(lastQuery()).toMatchObject({ only: 'failures' })
  await person.type(screen.getByRole('searchbox'), 'x{Enter}')
  await waitFor(() => expect(lastQuery()).toMatchObject({ only: 'failures', search: 'x' }))
  for (const [only, words] of [
    ['stuck', 'Only jobs that stand still'],
    ['running', 'Only running jobs'],
    ['pending', 'Only pending jobs'],
  ] as const) {
    await act(() => router.navigate({ to: '/jobs', search: { only } }))
    expect(await screen.findByText(words)).toBeTruthy()
  }
  await person.click(screen.getByRole('link', { name: 'Show all' }))
  await waitFor(() => expect(router.state.location.href).toBe('/jobs'))
  await waitFor(() => expect(lastQuery()).not.toHaveProperty('only'))
  expect(screen.queryByText(/^Only/)).toBeNull()
})

test('a completed job says how many recipients have failed', async () => {
  open({
    'GET /jobs': () =>
      pageOf([
        { ...row, status: 'Completed', failedCount: 1234 },
        { ...ended, failedCount: 0 },
      ]),
  })
  const status = async (name: RegExp) => (await rowOf(name)).getAllByRole('cell')[5]?.textContent
  expect(await status(/xxxx/)).toBe('Completed1,234 failed1/3')
  expect(await status(/Short/)).toBe('Completed1/3')
})

const actions: [JobStatus, boolean, boolean][] = [
  ['Pending', false, true],
  ['Running', false, true],
  ['Completed', true, false],
  ['Failed', true, false],
  ['Cancelled', true, false],
]
test.each(actions)(
  //
  'a %s job: restart is available: %s, cancel is available: %s',
  async (status, canRestart, canCancel) => {
    open({ 'GET /jobs': () => pageOf([{ ...row, status }]) })
    const cells = await rowOf(/Shop/)
    const isOn = (name: string) => !isDisabled(cells.getByRole('button', { name }))
    expect([isOn('Restart'), isOn('Cancel job')]).toEqual([canRestart, canCancel])
  },
)

test.each([
  ['Enter', '{Enter}'],
  ['the button', ''],
  //
])('the list is sorted descending, and a search by %s starts at page 1', async (_, key) => {
  const { requests, person } = open({}, '/jobs?page=3')
  await rowOf(/Short/)
  await person.type(screen.getByRole('searchbox'), `tết${key}`)
  if (key === '') await person.click(screen.getByRole('button', { name: 'Search' }))
  const usual = { page: '1', pageSize: '10', sortBy: 'id', sortDirection: 'desc' }
  const queries = () => requests.filter(({ name }) => name === 'GET /jobs').map(({ query }) => query)
  await waitFor(() => expect(queries().at(-1)).toEqual({ ...usual, search: 'tết' }))
  expect(queries()[0]).toEqual({ ...usual, page: '3' })
})

//
test('the list has pages', async () => {
  open({ 'GET /jobs': () => pageOf([row], 11, { page: 1, pageSize: 10 }) })
  expect(await screen.findByText('Showing 1 to 10 of 11 entries')).toBeTruthy()
})

//
test('the selected jobs are deleted after a confirmation', async () => {
  const { person, requests } = open({ 'POST /jobs/bulk-delete': () => undefined })
  await rowOf(/Short/)
  const all = screen.getByLabelText<HTMLInputElement>('Select all')
  const bulk = (count: number) =>
    screen.getByRole<HTMLButtonElement>('button', { name: `Delete selected (${count})` })
  expect(bulk(0).disabled).toBe(true)
  await person.click(screen.getByLabelText('Select Id 4'))
  expect([bulk(1).disabled, all.checked]).toEqual([false, false])
  await person.click(all)
  await person.click(bulk(2))
  const dialog = await findDialog()
  expect(dialog.getByText('Are you sure you want to delete 2 selected jobs?')).toBeTruthy()
  await person.click(dialog.getByRole('button', { name: 'Delete' }))
  await expectToast('Jobs deleted successfully!')
  expect(requests.find(({ name }) => name.startsWith('POST'))?.body).toEqual({ jobIds: [3, 4] })
})

//
test('the add link and the details button open their pages', async () => {
  const { person, router } = open({ 'GET /jobs/:id': () => job })
  expect((await screen.findByRole('link', { name: 'Add job' })).getAttribute('href')).toBe('/jobs/new')
  await person.click((await rowOf(/xxxx/)).getByRole('button', { name: 'View details' }))
  await waitFor(() => expect(router.state.location.pathname).toBe('/jobs/3'))
})

const questions = [
  [
    //
    'POST /jobs/:id/restart',
    /Short/,
    'Restart',
    /^Are you sure you want to restart this job\? All previous sent messages and logs will be cleared\./,
    'Restart',
    'Job restarted successfully!',
    '4',
  ],
  [
    //
    'POST /jobs/:id/cancel',
    /xxxx/,
    'Cancel job',
    'Are you sure you want to cancel this job?',
    'Cancel job',
    'Job cancelled successfully!',
    '3',
  ],
  [
    //
    'DELETE /jobs/:id',
    /xxxx/,
    'Delete',
    'Are you sure you want to delete this job?',
    'Delete',
    'Job deleted successfully!',
    '3',
  ],
] as const
test.each(questions)(
  '%s is called after a confirmation',
  async (name, which, button, question, yes, words, id) => {
    const { person, requests } = open({
      [name]: () => (name.startsWith('DELETE') ? undefined : row),
      'GET /jobs/:id': () => done,
    })
    await person.click((await rowOf(which)).getByRole('button', { name: button }))
    const dialog = await findDialog()
    expect(dialog.getByText(question)).toBeTruthy()
    await person.click(dialog.getByRole('button', { name: yes }))
    await expectToast(words)
    expect(requests.find((request) => request.name === name)).toMatchObject({
      params: { id },
      body: undefined,
    })
  },
)

//
test.each(questions)('%s is not called if the user cancels', async (name, which, button) => {
  const { person, requests } = open({ 'GET /jobs/:id': () => done })
  await person.click((await rowOf(which)).getByRole('button', { name: button }))
  const dialog = await findDialog()
  await person.click(
    dialog
      .getAllByRole('button', { name: button === 'Cancel job' ? 'Close' : 'Cancel' })
      .at(-1) as HTMLElement,
  )
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  expect(
    requests.every((request) => request.name.startsWith('GET')),
    name,
  ).toBe(true)
})

//
test('the toast of a cancelled job is in the user’s language', async () => {
  const { person } = renderApp({
    path: '/jobs',
    language: 'vi',
    answers: { 'GET /jobs': () => pageOf([row]), 'POST /jobs/:id/cancel': () => row },
  })
  await person.click((await rowOf(/Shop/)).getByRole('button', { name: 'Hủy lượt gửi' }))
  await person.click((await findDialog()).getByRole('button', { name: 'Hủy lượt gửi' }))
  await expectToast('Đã hủy lượt gửi.')
})

test.each([
  //
  ['POST /jobs/:id/restart', /Short/, 'Restart', 'Restart', 'Error restarting job'],
  //
  ['POST /jobs/:id/cancel', /xxxx/, 'Cancel job', 'Cancel job', 'Error cancelling job'],
  //
  ['DELETE /jobs/:id', /xxxx/, 'Delete', 'Delete', 'Error deleting job'],
] as const)('a failed %s shows a toast', async (name, which, button, yes, words) => {
  const { person } = open({ [name]: () => refuse(500, 'internal'), 'GET /jobs/:id': () => done })
  await person.click((await rowOf(which)).getByRole('button', { name: button }))
  await person.click((await findDialog()).getByRole('button', { name: yes }))
  await expectToast(words, 'error', 5000)
})

//
test('a failed bulk delete shows a toast and keeps the jobs', async () => {
  const { person } = open({ 'POST /jobs/bulk-delete': () => refuse(500, 'internal') })
  await rowOf(/Short/)
  await person.click(screen.getByLabelText('Select all'))
  await person.click(screen.getByRole('button', { name: 'Delete selected (2)' }))
  await person.click((await findDialog()).getByRole('button', { name: 'Delete' }))
  await expectToast('Error deleting job', 'error', 5000)
  expect(await rowOf(/Short/)).toBeTruthy()
})

//
test('a list that could not be loaded shows a toast and a retry button', async () => {
  open({ 'GET /jobs': () => refuse(500, 'internal') })
  await expectToast('Error loading job', 'error', 5000)
  expect(await screen.findByRole('button', { name: 'Try again' })).toBeTruthy()
})

test.each([
  ['a user who may create jobs', '/jobs', member, /^No data yet\. Choose “Add job”/],
  ['a user who may only look', '/jobs', { ...member, canCreateJobs: false }, 'No data'],
  ['a search', '/jobs?search=abc', member, 'No data found'],
  //
] as const)('an empty list has a text for %s', async (_, path, user, words) => {
  renderApp({ path, user, answers: { 'GET /jobs': () => pageOf([]) } })
  expect((await screen.findByText(words)).closest('td')).toBeTruthy()
})

//
test('a Member who may not create jobs can only view them, and the buttons say why', async () => {
  const user = { ...member, canCreateJobs: false }
  renderApp({ path: '/jobs', user, answers: { 'GET /jobs': () => pageOf([row]) } })
  const view = (await rowOf(/Shop/)).getByRole('button', { name: 'View details' })
  for (const name of ['Restart', 'Cancel job', 'Delete', 'Add job', 'Pause job']) {
    const button = screen.getByRole<HTMLButtonElement>('button', { name })
    expect([isDisabled(button), reasonOf(button)]).toEqual([
      true,
      expect.stringMatching(/^You can view jobs/),
    ])
  }
  expect(isDisabled(view)).toBe(false)
})
