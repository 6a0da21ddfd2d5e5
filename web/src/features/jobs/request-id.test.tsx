import type { JobRow } from '@sendroom/contract/jobs'
import { screen, waitFor } from '@testing-library/react'
import { afterEach, expect, test, vi } from 'vitest'
import { z } from 'zod'
import { assigned, hello, created as job, open, ordered, submit, timeField } from '../../../test/job-form.tsx'
import { choose } from '../../../test/steps.ts'
import { currentToasts, removeToast } from '../../ui/toasts.ts'

afterEach(() => {
  for (const { id } of currentToasts()) removeToast(id)
})

/** The form, after it was closed while it was sent. */
const opened = () =>
  waitFor(async () => expect((await timeField()).closest('fieldset')?.disabled).toBe(false))

/** The request arrives, its answer does not. */
const lose = () => Promise.reject(new TypeError('Failed to fetch'))

//
test('a job whose answer is lost is asked for again as the same; the next one and another are new ones', async () => {
  let answer: () => JobRow | Promise<JobRow> = lose
  const { person, seen, router } = open({ 'POST /jobs': () => answer() })
  const timesAsked = async (times: number) => waitFor(() => expect(ordered(seen)).toHaveLength(times))
  await choose(person, 'Message', '#5 Hello')
  await screen.findByText('2 selected')
  await submit(person)
  await waitFor(() =>
    expect(currentToasts()).toMatchObject([
      { title: 'Failed to create job.', msg: 'The server could not be reached. Check your connection.' },
    ]),
  )
  await opened()
  await submit(person)
  await timesAsked(2)
  await opened()
  await person.type(await timeField(), '2099-01-05T10:00')
  await submit(person)
  await timesAsked(3)
  await opened()
  answer = () => job
  await submit(person)
  await screen.findByRole('heading', { name: 'Jobs' })
  await router.navigate({ to: '/jobs/new' })
  await choose(person, 'Message', '#5 Hello')
  await screen.findByText('2 selected')
  await person.type(await timeField(), '2099-01-05T10:00')
  await submit(person)
  await timesAsked(5)

  const [first, again, later, laterAgain, next] = ordered(seen).map(({ requestId }) => requestId)
  expect(z.uuid().safeParse(first).success).toBe(true)
  expect(again).toBe(first)
  expect(later).not.toBe(first)
  expect(laterAgain).toBe(later)
  expect([first, later]).not.toContain(next)
})

//
test('a job of a message that says something else by now is another one', async () => {
  let text = 'Hello'
  const { person, seen } = open({
    'GET /messages/:id': () => ({ ...hello, textContent: text, assignedGroups: assigned }),
    'POST /jobs': lose,
  })
  await choose(person, 'Message', '#5 Hello')
  await screen.findByText('2 selected')
  await submit(person)
  await opened()
  text = 'Hello, all'
  await choose(person, 'Message', '#6 No groups here')
  await choose(person, 'Message', '#5 Hello')
  await screen.findByText('Hello, all')
  await screen.findByText('2 selected')
  await submit(person)
  await waitFor(() => expect(ordered(seen)).toHaveLength(2))

  const [first, again] = ordered(seen).map(({ requestId }) => requestId)
  expect(again).not.toBe(first)
})

//
test('a job whose answer is lost after one has left its form is asked for again as the same, for an hour', async () => {
  const now = Date.now()
  let fail = () => {}
  const { person, seen, router } = open({
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
  await screen.findByText('What you had typed here is back.')
  await submit(person)
  await waitFor(() => expect(ordered(seen)).toHaveLength(2))
  fail()
  await opened()
  vi.spyOn(Date, 'now').mockReturnValue(now + 3_700_000)
  await submit(person)
  await waitFor(() => expect(ordered(seen)).toHaveLength(3))

  const [first, again, muchLater] = ordered(seen).map(({ requestId }) => requestId)
  expect(again).toBe(first)
  expect(muchLater).not.toBe(first)
})
