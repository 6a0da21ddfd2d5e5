import type { Job } from '@sendroom/contract/jobs'
import { screen, waitFor, within } from '@testing-library/react'
import { expect, test } from 'vitest'
import { done, job, row } from '../../../../test/job.ts'
import { member, renderApp } from '../../../../test/render.tsx'
import { type Answers, pageOf, refuse } from '../../../../test/server.ts'
import { isDisabled, reasonOf } from '../../../../test/steps.ts'

/** Opens the page of this job. */
const open = (shown: Job, more: Answers = {}) =>
  renderApp({ path: '/jobs/3', answers: { 'GET /jobs/:id': () => shown, ...more } })
const dialog = async () => within(await screen.findByRole('dialog'))
const counts = (change: Partial<Job['recipients']>): Job => ({
  ...done,
  recipients: { ...done.recipients, waiting: 0, ...change },
})

//
test('a job can be paused and resumed from the list', async () => {
  let isPaused = false
  const setPaused = (to: boolean) => () => {
    isPaused = to
    return row
  }
  const { person } = renderApp({
    path: '/jobs',
    answers: {
      'GET /jobs': () => pageOf([{ ...row, isPaused }]),
      'POST /jobs/:id/pause': setPaused(true),
      'POST /jobs/:id/resume': setPaused(false),
    },
  })
  await person.click(await screen.findByRole('button', { name: 'Pause job' }))
  expect(await screen.findByText('Job paused.')).toBeTruthy()
  expect(await screen.findByText('Paused')).toBeTruthy()
  await person.click(await screen.findByRole('button', { name: 'Resume job' }))
  expect(await screen.findByText('Job resumed.')).toBeTruthy()
  await waitFor(() => expect(screen.queryByText('Paused')).toBeNull())
})

//
test('restarting says how many get the message again, and names the alternative', async () => {
  const { person, requests } = open(counts({ sent: 2, failed: 2, unknown: 1 }), {
    'POST /jobs/:id/restart': () => row,
  })
  await person.click(await screen.findByRole('button', { name: 'Restart' }))
  const asked = await dialog()
  for (const words of [
    /All previous sent messages and logs will be cleared\./,
    /2 recipients already have this message and will get it again\./,
    /1 recipient may already have this message/,
    /use “Send to remaining” instead/,
  ])
    expect(asked.getByText(words)).toBeTruthy()
  await person.click(asked.getByRole('button', { name: 'Restart' }))
  expect(await screen.findByText('Job restarted successfully!')).toBeTruthy()
  expect(requests.some(({ name }) => name === 'POST /jobs/:id/restart')).toBe(true)
})

//
test('a retry leaves out recipients in doubt unless the user includes them', async () => {
  const { person, requests } = open(counts({ failed: 3, unknown: 2, skipped: 1 }), {
    'POST /jobs/:id/retry-failed': () => row,
  })
  const send = async (includeUnknown: boolean) => {
    await person.click(await screen.findByRole('button', { name: 'Send to remaining' }))
    const asked = await dialog()
    expect(asked.getByText(/^2 recipients don’t have this message/)).toBeTruthy()
    if (includeUnknown) await person.click(asked.getByLabelText(/Also send to 2 recipients/))
    await person.click(asked.getByRole('button', { name: 'Send' }))
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  }
  await send(false)
  expect(await screen.findByText('Sending to remaining recipients.')).toBeTruthy()
  await send(true)
  const bodies = () => requests.filter(({ name }) => name.includes('retry-failed')).map(({ body }) => body)
  await waitFor(() => expect(bodies()).toEqual([{ includeUnknown: false }, { includeUnknown: true }]))
})

//
test('a retry must include recipients in doubt if there are no others', async () => {
  const { person } = open(counts({ failed: 1, unknown: 1 }))
  await person.click(await screen.findByRole('button', { name: 'Send to remaining' }))
  const asked = await dialog()
  const send = asked.getByRole<HTMLButtonElement>('button', { name: 'Send' })
  expect(send.disabled).toBe(true)
  await person.click(asked.getByLabelText(/Also send to 1 recipient/))
  expect(send.disabled).toBe(false)
  await person.click(asked.getByRole('button', { name: 'Cancel' }))
})

//
test('there is nothing to retry if everybody got the message: the page and the list say so', async () => {
  const all = { ...done, hasRemaining: false }
  const { router } = open(all, { 'GET /jobs': () => pageOf([{ ...row, status: 'Cancelled' }]) })
  const button = await screen.findByRole<HTMLButtonElement>('button', { name: 'Send to remaining' })
  expect(isDisabled(button)).toBe(true)
  expect(reasonOf(button)).toBe('No recipients remain.')
  await router.navigate({ to: '/jobs' })
  const inList = await screen.findByRole('button', { name: 'Send to remaining' })
  expect([isDisabled(inList), reasonOf(inList)]).toEqual([true, 'No recipients remain.'])
})

test('a refusal shows its reason below the toast’s title', async () => {
  const { person } = open(job, { 'POST /jobs/:id/pause': () => refuse(409, 'job_not_pausable') })
  await person.click(await screen.findByRole('button', { name: 'Pause job' }))
  expect(await screen.findByText('Error pausing job')).toBeTruthy()
  expect(screen.getByText(/This job is already paused or has ended/)).toBeTruthy()
})

const stopped: Job = {
  ...job,
  waiting: { code: 'account_failures', params: { count: 10 } },
  nextSendAt: null,
}

const unread: Job = { ...stopped, waiting: { code: 'history_unreadable', params: {} } }

test.each([
  ['was stopped after failures', stopped, /The last 10 messages of this account failed/],
  ['has an unreadable history', unread, /The chat history can’t be read/],
])('an instance that %s is resumed after a confirmation', async (_, shown, why) => {
  const { person, requests } = open(shown, { 'POST /instances/:id/resume': () => undefined })
  await person.click(await screen.findByRole('button', { name: 'Resume sending' }))
  const asked = await dialog()
  expect(asked.getByText(why)).toBeTruthy()
  await person.click(asked.getByRole('button', { name: 'Resume sending' }))
  expect(await screen.findByText('Sending resumed.')).toBeTruthy()
  expect(requests.find(({ name }) => name === 'POST /instances/:id/resume')?.params).toEqual({ id: '7' })
})

test.each([
  ['a user who may not create jobs', { ...member, canCreateJobs: false }, stopped],
  ['a reason that ends without a user', member, { ...job, waiting: { code: 'account_unpaid', params: {} } }],
] as const)('there is no resume button for %s', async (_, user, shown) => {
  renderApp({ path: '/jobs/3', user, answers: { 'GET /jobs/:id': () => shown } })
  expect(await screen.findByRole('link', { name: 'Open accounts' })).toBeTruthy()
  expect(screen.queryByRole('button', { name: 'Resume sending' })).toBeNull()
})
