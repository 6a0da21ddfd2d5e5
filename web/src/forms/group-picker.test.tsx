import { screen } from '@testing-library/react'
import { beforeEach, expect, test, vi } from 'vitest'
import { group } from '../../test/group.ts'
import { instance } from '../../test/instance.ts'
import { renderApp } from '../../test/render.tsx'
import { type Answers, pageOf, refuse } from '../../test/server.ts'
import { choose, openPicker } from '../../test/steps.ts'

const groups = [
  { ...group, id: 1, name: 'Family' },
  { ...group, id: 2, name: 'Friends' },
  { ...group, id: 3, name: 'Former', hasLeft: true },
  { ...group, id: 4, name: 'Work' },
]

// The virtual list renders the rows that fit its height, but happy-dom computes no heights.
beforeEach(() => {
  vi.spyOn(HTMLElement.prototype, 'clientHeight', 'get').mockReturnValue(300)
})

/** Opens the job form and chooses an instance. */
async function open(more: Answers = {}) {
  const app = renderApp({
    path: '/jobs/new',
    answers: {
      'GET /instances': () => pageOf([instance]),
      'GET /messages': () => pageOf([]),
      'POST /groups/search': () => pageOf(groups),
      ...more,
    },
  })
  await choose(app.person, 'Account', 'Shop')
  return app
}

//
test('“Select all” selects the groups that match the search, and only confirming keeps them', async () => {
  const { person } = await open()
  const dialog = await openPicker(person)
  expect(dialog.getByLabelText<HTMLInputElement>(/Former/).disabled).toBe(true)
  await person.type(dialog.getByLabelText('Search'), 'F')
  expect(dialog.queryByLabelText('Work')).toBeNull()
  await person.click(dialog.getByLabelText('Select all'))
  expect(dialog.getByText('2 selected')).toBeTruthy()
  await person.clear(dialog.getByLabelText('Search'))
  expect(dialog.getByLabelText<HTMLInputElement>('Work').checked).toBe(false)
  await person.click(dialog.getByRole('button', { name: 'Cancel' }))
  expect(await screen.findByText('0 selected')).toBeTruthy()

  const again = await openPicker(person)
  await person.type(again.getByLabelText('Search'), 'fAm')
  await person.click(again.getByLabelText('Select all'))
  await person.click(again.getByRole('button', { name: 'Confirm' }))
  expect(await screen.findByText('1 selected')).toBeTruthy()
})

//
test('the picker finds names without their accents', async () => {
  const { person } = await open({
    'POST /groups/search': () => pageOf([...groups, { ...group, id: 5, name: 'Khách hàng Đà Nẵng' }]),
  })
  const dialog = await openPicker(person)
  await person.type(dialog.getByLabelText('Search'), 'khach hang DA')
  expect(dialog.getAllByRole('listitem').map(({ textContent }) => textContent)).toEqual([
    'Khách hàng Đà Nẵng',
  ])
})

//
test('groups that were already chosen come first, and the order stays while choosing', async () => {
  const { person } = await open()
  const first = await openPicker(person)
  await person.click(first.getByLabelText('Work'))
  await person.click(first.getByRole('button', { name: 'Confirm' }))

  const dialog = await openPicker(person)
  const names = () => dialog.getAllByRole('listitem').map(({ textContent }) => textContent)
  const order = ['Work', 'Family', 'Friends', 'Former (Left)']
  expect(names()).toEqual(order)
  await person.click(dialog.getByLabelText('Work'))
  await person.click(dialog.getByLabelText('Friends'))
  expect(names()).toEqual(order)
})

//
test('with five thousand groups the picker renders only the visible ones, and can find and select all', async () => {
  const many = Array.from({ length: 5000 }, (_, n) => ({ ...group, id: n + 1, name: `Group ${n + 1}` }))
  const { person, requests } = await open({
    'POST /groups/search': ({ body }) => {
      const { page } = body as { page: number }
      return pageOf(many.slice((page - 1) * 1000, page * 1000), 5000, { page, pageSize: 1000 })
    },
  })
  const dialog = await openPicker(person)
  expect(requests.filter(({ name }) => name === 'POST /groups/search')).toHaveLength(5)
  expect(dialog.getAllByRole('listitem').length).toBeLessThan(50)
  await person.click(dialog.getByLabelText('Select all'))
  expect(dialog.getByText('5,000 selected')).toBeTruthy()
  await person.type(dialog.getByLabelText('Search'), 'group 5000')
  expect(dialog.getByLabelText<HTMLInputElement>('Group 5000').checked).toBe(true)
  await person.click(dialog.getByLabelText('Select all'))
  await person.click(dialog.getByRole('button', { name: 'Confirm' }))
  expect(await screen.findByText('4,999 selected')).toBeTruthy()
})

//
test('groups that could not be loaded are read again when the picker opens', async () => {
  const tries = [refuse(500, 'internal'), pageOf(groups)]
  const { person } = await open({ 'POST /groups/search': () => tries.shift() ?? pageOf([]) })
  await screen.findByText('Failed to load groups.')
  const dialog = await openPicker(person)
  expect(dialog.getByLabelText('Work')).toBeTruthy()
})

test('the first chosen groups are named beside the button, and the others counted', async () => {
  const many = ['A', 'B', 'C', 'D', 'E'].map((name, place) => ({ ...group, id: place + 1, name }))
  const { person } = await open({ 'POST /groups/search': () => pageOf(many) })
  const dialog = await openPicker(person)
  await person.click(dialog.getByLabelText('Select all'))
  await person.click(dialog.getByRole('button', { name: 'Confirm' }))
  await screen.findByText('5 selected')
  expect(screen.getByText('A, B, C').parentElement?.textContent).toBe('A, B, C and 2 more')
})

// R-1805
test('channels are among the groups, marked and with their followers', async () => {
  const channel = { ...group, kind: 'channel' as const, participantCount: 1284 }
  const { person } = await open({
    'POST /groups/search': () =>
      pageOf([
        { ...group, name: 'Family' },
        { ...channel, id: 2, name: 'Daily deals' },
        { ...channel, id: 3, name: 'Former news', hasLeft: true },
      ]),
  })
  const dialog = await openPicker(person)
  const names = dialog.getAllByRole('listitem').map(({ textContent }) => textContent)
  expect(names).toEqual([
    'Family',
    'Channel Daily deals1,284 followers',
    'Channel Former news (Can’t post)1,284 followers',
  ])
  await person.click(dialog.getByLabelText('Select all'))
  expect(dialog.getByText('2 selected')).toBeTruthy()
})
