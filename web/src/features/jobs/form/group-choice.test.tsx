import { screen, waitFor } from '@testing-library/react'
import { beforeEach, expect, test, vi } from 'vitest'
import { assigned, endedSession, hello, open, type Person, submit } from '../../../../test/job-form.tsx'
import { choose, openPicker, signInAgain } from '../../../../test/steps.ts'

// The virtual list renders the rows that fit its height, but happy-dom computes no heights.
beforeEach(() => {
  vi.spyOn(HTMLElement.prototype, 'clientHeight', 'get').mockReturnValue(300)
})

//
test('choosing a message selects its instance, and those of its groups that the instance has not left', async () => {
  const { person } = open()
  await choose(person, 'Message', '#5 Hello')
  expect(await screen.findByText('2 selected')).toBeTruthy()
  expect(screen.getByRole<HTMLInputElement>('combobox', { name: 'Account' }).value).toBe('Shop')
})

//
test('a message without groups keeps picked groups, but clears those of another message', async () => {
  const { person, requests } = open()
  await choose(person, 'Account', 'Shop')
  await openPicker(person)
  await person.click(await screen.findByLabelText('Friends'))
  await person.click(screen.getByRole('button', { name: 'Confirm' }))
  await choose(person, 'Message', '#6 No groups here')
  await waitFor(() => expect(requests.some(({ name }) => name === 'GET /messages/:id')).toBe(true))
  expect(await screen.findByText('1 selected')).toBeTruthy()
  await choose(person, 'Message', '#5 Hello')
  expect(await screen.findByText('2 selected')).toBeTruthy()
  await choose(person, 'Message', '#6 No groups here')
  expect(await screen.findByText('0 selected')).toBeTruthy()
})

test('a message without groups leaves the untouched groups without an error', async () => {
  const { person } = open()
  await choose(person, 'Message', '#6 No groups here')
  await openPicker(person)
  expect(await screen.findByLabelText('Family')).toBeTruthy()
  expect(screen.queryByText('Choose at least one group.')).toBeNull()
})

//
test('groups that are picked while the message loads stay', async () => {
  let answer = () => {}
  const { person } = open({
    'GET /messages/:id': () =>
      new Promise((resolve) => (answer = () => resolve({ ...hello, assignedGroups: assigned, version: 1 }))),
  })
  await choose(person, 'Message', '#5 Hello')
  await openPicker(person)
  await person.click(await screen.findByLabelText('Friends'))
  await person.click(screen.getByRole('button', { name: 'Confirm' }))
  answer()
  await screen.findByText('Hello')
  expect(screen.getByText('1 selected')).toBeTruthy()
})

//
test('a form restored after a sign-in has the picked groups, not those of its message', async () => {
  const { person } = open(endedSession)
  await choose(person, 'Message', '#5 Hello')
  await screen.findByText('2 selected')
  await openPicker(person)
  await person.click(await screen.findByLabelText('Family'))
  await person.click(screen.getByRole('button', { name: 'Confirm' }))
  await submit(person)
  await signInAgain(person)
  // By now the message and the groups of its instance are loaded.
  await screen.findByText('Hello')
  await openPicker(person)
  expect((await screen.findByRole<HTMLInputElement>('checkbox', { name: 'Work' })).checked).toBe(true)
  expect(screen.getByLabelText<HTMLInputElement>('Family').checked).toBe(false)
})

//
test('another instance clears the groups and offers its own', async () => {
  const { person } = open()
  await choose(person, 'Account', 'Shop')
  await pickAll(person)
  expect(await screen.findByText('3 selected')).toBeTruthy()
  await choose(person, 'Account', 'Depot')
  expect(await screen.findByText('0 selected')).toBeTruthy()
  await openPicker(person)
  expect(await screen.findByLabelText('Drivers')).toBeTruthy()
  expect(screen.queryByLabelText('Family')).toBeNull()
})

async function pickAll(person: Person) {
  await openPicker(person)
  await person.click(await screen.findByLabelText('Select all'))
  await person.click(screen.getByRole('button', { name: 'Confirm' }))
}
