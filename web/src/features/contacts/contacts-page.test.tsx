import { act, screen, waitFor, within } from '@testing-library/react'
import { expect, test, vi } from 'vitest'
import { contact, fields } from '../../../test/contact.ts'
import { member, renderApp } from '../../../test/render.tsx'
import { type Answers, pageOf, type RecordedRequest } from '../../../test/server.ts'
import { choose, signIn } from '../../../test/steps.ts'
import './bulk-actions.tsx'
import './contacts-page.tsx'
import './list-dialog.tsx'
import './progress-dialog.tsx'
import './tag-dialog.tsx'

const hidden = { ...contact, id: 6, name: '', phoneNumbers: [], lid: '123456', tags: [] }
const answers: Answers = {
  'POST /contacts/search': () => pageOf([contact, hidden], 25_000),
  'GET /tags': () => ({ tags: [{ id: 1, name: 'VIP' }] }),
  'GET /contact-fields': () => ({ fields }),
}
const manager = { ...member, canManageContacts: true }
const open = (more: Answers = {}, user = manager) =>
  renderApp({ path: '/contacts', user, answers: { ...answers, ...more } })
type App = ReturnType<typeof open>

const bodiesOf = ({ requests }: App, name: string) =>
  requests.filter((request) => request.name === name).map(({ body }) => body)
const lastSearch = (app: App) => bodiesOf(app, 'POST /contacts/search').at(-1)

async function selectAll({ person }: App) {
  await screen.findByRole('row', { name: /Nguyễn Lan/ })
  await person.click(screen.getByLabelText('Select all'))
}

//
test('a row has the name, the first number and the tags, and a person without either is told apart', async () => {
  open()
  const row = within(await screen.findByRole('row', { name: /Nguyễn Lan/ }))
  for (const words of ['+84901234567', '+1', 'VIP']) expect(row.getByText(words)).toBeTruthy()
  expect(row.getByRole('link', { name: 'Nguyễn Lan' }).getAttribute('href')).toBe('/contacts/5')
  expect(screen.getByRole('link', { name: 'Hidden number (123456)' })).toBeTruthy()
})

//
test('a Member without the right is sent away', async () => {
  const { router } = open({}, member)
  await screen.findByText('Access Denied')
  await waitFor(() => expect(router.state.location.pathname).toBe('/dashboard'))
})

// R-1951
test('the next user does not find the search of the one before with the back button', async () => {
  const next = { ...manager, id: 3, username: 'hoa' }
  const app = open({ 'POST /auth/login': () => ({ token: 'of-hoa', user: next }) })
  const { person, router } = app
  await person.type(await screen.findByLabelText('Search'), '0901{Enter}')
  await waitFor(() => expect(lastSearch(app)).toMatchObject({ search: '0901' }))
  await person.click(screen.getByText('Logout'))
  await signIn(person)
  await screen.findByRole('button', { name: 'User menu of hoa' })
  act(() => router.history.back())
  expect(await screen.findByLabelText('Search')).toHaveProperty('value', '')
  expect(lastSearch(app)).not.toHaveProperty('search')
})

//
test('search and filters are sent, not in the address, and the back button returns to them', async () => {
  const app = open()
  const { person, router } = app
  await person.type(await screen.findByLabelText('Search'), '0901{Enter}')
  await waitFor(() => expect(lastSearch(app)).toMatchObject({ search: '0901', tagIds: [], fields: [] }))
  await person.selectOptions(await screen.findByLabelText('Filter by a field…'), 'City')
  await person.selectOptions(await screen.findByLabelText('City'), 'Huế')
  const city = { key: 'city', value: 'Huế' }
  await waitFor(() => expect(lastSearch(app)).toMatchObject({ search: '0901', fields: [city] }))
  expect(router.state.location.href).toBe('/contacts')

  router.history.back()
  await waitFor(() => expect(screen.queryByDisplayValue('Huế')).toBeNull())
  expect(screen.getByDisplayValue('0901')).toBeTruthy()
  await person.click(screen.getByRole('button', { name: 'Next page' }))
  await waitFor(() => expect(lastSearch(app)).toMatchObject({ search: '0901', page: 2 }))
})

//
test('an empty list leads to a new contact, and one that is filtered to all', async () => {
  const { person } = open({ 'POST /contacts/search': () => pageOf([]) })
  const hint = await screen.findByText(/^No contacts yet/)
  const shown = within(hint.closest('td') as HTMLElement)
  expect(shown.getByRole('link', { name: 'New contact' })).toBeTruthy()
  expect(shown.getByRole('link', { name: 'Import' }).getAttribute('href')).toBe('/imports')
  await person.click(await screen.findByRole('combobox', { name: 'Tags' }))
  await person.click(await screen.findByRole('option', { name: 'VIP' }))
  await person.click(await screen.findByRole('button', { name: 'Show all' }))
  expect(await screen.findByText(/^No contacts yet/)).toBeTruthy()
})

//
test('all that match are deleted, in several calls', async () => {
  const left = [10_000, 10_000, 5_000]
  const app = open({
    'POST /contacts/bulk-delete': () => ({ count: left.shift() ?? 0, hasMore: left.length > 0 }),
  })
  await app.person.type(await screen.findByLabelText('Search'), 'lan{Enter}')
  await waitFor(() => expect(lastSearch(app)).toMatchObject({ search: 'lan' }))
  await selectAll(app)
  await app.person.click(screen.getByRole('button', { name: 'Select all 25,000 that match' }))
  await app.person.click(screen.getByRole('button', { name: 'Delete selected (25,000)' }))
  const question = within(await screen.findByRole('dialog'))
  expect(question.getByText(/^Delete 25,000 contacts\?/)).toBeTruthy()
  await app.person.click(question.getByRole('button', { name: 'Delete' }))

  expect(await screen.findByText('25,000 contacts deleted.')).toBeTruthy()
  const filter = { search: 'lan', tagIds: [], fields: [] }
  expect(bodiesOf(app, 'POST /contacts/bulk-delete')).toEqual([{ filter }, { filter }, { filter }])
})

