import type { Instance } from '@sendroom/contract/instances'
import { advisedPace } from '@sendroom/contract/pace'
import { screen, waitFor, within } from '@testing-library/react'
import { expect, test } from 'vitest'
import { instance } from '../../../test/instance.ts'
import { renderApp } from '../../../test/render.tsx'
import { pageOf, refuse } from '../../../test/server.ts'

const shop: Instance = {
  ...instance,
  isTest: false,
  whapiToken: '••••abcd',
  ...advisedPace,
  warmUpStep: null,
  quietHours: null,
  timeZone: 'Asia/Ho_Chi_Minh',
  approval: 'never',
  approvalAbove: 100,
  approverCount: 2,
  warmUp: null,
  version: 1,
}

async function open(path: string, saved: () => Instance | ReturnType<typeof refuse> = () => shop) {
  const app = renderApp({
    path,
    answers: {
      'GET /instances': () => pageOf([instance]),
      'GET /instances/:id': () => shop,
      'PUT /instances/:id': saved,
      'POST /instances': saved,
    },
  })
  await app.person.click(await screen.findByText('Sending pace'))
  const bodyOf = (call: string) => app.requests.find(({ name }) => name === call)?.body
  return { ...app, bodyOf, save: () => app.person.click(screen.getByRole('button', { name: 'Save' })) }
}
const of = (kind: string) => within(screen.getByRole('group', { name: kind }))
const type = async (person: Awaited<ReturnType<typeof open>>['person'], field: HTMLElement, text: string) => {
  await person.clear(field)
  if (text) await person.type(field, text)
}

test('the pace shows its throughput and warns if it is faster than advised', async () => {
  const { person } = await open('/instances/edit/1')
  expect(of('Groups').getByText('About 144 messages an hour, 3,456 a day.')).toBeTruthy()
  expect(of('People').getByText('About 37 messages an hour, 200 a day.')).toBeTruthy()
  expect(screen.queryByText(/Faster than recommended/)).toBeNull()
  await type(person, of('Groups').getByLabelText('Shortest pause (s)'), '10')
  expect(of('Groups').getByText('About 180 messages an hour, 4,320 a day.')).toBeTruthy()
  expect(screen.getByText(/Faster than recommended: 20–30 s between groups/)).toBeTruthy()
  await person.click(screen.getByRole('button', { name: 'Restore defaults' }))
  expect(of('Groups').getByText('About 144 messages an hour, 3,456 a day.')).toBeTruthy()
  expect(screen.queryByRole('button', { name: 'Restore defaults' })).toBeNull()
})

test('the changed pace is sent', async () => {
  const { person, save, bodyOf } = await open('/instances/edit/1')
  await type(person, of('People').getByLabelText('Longest pause (s)'), '120')
  await type(person, of('People').getByLabelText(/^Limit in 24 hours/), '50')
  await person.click(screen.getByLabelText('Quiet hours'))
  expect(of('Groups').getByText('About 144 messages an hour, 2,160 a day.')).toBeTruthy()
  await person.click(screen.getByRole('combobox', { name: 'Time zone' }))
  await type(person, screen.getByRole('combobox', { name: 'Time zone' }), 'berl')
  await person.click(await screen.findByRole('option', { name: 'Europe/Berlin' }))
  await save()
  await waitFor(() =>
    expect(bodyOf('PUT /instances/:id')).toMatchObject({
      groupPauseSeconds: [20, 30],
      privatePauseSeconds: [60, 120],
      dailyCap: { groups: 0, private: 50 },
      quietHours: { from: '22:00', to: '07:00' },
      timeZone: 'Europe/Berlin',
    }),
  )
})

test.each([
  ['Shortest pause (s)', '40', /the smaller number first/],
  ['Shortest pause (s)', '', /Enter 0 to 3,600 seconds/],
  ['Limit in 24 hours (0: no limit)', '1.5', /Enter a whole number/],
])('%s “%s” is marked and not sent, and the folded section opens', async (label, text, words) => {
  const { person, save, bodyOf } = await open('/instances/edit/1')
  await type(person, of('Groups').getByLabelText(label), text)
  const section = screen.getByText('Sending pace').closest('details')
  await person.click(screen.getByText('Sending pace'))
  expect(section?.open).toBe(false)
  await save()
  expect(await of('Groups').findByText(words)).toBeTruthy()
  await waitFor(() => expect(section?.open).toBe(true))
  expect(bodyOf('PUT /instances/:id')).toBeUndefined()
})

