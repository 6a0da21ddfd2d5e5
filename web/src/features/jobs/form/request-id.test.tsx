import type { JobRow } from '@sendroom/contract/jobs'
import { screen, waitFor } from '@testing-library/react'
import { expect, test, vi } from 'vitest'
import { z } from 'zod'
import {
  assigned,
  hello,
  created as job,
  jobRequests,
  open,
  submit,
  timeField,
} from '../../../../test/job-form.tsx'
import { choose } from '../../../../test/steps.ts'
import { currentToasts } from '../../../ui/toasts.ts'

/** Waits until the form is enabled again after sending. */
const untilEnabled = () =>
  waitFor(async () => expect((await timeField()).closest('fieldset')?.disabled).toBe(false))

/** The request arrives, but its answer is lost. */
const loseAnswer = () => Promise.reject(new TypeError('Failed to fetch'))

//
test('a retry after a lost answer reuses the request id; a changed job and the next job get new ones', async () => {
  let answer: () => JobRow | Promise<JobRow> = loseAnswer
  const { person, requests, router } = open({ 'POST /jobs': () => answer() })
  const untilRequested = async (times: number) =>
    waitFor(() => expect(jobRequests(requests)).toHaveLength(times))
  await choose(person, 'Message', '#5 Hello')
  await screen.findByText('2 selected')
  await submit(person)
  await waitFor(() =>
    expect(currentToasts()).toMatchObject([
      { title: 'Failed to create job.', msg: 'No connection to the server. Check your network.' },
    ]),
  )
  await untilEnabled()
  await submit(person)
  await untilRequested(2)
  await untilEnabled()
  await person.type(await timeField(), '2099-01-05T10:00')
  await submit(person)
  await untilRequested(3)
  await untilEnabled()
  answer = () => job
  await submit(person)
  await screen.findByRole('heading', { name: 'Jobs' })
  await router.navigate({ to: '/jobs/new' })
  await choose(person, 'Message', '#5 Hello')
  await screen.findByText('2 selected')
  await person.type(await timeField(), '2099-01-05T10:00')
  await submit(person)
  await untilRequested(5)

  const [first, again, later, laterAgain, next] = jobRequests(requests).map(({ requestId }) => requestId)
  expect(z.uuid().safeParse(first).success).toBe(true)
  expect(again).toBe(first)
  expect(later).not.toBe(first)
  expect(laterAgain).toBe(later)
  expect([first, later]).not.toContain(next)
})

//
test('a job whose message was changed meanwhile gets a new request id', async () => {
  let text = 'Hello'
  const { person, requests } = open({
    'GET /messages/:id': () => ({ ...hello, textContent: text, assignedGroups: assigned, version: 1 }),
    'POST /jobs': loseAnswer,
  })
  await choose(person, 'Message', '#5 Hello')
  await screen.findByText('2 selected')
  await submit(person)
  await untilEnabled()
  text = 'Hello, all'
  await choose(person, 'Message', '#6 No groups here')
  await choose(person, 'Message', '#5 Hello')
  await screen.findByText('Hello, all')
  await screen.findByText('2 selected')
  await submit(person)
  await waitFor(() => expect(jobRequests(requests)).toHaveLength(2))

  const [first, again] = jobRequests(requests).map(({ requestId }) => requestId)
  expect(again).not.toBe(first)
})

//
test('the request id survives leaving the form and expires after an hour', async () => {
  const now = Date.now()
  let fail = () => {}
  const { person, requests, router } = open({
    'POST /jobs': () => new Promise((_, reject) => (fail = () => reject(new TypeError('Failed to fetch')))),
  })
  await choose(person, 'Message', '#5 Hello')
  await screen.findByText('2 selected')
  await submit(person)
  await router.navigate({ to: '/jobs' })
  await screen.findByRole('heading', { name: 'Jobs' })
  fail()
  await screen.findByText('Failed to create job.')
  await router.navigate({ to: '/jobs/new' })
  await screen.findByText('Your earlier input is back.')
  await submit(person)
  await waitFor(() => expect(jobRequests(requests)).toHaveLength(2))
  fail()
  await untilEnabled()
  vi.spyOn(Date, 'now').mockReturnValue(now + 3_700_000)
  await submit(person)
  await waitFor(() => expect(jobRequests(requests)).toHaveLength(3))

  const [first, again, muchLater] = jobRequests(requests).map(({ requestId }) => requestId)
  expect(again).toBe(first)
  expect(muchLater).not.toBe(first)
})
