import type { Contact, ContactJob } from '@sendroom/contract/contacts'
import { screen, waitFor, within } from '@testing-library/react'
import { expect, test } from 'vitest'
import { contact, fields } from '../../../test/contact.ts'
import { renderApp } from '../../../test/render.tsx'
import { type Answers, pageOf, refuse } from '../../../test/server.ts'
import { choose, fillIn } from '../../../test/steps.ts'
import '../../forms/conflict-dialog.tsx'
import './contact-form-page.tsx'
import './contact-page.tsx'

const open = (path: string, more: Answers = {}, loaded: Contact = contact) =>
  renderApp({
    path,
    answers: {
      'GET /tags': () => ({ tags: [{ id: 1, name: 'VIP' }] }),
      'GET /contact-fields': () => ({ fields }),
      'GET /contacts/:id': () => loaded,
      'POST /contacts/search': () => pageOf([loaded]),
      'POST /contacts': () => contact,
      'PUT /contacts/:id': () => contact,
      ...more,
    },
  })
const bodyOf = ({ requests }: ReturnType<typeof open>, name: string) =>
  requests.findLast((request) => request.name === name)?.body
const number = (place: number) => screen.findByLabelText<HTMLInputElement>(`Phone number ${place}`)
const save = (person: ReturnType<typeof open>['person']) =>
  person.click(screen.getByRole('button', { name: 'Save' }))

//
test('a new contact has numbers in an order, new tags, and a value of each type', async () => {
  const app = open('/contacts/new')
  const { person, router } = app
  await fillIn(person, await screen.findByLabelText('Name'), 'Lan')
  await fillIn(person, await number(1), '0901234567')
  await person.click(screen.getByRole('button', { name: 'Add a number' }))
  await fillIn(person, await number(2), '0912345678')
  await person.click(screen.getByRole('button', { name: 'Move number 2 up' }))
  await person.type(screen.getByRole('combobox', { name: 'Tags' }), 'new,')
  await choose(person, 'City', 'Hà Nội')
  await fillIn(person, screen.getByLabelText('Born'), '1990-02-28')
  await fillIn(person, screen.getByLabelText('Points'), '12.5')
  await person.selectOptions(screen.getByLabelText('Adult'), 'Yes')
  await save(person)

  await waitFor(() => expect(router.state.location.pathname).toBe('/contacts'))
  expect(bodyOf(app, 'POST /contacts')).toEqual({
    name: 'Lan',
    note: '',
    phoneNumbers: ['0912345678', '0901234567'],
    tags: ['new'],
    values: { city: 'Hà Nội', born: '1990-02-28', points: 12.5, adult: true },
  })
})

//
test('what the server refuses is said at its number and its field, and nothing typed is lost', async () => {
  const { person } = open('/contacts/new', {
    'POST /contacts': () =>
      refuse(400, 'invalid_input', {
        fields: {
          'phoneNumbers.1': 'CONTACT_FORM.PHONE_INVALID',
          'values.points': 'CONTACT_FORM.VALUE_INVALID',
        },
      }),
  })
  await fillIn(person, await number(1), '0901234567')
  await person.click(screen.getByRole('button', { name: 'Add a number' }))
  await save(person)
  expect((await number(2)).getAttribute('aria-invalid')).toBe('true')
  await fillIn(person, await number(2), '12')
  await save(person)

  await waitFor(() => expect(screen.getByLabelText('Points').getAttribute('aria-invalid')).toBe('true'))
  expect((await number(2)).getAttribute('aria-invalid')).toBe('true')
  expect((await number(1)).value).toBe('0901234567')
})

//
test('a change sends the tags that it adds and removes, with the version', async () => {
  const app = open('/contacts/edit/5')
  const { person, router } = app
  await person.type(await screen.findByRole('combobox', { name: 'Tags' }), '{Backspace}shop,')
  await fillIn(person, screen.getByLabelText('Note'), '')
  await save(person)

  await waitFor(() => expect(router.state.location.pathname).toBe('/contacts/5'))
  expect(bodyOf(app, 'PUT /contacts/:id')).toEqual({
    name: 'Nguyễn Lan',
    note: '',
    phoneNumbers: contact.phoneNumbers,
    values: contact.values,
    addTags: ['shop'],
    removeTags: ['VIP'],
    version: 3,
  })
})

//
test('when somebody else has saved meanwhile, a dialog asks whose values to keep', async () => {
  let version = 3
  const { person, router } = open('/contacts/edit/5', {
    'GET /contacts/:id': () => ({ ...contact, version, ...(version === 4 && { note: 'Theirs' }) }),
    'PUT /contacts/:id': ({ body }) => {
      if ((body as { version: number }).version === 4) return contact
      version = 4
      return refuse(409, 'stale_version')
    },
  })
  await fillIn(person, await screen.findByLabelText('Note'), 'Mine')
  await save(person)
  const dialog = within(await screen.findByRole('dialog'))
  expect(dialog.getByRole('row', { name: 'Note Mine Theirs' })).toBeTruthy()
  await person.click(dialog.getByRole('button', { name: 'Overwrite with mine' }))
  await waitFor(() => expect(router.state.location.pathname).toBe('/contacts/5'))
})

//
test('a contact with a hidden number needs no other, and everybody else does', async () => {
  const hidden = { ...contact, phoneNumbers: [], lid: '123456' }
  const app = open('/contacts/edit/5', {}, hidden)
  expect(await screen.findByText(/hides the number on WhatsApp \(123456\)/)).toBeTruthy()
  expect(screen.queryByLabelText('Phone number 1')).toBeNull()
  await save(app.person)
  await waitFor(() => expect(bodyOf(app, 'PUT /contacts/:id')).toMatchObject({ phoneNumbers: [] }))
})

//
test('the page of a contact shows all about it, with the messages of jobs, and deletes it', async () => {
  const job: ContactJob = {
    ...{ id: 7, jobId: 3, messageTitle: 'Hello Lan', instance: { id: 1, name: 'Shop' } },
    ...{ createdAt: contact.createdAt, sentAt: '2026-01-02T20:04:05.000Z', deliveredAt: null, readAt: null },
    ...{ status: 'Failed', reason: { code: 'not_on_whatsapp', params: {} } },
  }
  const { person, router } = open('/contacts/5', {
    'DELETE /contacts/:id': () => undefined,
    'GET /contacts/:id/jobs': () => pageOf([job]),
  })
  const row = within(await screen.findByRole('row', { name: /Hello Lan/ }))
  expect(row.getByRole('link', { name: 'Hello Lan' }).getAttribute('href')).toBe('/jobs/3')
  for (const words of ['Shop', 'Failed', 'This number is not on WhatsApp.', '1/3/26, 3:04:05 AM'])
    expect(row.getByText(words)).toBeTruthy()
  await screen.findByRole('heading', { level: 1, name: 'Nguyễn Lan' })
  expect(await screen.findByText('Huế')).toBeTruthy()
  for (const words of [/\+84901234567/, '+84912345678', 'VIP', 'Likes tea', 'Added by minh'])
    expect(screen.getByText(words)).toBeTruthy()
  await person.click(screen.getByRole('button', { name: 'Delete' }))
  await person.click(within(await screen.findByRole('dialog')).getByRole('button', { name: 'Delete' }))
  await waitFor(() => expect(router.state.location.pathname).toBe('/contacts'))
})
