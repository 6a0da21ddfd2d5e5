import type { Message, MessageRow } from '@sendroom/contract/messages'
import { screen, waitFor, within } from '@testing-library/react'
import { beforeEach, expect, test, vi } from 'vitest'
import { group } from '../../../test/group.ts'
import { instance } from '../../../test/instance.ts'
import { messageRow } from '../../../test/message.ts'
import { admin, member, renderApp } from '../../../test/render.tsx'
import { type Answers, pageOf, refuse } from '../../../test/server.ts'
import { choose, openPicker } from '../../../test/steps.ts'
import { currentToasts } from '../../ui/toasts.ts'

const row: MessageRow = {
  ...messageRow,
  textContent: `${'x'.repeat(50)}and more`,
  imageUrl: '/images/a.webp',
  instanceId: 1,
  instanceName: 'Shop',
}
const message: Message = {
  ...row,
  textContent: 'Hello',
  assignedGroups: [{ id: 2, name: 'Family' }],
  version: 1,
}
const answers: Answers = {
  'GET /messages': () => pageOf([row]),
  'GET /messages/:id': () => message,
  'GET /instances': () => pageOf([instance]),
  'POST /groups/search': () => pageOf([]),
  'POST /messages': () => message,
  'PUT /messages/:id': () => message,
  'PUT /messages/:id/with-file': () => message,
}
const picture = new File(['a picture'], 'cat.png', { type: 'image/png' })

beforeEach(() => {
  vi.spyOn(URL, 'createObjectURL').mockReturnValue('blob:cat')
  vi.spyOn(URL, 'revokeObjectURL').mockReturnValue()
})
const open = (path: string, more: Answers = {}) => renderApp({ path, answers: { ...answers, ...more } })
type Person = ReturnType<typeof open>['person']
const save = async (person: Person) => person.click(await screen.findByRole('button', { name: 'Save' }))
// The visible button opens this hidden input.
const chooseFile = (person: Person) =>
  person.upload(document.querySelector('input[type=file]') as HTMLInputElement, picture)
const fieldsOf = (body: unknown) => (body instanceof FormData ? [...body.entries()] : [])

//
test('a new message without an image is sent as JSON', async () => {
  const { person, requests, router } = open('/messages/new')
  await person.type(await screen.findByLabelText(/Text/), 'Hi')
  expect(screen.getByText('2/4,000')).toBeTruthy()
  await save(person)
  expect(await screen.findByText('Message created successfully!')).toBeTruthy()
  expect(currentToasts()).toMatchObject([{ type: 'success', timeout: 3000 }])
  await waitFor(() => expect(router.state.location.pathname).toBe('/messages'))
  expect(requests.find(({ name }) => name === 'POST /messages')?.body).toEqual({
    textContent: 'Hi',
    instanceId: null,
    groupIds: [],
  })
})

//
test('a message without a text is not sent', async () => {
  const { person, requests } = open('/messages/new')
  await save(person)
  expect(await screen.findByText('Enter the message text.')).toBeTruthy()
  expect(currentToasts()).toMatchObject([
    { type: 'error', msg: 'Please correct the form errors.', timeout: 5000 },
  ])
  expect(screen.getByLabelText(/Text/).getAttribute('aria-invalid')).toBe('true')
  expect(requests.some(({ name }) => name === 'POST /messages')).toBe(false)
})

//
test('removing the image and choosing a new one exclude each other', async () => {
  const { person } = open('/messages/edit/5')
  const remove = await screen.findByLabelText<HTMLInputElement>('Remove image')
  const cap = ['maxWidth', 'maxHeight'] as const
  const capped = ({ style }: HTMLElement) => cap.map((side) => style[side])
  expect(capped(screen.getByAltText('Current image'))).toEqual(
    Array(2).fill('calc(12.5rem * var(--mantine-scale))'),
  )

  await chooseFile(person)
  expect((await screen.findByAltText('New image')).getAttribute('src')).toBe('blob:cat')

  await person.click(remove)
  expect(screen.queryByAltText('Current image')).toBeNull()
  expect(screen.queryByAltText('New image')).toBeNull()

  await chooseFile(person)
  expect(await screen.findByAltText('New image')).toBeTruthy()
  expect(remove.checked).toBe(false)
})

