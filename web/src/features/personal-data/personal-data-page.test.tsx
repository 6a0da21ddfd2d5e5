import { screen, within } from '@testing-library/react'
import { expect, test } from 'vitest'
import { renderApp } from '../../../test/render.tsx'

const request = {
  id: 1,
  phoneNumber: '+84912345678',
  requestedBy: 'lan',
  requestedAt: '2026-11-26T10:00:00.000Z',
  unsettled: 2,
  erased: 0,
  doneAt: null,
}
const done = {
  ...request,
  id: 2,
  phoneNumber: null,
  unsettled: 0,
  erased: 17,
  doneAt: '2026-11-26T10:05:00.000Z',
}

// R-2108
test('an Admin forgets a number after a question, and sees what each request waits for', async () => {
  const { person, requests } = renderApp({
    path: '/settings/personal-data',
    answers: {
      'GET /personal-data/forget-requests': () => [request, done],
      'POST /personal-data/forget': () => request,
    },
  })
  const table = await screen.findByRole('table', { name: 'Requests to forget a number' })
  expect(within(table).getByText('Messages without a result: 2. Continues once they have one.')).toBeTruthy()
  expect(within(table).getByText(/Records deleted or emptied: 17\./)).toBeTruthy()

  await person.click(screen.getByRole('button', { name: 'Forget this number' }))
  await screen.findByText('Enter a phone number.')
  await person.type(screen.getByLabelText(/Phone number/), '0912 345 678')
  await person.click(screen.getByRole('button', { name: 'Forget this number' }))
  const question = await screen.findByRole('dialog')
  expect(requests.some(({ name }) => name === 'POST /personal-data/forget')).toBe(false)
  await person.click(within(question).getByRole('button', { name: 'Forget this number' }))

  await screen.findByText('The number is being forgotten.')
  expect(requests.find(({ name }) => name === 'POST /personal-data/forget')?.body).toEqual({
    phoneNumber: '0912 345 678',
  })
})