//
test('a bulk change shows its progress, and stops', async () => {
  let answer: (() => void) | undefined
  const second = new Promise<void>((resolve) => {
    answer = resolve
  })
  const calls: RecordedRequest[] = []
  const app = open({
    'POST /contacts/bulk-tag': async (request) => {
      calls.push(request)
      if (calls.length > 1) await second
      return { count: 10_000, hasMore: true }
    },
  })
  await selectAll(app)
  await app.person.click(screen.getByRole('button', { name: 'Select all 25,000 that match' }))
  await app.person.click(screen.getByRole('button', { name: 'Change tags' }))
  await app.person.type(await screen.findByRole('combobox', { name: 'Add' }), 'shop,')
  await app.person.click(screen.getByRole('button', { name: 'Save' }))
  expect(await screen.findByText(/^10,000 of 25,000 done/)).toBeTruthy()
  await app.person.click(screen.getByRole('button', { name: 'Stop' }))
  answer?.()

  expect(await screen.findByText('Tags of 20,000 contacts changed.')).toBeTruthy()
  expect(calls).toHaveLength(2)
  expect(calls[0]?.body).toMatchObject({ add: ['shop'], remove: [] })
})

//
test('chosen contacts are tagged by their ids', async () => {
  const app = open({ 'POST /contacts/bulk-tag': () => ({ count: 1, hasMore: false }) })
  await app.person.click(await screen.findByLabelText('Select Nguyễn Lan'))
  expect(screen.queryByRole('button', { name: /that match$/ })).toBeNull()
  await app.person.click(screen.getByRole('button', { name: 'Change tags' }))
  await app.person.click(await screen.findByRole('combobox', { name: 'Remove' }))
  await app.person.click(await screen.findByRole('option', { name: 'VIP' }))
  await app.person.click(screen.getByRole('button', { name: 'Save' }))
  await waitFor(() =>
    expect(bodiesOf(app, 'POST /contacts/bulk-tag')).toEqual([{ ids: [5], add: [], remove: ['VIP'] }]),
  )
})

//
test('all that match, or chosen contacts, are exported', async () => {
  vi.spyOn(HTMLAnchorElement.prototype, 'click').mockReturnValue()
  URL.createObjectURL = () => 'blob:it'
  URL.revokeObjectURL = () => {}
  const file = () => new Response('', { headers: { 'content-disposition': 'filename="Contacts.csv"' } })
  const app = open({ 'POST /contacts/export/csv': file, 'POST /contacts/export/xlsx': file })
  await app.person.click(await screen.findByRole('button', { name: 'Export CSV (25,000)' }))
  await screen.findByText('Contacts exported.')
  expect(bodiesOf(app, 'POST /contacts/export/csv')).toEqual([
    { filter: { search: '', tagIds: [], fields: [] }, language: 'en' },
  ])
  await app.person.click(screen.getByLabelText('Select Nguyễn Lan'))
  await app.person.click(screen.getByRole('button', { name: 'Export Excel (1)' }))
  await waitFor(() =>
    expect(bodiesOf(app, 'POST /contacts/export/xlsx')).toEqual([{ ids: [5], language: 'en' }]),
  )
})

//
test('contacts are filtered by a list, and added to one that is new', async () => {
  const list = {
    ...{ id: 9, name: 'Regulars', kind: 'fixed' as const, filter: null, tags: [], size: 2, isForAll: false },
    ...{ users: [], createdByUserName: 'minh', createdAt: contact.createdAt, version: 1 },
  }
  const app = open({
    'GET /lists': () => pageOf([list]),
    'POST /lists': () => ({ ...list, id: 10 }),
    'POST /lists/:id/contacts': () => ({ count: 1, hasMore: false }),
  })
  await choose(app.person, 'List', 'Regulars')
  await waitFor(() => expect(lastSearch(app)).toMatchObject({ listId: 9 }))
  await app.person.click(await screen.findByLabelText('Select Nguyễn Lan'))
  await app.person.click(screen.getByRole('button', { name: 'Add to a list' }))
  await app.person.type(await screen.findByLabelText('Or a new list with the name'), 'Fair{Enter}')

  expect(await screen.findByText('1 contact added to the list.')).toBeTruthy()
  expect(bodiesOf(app, 'POST /lists')).toEqual([{ name: 'Fair' }])
  const added = app.requests.find(({ name }) => name === 'POST /lists/:id/contacts')
  expect([added?.params, added?.body]).toEqual([{ id: '10' }, { ids: [5] }])
})

// R-1156
test('a contact who has opted out is marked, and a filter shows only them', async () => {
  const app = open({
    'POST /contacts/search': () => pageOf([{ ...contact, optedOutAt: '2026-11-22T08:00:00.000Z' }, hidden]),
  })
  const row = within(await screen.findByRole('row', { name: /Nguyễn Lan/ }))
  expect(row.getByText('Opted out').closest('[title]')?.getAttribute('title')).toMatch(/^Since /)
  expect(screen.getAllByText('Opted out')).toHaveLength(1)
  await app.person.click(screen.getByLabelText('Only who has opted out'))
  await waitFor(() => expect(lastSearch(app)).toMatchObject({ isOptedOut: true }))
})