//
test('a message whose image stays is saved as JSON with its groups', async () => {
  const { person, requests, router } = open('/messages/edit/5')
  await person.type(await screen.findByLabelText(/Text/), '!')
  await save(person)
  expect(await screen.findByText('Message updated successfully!')).toBeTruthy()
  expect(currentToasts()).toMatchObject([{ type: 'success', timeout: 3000 }])
  await waitFor(() => expect(router.state.location.pathname).toBe('/messages'))
  expect(requests.find(({ name }) => name === 'GET /messages/:id')?.params).toEqual({ id: '5' })
  expect(requests.find(({ name }) => name === 'PUT /messages/:id')?.body).toEqual({
    textContent: 'Hello!',
    content: null,
    instanceId: 1,
    groupIds: [2],
    removeImage: false,
    version: 1,
  })
})

//
test('a new image is sent as form data with the other fields', async () => {
  const { person, requests } = open('/messages/edit/5')
  await screen.findByLabelText('Remove image')
  await chooseFile(person)
  await save(person)
  expect(await screen.findByText('Message updated successfully!')).toBeTruthy()
  expect(fieldsOf(requests.find(({ name }) => name === 'PUT /messages/:id/with-file')?.body)).toEqual([
    ['version', '1'],
    ['textContent', 'Hello'],
    ['instanceId', '1'],
    ['groupIds', '2'],
    ['imageFile', picture],
  ])
})

//
test('a removed image is sent as a form field', async () => {
  const { person, requests } = open('/messages/edit/5')
  await person.click(await screen.findByLabelText('Remove image'))
  await save(person)
  await screen.findByText('Message updated successfully!')
  const sent = fieldsOf(requests.find(({ name }) => name === 'PUT /messages/:id/with-file')?.body)
  expect(sent).toContainEqual(['removeImage', 'true'])
})

//
test('a failed save keeps the values and shows the error at the image', async () => {
  const { person } = open('/messages/new', { 'POST /messages': () => refuse(415, 'not_an_image') })
  const text = await screen.findByLabelText<HTMLTextAreaElement>(/Text/)
  await person.type(text, 'Hi')
  await chooseFile(person)
  await save(person)
  expect(await screen.findByText('Failed to create message.')).toBeTruthy()
  expect(screen.getAllByText(/This file isn’t a usable image/).length).toBeGreaterThan(0)
  expect(text.value).toBe('Hi')
  expect(screen.getByRole<HTMLButtonElement>('button', { name: 'Save' }).disabled).toBe(false)
})

//
test('a message that can’t be loaded leads back to the list', async () => {
  const { router } = open('/messages/edit/12', { 'GET /messages/:id': () => refuse(404, 'not_found') })
  expect(await screen.findByText('Failed to load message.')).toBeTruthy()
  expect(currentToasts()).toMatchObject([{ type: 'error', timeout: 5000 }])
  await waitFor(() => expect(router.state.location.pathname).toBe('/messages'))
})

//
test('a new message with an image is sent as form data with one field per group', async () => {
  const { person, requests } = open('/messages/new', {
    'POST /groups/search': () => pageOf([2, 3].map((id) => ({ ...group, id }))),
    'POST /messages': () => message,
  })
  await person.type(await screen.findByLabelText(/^Text/), 'Hi')
  await choose(person, 'Account', 'Shop')
  await chooseFile(person)
  const dialog = await openPicker(person)
  await person.click(dialog.getByLabelText('Select all'))
  await person.click(dialog.getByRole('button', { name: 'Confirm' }))
  expect(await screen.findByText('2 selected')).toBeTruthy()
  await save(person)
  await screen.findByText('Message created successfully!')
  expect(fieldsOf(requests.find(({ name }) => name === 'POST /messages')?.body)).toEqual([
    ['textContent', 'Hi'],
    ['instanceId', '1'],
    ['groupIds', '2'],
    ['groupIds', '3'],
    ['imageFile', picture],
  ])
})

