import { screen, waitFor, within } from '@testing-library/react'
import { expect, test } from 'vitest'
import { contact, fields } from '../../../test/contact.ts'
import { filterList, fixedList } from '../../../test/list.ts'
import { member, renderApp } from '../../../test/render.tsx'
import { type Answers, pageOf, refuse } from '../../../test/server.ts'
import { fillIn } from '../../../test/steps.ts'
import './list-form-page.tsx'
import './list-people-page.tsx'
import './lists-page.tsx'

const manager = { ...member, canManageContacts: true }
const user = { ...member, canUseContacts: true }
const answers: Answers = {
  'GET /lists': () => pageOf([filterList, fixedList]),
  'GET /lists/:id': ({ params }) => (params.id === '8' ? filterList : fixedList),
  'POST /lists/:id/contacts/search': () => pageOf([contact]),
  'GET /list-users': () => ({ users: [{ id: 3, name: 'lan' }] }),
  'GET /contact-fields': () => ({ fields }),
  'GET /tags': () => ({ tags: [{ id: 1, name: 'VIP' }] }),
}
const open = (path: string, more: Answers = {}, as = manager) =>
  renderApp({ path, user: as, answers: { ...answers, ...more } })
type App = ReturnType<typeof open>
const bodyOf = ({ requests }: App, name: string) =>
  requests.findLast((request) => request.name === name)?.body

//
test('lists are shown with kind, size and whom they are shared with', async () => {
  open('/lists')
  const fixed = within(await screen.findByRole('row', { name: /Khách quen/ }))
  for (const words of ['Fixed', '1,250', 'lan']) expect(fixed.getByText(words)).toBeTruthy()
  expect(fixed.getByRole('link').getAttribute('href')).toBe('/lists/7')
  const filter = within(screen.getByRole('row', { name: /Huế VIP/ }))
  for (const words of ['Filter', '–', 'Everybody']) expect(filter.getByText(words)).toBeTruthy()
})

//
test('a Member who may only use lists sees them and their people, without anything to change', async () => {
  const { person } = open('/lists', {}, user)
  await person.click(await screen.findByRole('link', { name: 'Khách quen' }))
  const row = within(await screen.findByRole('row', { name: /Nguyễn Lan/ }))
  expect(row.getByText('+84901234567')).toBeTruthy()
  expect(row.queryByRole('link')).toBeNull()
  expect(screen.queryByRole('checkbox')).toBeNull()
  for (const name of ['Edit', 'Delete', 'New list']) {
    expect(screen.queryByRole('button', { name })).toBeNull()
    expect(screen.queryByRole('link', { name })).toBeNull()
  }
})

//
test('a Member without a shared list learns whom to ask', async () => {
  open('/lists', { 'GET /lists': () => pageOf([]) }, user)
  expect(await screen.findByText('No list is shared with you yet. Ask an Admin.')).toBeTruthy()
})

//
test('a fixed list is made, and shared with chosen Members', async () => {
  const app = open('/lists/new', { 'POST /lists': () => fixedList })
  const { person, router } = app
  await fillIn(person, await screen.findByLabelText(/^Name/), 'Khách quen')
  await person.click(screen.getByRole('combobox', { name: 'Shared with' }))
  await person.click(await screen.findByRole('option', { name: 'lan' }))
  await person.click(screen.getByRole('button', { name: 'Save' }))
  await waitFor(() => expect(router.state.location.pathname).toBe('/lists/7'))
  expect(bodyOf(app, 'POST /lists')).toEqual({
    name: 'Khách quen',
    filter: null,
    isForAll: false,
    userIds: [3],
  })
})

//
test('a filter is made of a search, tags and fields, and its error stands beside it', async () => {
  const app = open('/lists/new', {
    'POST /lists': () =>
      refuse(400, 'invalid_input', { fields: { 'filter.fields.0.value': 'CONTACT_FORM.VALUE_INVALID' } }),
  })
  const { person } = app
  await fillIn(person, await screen.findByLabelText(/^Name/), 'Huế VIP')
  await person.click(screen.getByRole('radio', { name: 'Filter' }))
  await fillIn(person, screen.getByLabelText('Name, number or note contains'), 'tea')
  await person.selectOptions(await screen.findByLabelText('Filter by a field…'), 'City')
  await person.selectOptions(await screen.findByLabelText('City'), 'Huế')
  await person.click(screen.getByLabelText('Share with everybody who may send to lists'))
  await person.click(screen.getByRole('button', { name: 'Save' }))
  expect(await screen.findByText(/^This value does not fit the field/)).toBeTruthy()
  expect(bodyOf(app, 'POST /lists')).toEqual({
    name: 'Huế VIP',
    filter: { search: 'tea', tagIds: [], fields: [{ key: 'city', value: 'Huế' }] },
    isForAll: true,
    userIds: [],
  })
})

//
test('a change of somebody else is shown before it is overwritten', async () => {
  const theirs = { ...fixedList, name: 'Khách cũ', version: 3 }
  let current = fixedList
  const app = open('/lists/edit/7', {
    'GET /lists/:id': () => current,
    'PUT /lists/:id': () => {
      current = theirs
      return refuse(409, 'stale_version')
    },
  })
  await fillIn(app.person, await screen.findByDisplayValue('Khách quen'), 'Khách mới')
  await app.person.click(screen.getByRole('button', { name: 'Save' }))
  expect(within(await screen.findByRole('dialog')).getByText('Khách cũ')).toBeTruthy()
  expect(bodyOf(app, 'PUT /lists/:id')).toMatchObject({ version: 2, userIds: [3] })
})

//
test('the page of a filter says it in words, and that of a fixed list takes people off', async () => {
  open('/lists/8')
  const filter = within(await screen.findByRole('list', { name: 'Filter' }))
  for (const words of ['contains “tea”', 'Tag: VIP', 'City: Huế'])
    expect(await filter.findByText(words)).toBeTruthy()
  expect(screen.queryByRole('checkbox')).toBeNull()
})

//
test('people are searched for without an address, and taken off a fixed list', async () => {
  const app = open('/lists/7', {
    'POST /lists/:id/contacts/remove': () => ({ count: 1, hasMore: false }),
  })
  const { person, router } = app
  await person.type(await screen.findByLabelText('Search'), '0901{Enter}')
  await waitFor(() =>
    expect(bodyOf(app, 'POST /lists/:id/contacts/search')).toMatchObject({ search: '0901' }),
  )
  expect(router.state.location.href).toBe('/lists/7')
  await person.click(await screen.findByLabelText('Select Nguyễn Lan'))
  await person.click(screen.getByRole('button', { name: 'Take off the list (1)' }))
  expect(await screen.findByText('Taken off the list.')).toBeTruthy()
  expect(bodyOf(app, 'POST /lists/:id/contacts/remove')).toEqual({ ids: [5] })
})
