import type { Retention } from '@sendroom/contract/retention'
import { screen } from '@testing-library/react'
import { expect, test } from 'vitest'
import { renderApp } from '../../../test/render.tsx'

const initial: Retention = {
  deliveryDays: null,
  logDays: 30,
  receiptDays: 7,
  messageDays: null,
  groupDays: 90,
  contactDays: null,
}

// R-598, R-2138
test('an Admin sets how long each kind is kept; an empty field means for ever', async () => {
  const { person, requests } = renderApp({
    path: '/settings/retention',
    answers: { 'GET /retention': () => initial, 'PUT /retention': () => initial },
  })
  const recipients = await screen.findByLabelText('Recipients of ended jobs (days)')
  expect(recipients).toHaveProperty('value', '')
  await person.type(recipients, '6')
  await person.click(screen.getByRole('button', { name: 'Save' }))
  await screen.findByText('Enter a whole number from 7 to 3,650, or leave this empty.')

  const messages = screen.getByLabelText('Unused messages (days)')
  await person.type(messages, '29')
  await person.click(screen.getByRole('button', { name: 'Save' }))
  await screen.findByText('Enter a whole number from 30 to 3,650, or leave this empty.')

  await person.type(messages, '0')
  await person.type(recipients, '0')
  await person.clear(screen.getByLabelText('Logs of ended jobs (days)'))
  await person.click(screen.getByRole('button', { name: 'Save' }))

  await screen.findByText('Retention saved.')
  expect(requests.filter(({ name }) => name === 'PUT /retention').map(({ body }) => body)).toEqual([
    { deliveryDays: 60, logDays: null, receiptDays: 7, messageDays: 290, groupDays: 90, contactDays: null },
  ])
})