test.each(['/messages/edit/0', '/messages/edit/abc', '/messages/new'])(
  //
  '%s is the form of a new message',
  async (path) => {
    const { requests } = open(path)
    expect(await screen.findByRole('heading', { level: 1, name: 'Add message' })).toBeTruthy()
    expect(screen.getByLabelText<HTMLTextAreaElement>(/^Text/).value).toBe('')
    expect(screen.getByRole('combobox', { name: 'Account' })).toBeTruthy()
    expect(screen.getByRole('button', { name: 'Image' })).toBeTruthy()
    expect(screen.getByRole('button', { name: 'Choose groups' })).toBeTruthy()
    expect(screen.queryByLabelText('Remove image')).toBeNull()
    expect(requests.some(({ name }) => name === 'GET /messages/:id')).toBe(false)
  },
)

//
test('the form shows all fields of a message, and its image field accepts images', async () => {
  open('/messages/edit/5')
  expect((await screen.findByLabelText<HTMLTextAreaElement>(/^Text/)).value).toBe('Hello')
  await waitFor(() =>
    expect(screen.getByRole<HTMLInputElement>('combobox', { name: 'Account' }).value).toBe('Shop'),
  )
  expect(screen.getByLabelText('Remove image')).toBeTruthy()
  expect(screen.getByText('1 selected')).toBeTruthy()
  expect(document.querySelector<HTMLInputElement>('input[type=file]')?.accept).toBe('image/*')
})

//
test('a form can be sent again after a failed update', async () => {
  let isRefused = true
  const { person, router } = open('/messages/edit/5', {
    'PUT /messages/:id': () => (isRefused ? refuse(500, 'internal') : message),
  })
  const text = await screen.findByLabelText<HTMLTextAreaElement>(/^Text/)
  await person.type(text, '!')
  await save(person)
  expect(await screen.findByText('Failed to update message.')).toBeTruthy()
  expect(currentToasts()).toMatchObject([{ type: 'error', timeout: 5000 }])
  expect(text.value).toBe('Hello!')
  isRefused = false
  await save(person)
  await waitFor(() => expect(router.state.location.pathname).toBe('/messages'))
})

test.each([
  //
  ['GET /instances', 'Failed to load instances.'],
  //
  ['POST /groups/search', 'Failed to load groups.'],
] as const)('a failed %s shows a toast', async (name, words) => {
  open('/messages/edit/5', { [name]: () => refuse(403, 'forbidden') })
  expect(await screen.findByText(words)).toBeTruthy()
  expect(currentToasts()).toContainEqual(
    expect.objectContaining({ type: 'error', msg: words, timeout: 5000 }),
  )
})

//
test('instances and groups are loaded in pages of a hundred until all are loaded', async () => {
  const rows = Array.from({ length: 100 }, (_, n) => ({ ...instance, id: n + 1, name: `Shop ${n + 1}` }))
  const { person, requests } = open('/messages/new', {
    'GET /instances': ({ query }) =>
      Number(query.page) === 1
        ? pageOf(rows, 101, { page: 1, pageSize: 100 })
        : pageOf([{ ...instance, id: 101, name: 'The last' }], 101, { page: 2, pageSize: 100 }),
    'POST /groups/search': ({ body }) =>
      pageOf([{ ...group, id: (body as { page: number }).page }], 200, {
        page: (body as { page: number }).page,
        pageSize: 100,
      }),
  })
  await person.click(await screen.findByRole('combobox', { name: 'Account' }))
  await person.click(await screen.findByRole('option', { name: 'The last' }))
  const paging = ({ page, pageSize }: Record<string, unknown>) => [Number(page), Number(pageSize)]
  const pages = () =>
    requests.flatMap(({ name, query, body }) => {
      if (name === 'GET /instances') return [['instances', ...paging(query)]]
      return name === 'POST /groups/search' ? [['groups', ...paging(body as Record<string, unknown>)]] : []
    })
  await waitFor(() =>
    expect(pages()).toEqual([
      ['instances', 1, 100],
      ['instances', 2, 100],
      ['groups', 1, 100],
      ['groups', 2, 100],
    ]),
  )
})

