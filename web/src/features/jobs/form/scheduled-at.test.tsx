import { fireEvent, screen, waitFor } from '@testing-library/react'
import { expect, test, vi } from 'vitest'
import {
  endedSession,
  created as job,
  jobRequests,
  open,
  submit,
  timeField,
} from '../../../../test/job-form.tsx'
import { choose, signInAgain } from '../../../../test/steps.ts'
import { expireSession } from '../../../api/session.ts'
import { minuteOf } from '../../../format.ts'
import { currentToasts } from '../../../ui/toasts.ts'

/** Simulates a half-typed date: the input's value is empty, and the browser fires no event. */
const typeHalf = () => vi.spyOn(ValidityState.prototype, 'badInput', 'get').mockReturnValue(true)

const HALF = 'Enter both date and time, or clear both to send now.'
const PASSED = 'This time has passed. Choose a later time, or clear the field to send now.'

//
test('a job with a half-typed time is not sent until the time is complete or cleared', async () => {
  const { person, requests } = open({ 'POST /jobs': () => job })
  await choose(person, 'Message', '#5 Hello')
  await screen.findByText('2 selected')
  const half = typeHalf()
  await submit(person)
  expect(await screen.findByText(HALF)).toBeTruthy()
  await waitFor(async () => expect(document.activeElement).toBe(await timeField()))
  expect(jobRequests(requests)).toEqual([])

  half.mockRestore()
  await submit(person)
  await screen.findByText('Job created successfully!')
  expect(jobRequests(requests)).toMatchObject([{ scheduledAt: '' }])
})

//
test('a past time is refused, even if it passed while the form was filled in', async () => {
  const { person, requests } = open({ 'POST /jobs': () => job })
  // Without its seconds, this time is still ahead for a minute or more.
  const soon = Date.now() + 120_000
  await person.type(await timeField(), minuteOf(new Date(soon)))
  await choose(person, 'Message', '#5 Hello')
  await screen.findByText('2 selected')
  expect(screen.queryByText(PASSED)).toBeNull()
  vi.spyOn(Date, 'now').mockReturnValue(soon + 60_000)
  await submit(person)
  expect(await screen.findByText(PASSED)).toBeTruthy()
  fireEvent.change(await timeField(), { target: { value: '0026-01-05T10:00' } })
  await submit(person)
  expect(await screen.findByText(PASSED)).toBeTruthy()
  expect(jobRequests(requests)).toEqual([])

  await person.clear(await timeField())
  await submit(person)
  await screen.findByText('Job created successfully!')
  expect(jobRequests(requests)).toMatchObject([{ scheduledAt: '' }])
})

//
test('a form restored after a sign-in shows its time', async () => {
  const { person } = open(endedSession)
  await choose(person, 'Message', '#5 Hello')
  await person.type(await timeField(), '2099-01-05T10:00')
  await screen.findByText('2 selected')
  await submit(person)
  await signInAgain(person)
  expect((await timeField()).value).toBe('2099-01-05T10:00')
})

//
test('a restored form with a half-typed time shows an error and sends nothing', async () => {
  const { person, requests } = open(endedSession)
  await choose(person, 'Message', '#5 Hello')
  await screen.findByText('2 selected')
  const half = typeHalf()
  await person.click(await timeField())
  await person.click(screen.getByText('2 selected'))
  half.mockRestore()
  expireSession('a-token')
  await signInAgain(person)
  expect(await screen.findByText(HALF)).toBeTruthy()
  await screen.findByText('2 selected')
  await submit(person)
  expect(currentToasts()).toContainEqual(expect.objectContaining({ msg: 'Please correct the form errors.' }))
  expect(jobRequests(requests)).toEqual([])
})
