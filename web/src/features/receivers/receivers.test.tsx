import type { Attempt, Receiver } from '@sendroom/contract/receivers'
import { screen, waitFor, within } from '@testing-library/react'
import { expect, test } from 'vitest'
import { renderApp } from '../../../test/render.tsx'
import { type Answers, refuse } from '../../../test/server.ts'
import './receiver-form-page.tsx'
import './receiver-page.tsx'
import './receivers-page.tsx'

const receiver: Receiver = {
  id: 3,
  name: 'Shop system',
  url: 'https://shop.example/hook',
  topics: ['job', 'trouble'],
  isActive: true,
  allowsOwnNetwork: false,
  createdAt: '2026-11-22T08:00:00.000Z',
  waiting: 12,
  arrivedAt: '2026-11-22T08:00:00.000Z',
  failedAt: '2026-11-22T09:00:00.000Z',
}
const attempt: Attempt = {
  id: 8,
  eventId: 'e-8',
  type: 'job.completed',
  at: '2026-11-22T09:00:00.000Z',
  durationMs: 41,
  hasArrived: false,
  status: 500,
  error: null,
  isWaiting: true,
  body: '{"id":"e-8"}',
}
const attempts = [
  attempt,
  { ...attempt, id: 7, status: null, error: 'OWN_NETWORK', isWaiting: false },
  { ...attempt, id: 6, status: 204, hasArrived: true, isWaiting: false },
]
const answers: Answers = {
  'GET /receivers': () => ({ receivers: [receiver, { ...receiver, id: 4, name: 'Other', isActive: false }] }),
  'GET /receivers/:id': () => ({ receiver, attempts }),
  'POST /receivers': () => ({ receiver, secret: 'whsec_abc' }),
  'PUT /receivers/:id': () => receiver,
  'POST /receivers/:id/test': () => undefined,
  'POST /receivers/:id/attempts/:attemptId/send': () => undefined,
  'DELETE /receivers/:id': () => undefined,
}
const open = (path: string, more: Answers = {}) => renderApp({ path, answers: { ...answers, ...more } })

//
test('the list shows how receivers are, and an empty one says so', async () => {
  open('/settings/webhooks')
  expect((await screen.findByRole('link', { name: 'Shop system' })).getAttribute('href')).toBe(
    '/settings/webhooks/3',
  )
  for (const words of ['Failing', 'Off']) expect(screen.getByText(words)).toBeTruthy()
  expect(screen.getAllByText('Jobs, Troubles')).toHaveLength(2)
})

//
test('a new receiver shows its secret once; errors are shown at their fields', async () => {
  const { person, requests, router } = open('/settings/webhooks/new', {
    'POST /receivers': ({ body }) =>
      (body as { name: string }).name === 'Full'
        ? refuse(409, 'too_many_receivers')
        : { receiver, secret: 'whsec_abc' },
  })
  await person.type(await screen.findByLabelText(/^Name/), 'Full')
  await person.type(screen.getByLabelText(/^Address/), 'http://shop.example')
  await person.click(screen.getByRole('button', { name: 'Save' }))
  await screen.findByText(/^Enter an address that begins with https:\/\/, or allow/)
  await person.click(screen.getByRole('checkbox', { name: /^Allow addresses in your own network/ }))
  await person.click(screen.getByRole('button', { name: 'Save' }))
  await screen.findByText('There can be 20 receivers at most.')

  await person.type(screen.getByLabelText(/^Name/), ' no more')
  await person.click(screen.getByRole('checkbox', { name: /^Messages/ }))
  await person.click(screen.getByRole('button', { name: 'Save' }))
  expect(await screen.findByLabelText('Secret')).toHaveProperty('value', 'whsec_abc')
  expect(requests.findLast(({ name }) => name === 'POST /receivers')?.body).toEqual({
    name: 'Full no more',
    url: 'http://shop.example',
    topics: ['job', 'trouble', 'delivery'],
    isActive: true,
    allowsOwnNetwork: true,
  })
  await person.click(screen.getByRole('link', { name: 'I have copied it' }))
  await waitFor(() => expect(router.state.location.pathname).toBe('/settings/webhooks/3'))
})

//
test('the page of a receiver lists attempts, sends again, sends a test and deletes', async () => {
  const { person, requests, router } = open('/settings/webhooks/3')
  const table = await screen.findByRole('table', { name: 'Last attempts' })
  const [first, second, third] = within(table).getAllByRole('row').slice(1)
  for (const [row, words] of [
    [first, 'HTTP 500'],
    [first, 'Retrying automatically'],
    [second, 'Address in your own network, which this receiver may not use'],
    [third, 'Arrived'],
  ] as const)
    expect(within(row as HTMLElement).getByText(words)).toBeTruthy()
  await person.click(within(third as HTMLElement).getByRole('button', { name: 'Send again' }))
  await person.click(screen.getByRole('button', { name: 'Send a test event' }))
  await waitFor(() =>
    expect(requests.filter(({ name }) => name.startsWith('POST /receivers')).map(({ name }) => name)).toEqual(
      ['POST /receivers/:id/attempts/:attemptId/send', 'POST /receivers/:id/test'],
    ),
  )
  await person.click(screen.getByRole('button', { name: 'Delete' }))
  await person.click(within(await screen.findByRole('dialog')).getByRole('button', { name: 'Delete' }))
  await waitFor(() => expect(router.state.location.pathname).toBe('/settings/webhooks'))
})

//
test('a receiver that is off offers no sending', async () => {
  open('/settings/webhooks/3', {
    'GET /receivers/:id': () => ({ receiver: { ...receiver, isActive: false }, attempts }),
  })
  await screen.findByRole('table', { name: 'Last attempts' })
  for (const name of ['Send again', 'Send a test event'])
    expect(screen.queryByRole('button', { name })).toBeNull()
})

test('the form of an existing receiver shows it, and saves', async () => {
  const { person, requests, router } = open('/settings/webhooks/edit/3')
  const name = await screen.findByLabelText(/^Name/)
  expect(name).toHaveProperty('value', 'Shop system')
  await person.type(name, ' 2')
  await person.click(screen.getByRole('button', { name: 'Save' }))
  await waitFor(() => expect(router.state.location.pathname).toBe('/settings/webhooks/3'))
  expect(requests.find(({ name }) => name.startsWith('PUT'))?.body).toMatchObject({ name: 'Shop system 2' })
})