test('a time zone that the server refuses is marked at its field', async () => {
  const { save } = await open('/instances/edit/1', () =>
    refuse(400, 'invalid_input', { fields: { timeZone: 'ACCOUNT_FORM.TIME_ZONE_INVALID' } }),
  )
  await save()
  expect((await screen.findAllByText('This time zone is unknown. Choose another.')).length).toBeGreaterThan(0)
})

test('a new test instance has no pause by default', async () => {
  const { person, save, bodyOf } = await open('/instances/new')
  expect(of('Groups').getByText('About 144 messages an hour, 3,456 a day.')).toBeTruthy()
  await person.type(screen.getByLabelText(/^Name/), 'Shop')
  await person.type(screen.getByLabelText(/^API token/), 'test_shop')
  expect(of('Groups').getByText('No pause, no limit.')).toBeTruthy()
  expect(screen.queryByText(/Faster than recommended/)).toBeNull()
  await save()
  await waitFor(() =>
    expect(bodyOf('POST /instances')).toMatchObject({
      groupPauseSeconds: [0, 0],
      privatePauseSeconds: [0, 0],
      dailyCap: { groups: 0, private: 0 },
    }),
  )
})

test('a changed pace stays when the token changes', async () => {
  const { person } = await open('/instances/new')
  await type(person, of('Groups').getByLabelText('Longest pause (s)'), '60')
  await person.type(screen.getByLabelText(/^API token/), 'test_shop')
  expect(of('Groups').getByLabelText<HTMLInputElement>('Longest pause (s)').value).toBe('60')
})

// R-1214
test('the limits for people are set, with the field of a wrong one marked', async () => {
  const { person, save, bodyOf } = await open('/instances/edit/1')
  const limits = of('Limits for people')
  await type(person, limits.getByLabelText(/^Limit in 15 minutes/), '5')
  await type(person, limits.getByLabelText(/^Messages to a person/), '')
  await save()
  expect(await limits.findByText(/^Enter a whole number from 0 \(no limit\)/)).toBeTruthy()
  await type(person, limits.getByLabelText(/^Messages to a person/), '2')
  await save()
  await waitFor(() =>
    expect(bodyOf('PUT /instances/:id')).toMatchObject({
      privatePerQuarterHour: 5,
      personCap: 2,
      warmUpStep: null,
    }),
  )
})

test('a new account warms up unless its number has been used, and a test account never does', async () => {
  const { person, save, bodyOf } = await open('/instances/new')
  await person.type(screen.getByLabelText(/^Name/), 'Shop')
  await person.type(screen.getByLabelText(/^API token/), 'live-token-1')
  const isUsed = screen.getByLabelText('This number has been used for a while') as HTMLInputElement
  expect(isUsed.checked).toBe(false)
  await person.clear(screen.getByLabelText(/^API token/))
  await person.type(screen.getByLabelText(/^API token/), 'test_linked_1')
  expect(screen.queryByLabelText('This number has been used for a while')).toBeNull()
  await save()
  await waitFor(() =>
    expect(bodyOf('POST /instances')).toMatchObject({ warmUpStep: null, newPeopleCap: 0, personCap: 0 }),
  )
})

test('an account from before has a hint, and takes what is advised with one click', async () => {
  const none = { privatePerQuarterHour: 0, privateHoursPerDay: 0, privateDaysInARow: 0, newPeopleCap: 0 }
  Object.assign(shop, none)
  const { person } = await open('/instances/edit/1')
  expect(screen.getByText(/no limits for messages to people/)).toBeTruthy()
  await person.click(screen.getByRole('button', { name: 'Restore defaults' }))
  expect(screen.queryByText(/no limits for messages to people/)).toBeNull()
  Object.assign(shop, advisedPace)
})

test('the Vietnamese rules set what the form can set, and name the rest', async () => {
  const { person, save, bodyOf } = await open('/instances/edit/1')
  await person.click(screen.getByRole('button', { name: 'Vietnamese advertising rules' }))
  expect(screen.getByText(/begin the text with \[QC\].*for a lawyer to say/)).toBeTruthy()
  await save()
  await waitFor(() =>
    expect(bodyOf('PUT /instances/:id')).toMatchObject({
      quietHours: { from: '22:00', to: '07:00' },
      personCap: 3,
    }),
  )
})