//
test('cancel leads back to the list', async () => {
  const { person, router } = open('/messages/new')
  await person.click(await screen.findByRole('button', { name: 'Cancel' }))
  await waitFor(() => expect(router.state.location.pathname).toBe('/messages'))
})

test.each(['/messages/new', '/messages/edit/5'])(
  //
  'a user who may not write messages sees the reason at %s instead of the form',
  async (path) => {
    renderApp({ path, user: { ...member, canSendMessages: false }, answers })
    expect(await screen.findByText(/You can view messages/)).toBeTruthy()
    expect(screen.queryByRole('button', { name: 'Save' })).toBeNull()
    expect(screen.queryByRole('button', { name: /test/i })).toBeNull()
  },
)

//
test.each([
  ['another Member', member, false],
  ['an Admin', admin, true],
  ['its author', { ...member, username: 'minh' }, true],
])('a shared template can be changed by the right users: %s', async (_, user, mayChange) => {
  const shared = { ...message, instanceId: null, instanceName: null, isShared: true, assignedGroups: [] }
  renderApp({ path: '/messages/edit/5', user, answers: { ...answers, 'GET /messages/:id': () => shared } })
  expect(
    await screen.findByText(mayChange ? /every Member can read and use it/ : /only its author and Admins/),
  ).toBeTruthy()
  expect(screen.queryByRole('button', { name: 'Save' }) !== null).toBe(mayChange)
})

//
test('a user who may not write messages reads the whole message', async () => {
  const long = `${'x'.repeat(60)} the end`
  renderApp({
    path: '/messages/edit/5',
    user: { ...member, canSendMessages: false },
    answers: {
      'GET /messages/:id': () => ({
        ...message,
        textContent: long,
        imageUrl: '/images/a.webp',
        instanceId: 1,
        instanceName: 'Shop',
        assignedGroups: [{ id: 2, name: 'Regulars' }],
      }),
    },
  })
  expect(await screen.findByRole('heading', { level: 1, name: 'Message #5' })).toBeTruthy()
  for (const words of [long, 'Shop', 'minh', 'Regulars', '1/3/26, 3:04 AM'])
    expect(screen.getByText(words)).toBeTruthy()
  expect(screen.getByAltText<HTMLImageElement>('Message image').src).toContain('/images/a.webp')
  expect(screen.queryByRole('textbox')).toBeNull()
  expect(screen.getByRole('link', { name: 'Back to the messages' }).getAttribute('href')).toBe('/messages')
})

test.each(['JSON', 'multipart'])(
  'a stale save as %s shows what differs, and can overwrite it',
  async (kind) => {
    const theirs: Message = { ...message, textContent: 'Theirs', assignedGroups: [], version: 2 }
    let isRead = false
    const answer = (version: unknown) => (Number(version) === 2 ? theirs : refuse(409, 'stale_version'))
    const { person, requests, router } = open('/messages/edit/5', {
      'GET /messages/:id': () => {
        const found = isRead ? theirs : message
        isRead = true
        return found
      },
      'POST /groups/search': () => pageOf([{ ...group, id: 2, name: 'Family' }]),
      'PUT /messages/:id': ({ body }) => answer((body as { version: number }).version),
      'PUT /messages/:id/with-file': ({ body }) => answer((body as FormData).get('version')),
    })
    await person.type(await screen.findByLabelText(/Text/), ' all')
    if (kind === 'multipart') await chooseFile(person)
    await save(person)
    const dialog = within(await screen.findByRole('dialog', { name: /Somebody else has changed this/ }))
    await waitFor(() => expect(dialog.getByRole('row', { name: /Groups/ }).textContent).toBe('GroupsFamily—'))
    expect(dialog.getByRole('row', { name: /^Text/ }).textContent).toBe('TextHello allTheirs')
    if (kind === 'multipart')
      expect(dialog.getByRole('row', { name: /^Image/ }).textContent).toMatch(/^Imagecat\.png/)
    await person.click(dialog.getByRole('button', { name: 'Overwrite with mine' }))
    await waitFor(() => expect(router.state.location.pathname).toBe('/messages'))
    expect(requests.filter(({ name }) => name.startsWith('PUT'))).toHaveLength(2)
  },
)
