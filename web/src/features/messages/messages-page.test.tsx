import type { MessageRow } from '@sendroom/contract/messages'
import { screen, waitFor, within } from '@testing-library/react'
import { expect, test, vi } from 'vitest'
import { messageRow } from '../../../test/message.ts'
import { member, renderApp } from '../../../test/render.tsx'
import { type Answers, pageOf, refuse } from '../../../test/server.ts'
import { isDisabled, reasonOf } from '../../../test/steps.ts'
import { currentToasts } from '../../ui/toasts.ts'

const row: MessageRow = {
  ...messageRow,
  textContent: `${'x'.repeat(50)}and more`,
  imageUrl: '/images/a.webp',
  instanceId: 1,
  instanceName: 'Shop',
}
const plain: MessageRow = { ...messageRow, id: 4, textContent: 'Short' }

const open = (more: Answers = {}, path = '/messages') =>
  renderApp({ path, answers: { 'GET /messages': () => pageOf([row, plain]), ...more } })
const rowOf = (name: RegExp | string) => screen.findByRole('row', { name })
const findDialog = async () => within(await screen.findByRole('dialog'))
const findToast = async (msg: string) => {
  await waitFor(() => expect(currentToasts()).toMatchObject([{ msg }]))
  return currentToasts()[0]
}

//
test('a row shows the message’s fields in this order, with the time in Vietnam', async () => {
  open()
  const cells = within(await rowOf(/Shop/)).getAllByRole('cell')
  expect(cells.slice(1, -1).map((cell) => cell.textContent)).toEqual([
    '5',
    `${'x'.repeat(50)}...`,
    'Shop',
    'minh',
    '1/3/26, 3:04 AM',
  ])
  const headers = screen.getAllByRole('columnheader').map((header) => header.textContent)
  expect(headers.slice(1)).toEqual(['Id', 'Title', 'Account', 'Created by', 'Created at', 'Actions'])
  const thumbnail = (await rowOf(/Shop/)).querySelector('img') as HTMLImageElement
  expect(thumbnail.getAttribute('src')).toBe('/images/a.webp')
  expect([thumbnail.style.width, thumbnail.style.height]).toEqual(
    Array(2).fill('calc(2.5rem * var(--mantine-scale))'),
  )
  const other = await rowOf(/Short/)
  expect(other.querySelector('img')).toBeNull()
  expect(within(other).getByText('Short')).toBeTruthy()
})

test.each([
  ['Enter', '{Enter}'],
  ['the button', ''],
  //
])('the list is sorted descending, and a search by %s starts at page 1', async (_, key) => {
  const { requests, person, router } = open({}, '/messages?page=3')
  await rowOf(/Shop/)
  await person.type(screen.getByRole('searchbox'), `tết${key}`)
  if (key === '') await person.click(screen.getByRole('button', { name: 'Search' }))
  await waitFor(() => expect(router.state.location.search).toMatchObject({ search: 'tết' }))
  const usual = { page: '1', pageSize: '10', sortBy: 'id', sortDirection: 'desc' }
  const queries = () => requests.filter(({ name }) => name === 'GET /messages').map(({ query }) => query)
  await waitFor(() => expect(queries().at(-1)).toEqual({ ...usual, search: 'tết' }))
  expect(queries()[0]).toEqual({ ...usual, page: '3' })
  const pressed = key === '' ? screen.getByRole('button', { name: 'Search' }) : screen.getByRole('searchbox')
  expect(document.activeElement).toBe(pressed)
  await router.navigate({ to: '/messages' })
  await waitFor(() => expect(screen.getByRole<HTMLInputElement>('searchbox').value).toBe(''))
})

//
test('the selected messages are deleted after a confirmation', async () => {
  const { person, requests } = open({ 'POST /messages/bulk-delete': () => undefined })
  const all = await screen.findByLabelText<HTMLInputElement>('Select all')
  const bulk = (count: number) =>
    screen.getByRole<HTMLButtonElement>('button', { name: `Delete selected (${count})` })
  expect(bulk(0).disabled).toBe(true)
  await person.click(await screen.findByLabelText('Select Id 4'))
  expect(bulk(1).disabled).toBe(false)
  expect(all.checked).toBe(false)
  await person.click(all)
  await person.click(bulk(2))
  const dialog = await findDialog()
  expect(dialog.getByText('Are you sure you want to delete 2 selected messages?')).toBeTruthy()
  await person.click(dialog.getByRole('button', { name: 'Delete' }))
  expect(await findToast('Messages deleted successfully')).toMatchObject({ type: 'success', timeout: 3000 })
  expect(requests.find(({ name }) => name.startsWith('POST'))?.body).toEqual({ ids: [5, 4] })
})

//
test('a message is deleted after a confirmation', async () => {
  const { person, requests } = open({ 'DELETE /messages/:id': () => undefined })
  await person.click(within(await rowOf(/Shop/)).getByRole('button', { name: 'Delete' }))
  const dialog = await findDialog()
  expect(dialog.getByText('Are you sure you want to delete this message?')).toBeTruthy()
  await person.click(dialog.getByRole('button', { name: 'Delete' }))
  expect(await findToast('Message deleted successfully')).toMatchObject({ type: 'success', timeout: 3000 })
  expect(requests.find(({ name }) => name === 'DELETE /messages/:id')?.params).toEqual({ id: '5' })
})

test.each(['Delete', 'Delete selected (1)'])(
  //
  'after “%s” by keyboard the page has the focus',
  async (name) => {
    let rows = [row, plain]
    const remove = () => {
      rows = [plain]
      return undefined
    }
    const { person } = open({
      'GET /messages': () => pageOf(rows),
      'DELETE /messages/:id': remove,
      'POST /messages/bulk-delete': remove,
    })
    const within5 = within(await rowOf(/Shop/))
    if (name !== 'Delete') await person.click(within5.getByRole('checkbox'))
    const button =
      name === 'Delete' ? within5.getByRole('button', { name }) : screen.getByRole('button', { name })
    button.focus()
    await person.keyboard('{Enter}')
    await findDialog()
    await person.keyboard('{Enter}')
    await waitFor(() => expect(screen.queryByRole('row', { name: /Shop/ })).toBeNull())
    await waitFor(() => expect(document.activeElement).toBe(screen.getByRole('main')))
  },
)

//
test.each(['Delete', 'Delete selected (2)'])('“%s” can be cancelled', async (name) => {
  const { person, requests } = open()
  await rowOf(/Shop/)
  await person.click(screen.getByLabelText('Select all'))
  await person.click(screen.getAllByRole('button', { name })[0] as HTMLElement)
  await person.click((await findDialog()).getByRole('button', { name: 'Cancel' }))
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  expect(requests.every(({ name }) => name.startsWith('GET'))).toBe(true)
})

//
test('edit and add open their forms', async () => {
  const { person, router } = open({ 'GET /messages/:id': () => refuse(503, 'unavailable') })
  expect((await screen.findByRole('link', { name: 'Add message' })).getAttribute('href')).toBe(
    '/messages/new',
  )
  await person.click(within(await rowOf(/Shop/)).getByRole('button', { name: 'Edit' }))
  await waitFor(() => expect(router.state.location.pathname).toBe('/messages/edit/5'))
})

//
test('the list has pages, and one that became empty is replaced by the last page', async () => {
  let total = 11
  const { person, router } = open(
    {
      'GET /messages': ({ query }) =>
        pageOf(Number(query.page) === 2 && total < 11 ? [] : [row], total, {
          page: Number(query.page),
          pageSize: 10,
        }),
      'DELETE /messages/:id': () => {
        total = 10
        return undefined
      },
    },
    '/messages?page=2',
  )
  expect(await screen.findByText('Showing 11 to 11 of 11 entries')).toBeTruthy()
  await person.click(within(await rowOf(/Shop/)).getByRole('button', { name: 'Delete' }))
  await person.click((await findDialog()).getByRole('button', { name: 'Delete' }))
  await waitFor(() => expect(router.state.location.href).not.toContain('page=2'))
  expect(await rowOf(/Shop/)).toBeTruthy()
})

test.each([
  ['a user who may write messages', '/messages', { ...member }, /^No data yet\. Choose “Add message”/],
  ['a user who may only read', '/messages', { ...member, canSendMessages: false }, 'No data'],
  ['a search', '/messages?search=abc', { ...member }, 'No data found'],
  //
] as const)('an empty list has a text for %s', async (_, path, user, words) => {
  renderApp({ path, user, answers: { 'GET /messages': () => pageOf([]) } })
  expect((await screen.findByText(words)).closest('td')).toBeTruthy()
})

//
test('failed deletes and reads show the general error text', async () => {
  vi.spyOn(console, 'error').mockImplementation(() => {})
  let isThere = true
  const { person } = open({
    'GET /messages': () => (isThere ? pageOf([row]) : refuse(403, 'forbidden')),
    'DELETE /messages/:id': () => refuse(404, 'not_found'),
  })
  await person.click(within(await rowOf(/Shop/)).getByRole('button', { name: 'Delete' }))
  await person.click((await findDialog()).getByRole('button', { name: 'Delete' }))
  expect(await findToast('Resource not found.')).toMatchObject({ type: 'error', timeout: 5000 })
  isThere = false
  await person.type(screen.getByRole('searchbox'), 'x{Enter}')
  expect(
    await screen.findByText("Forbidden. You don't have permission to access this resource."),
  ).toBeTruthy()
  expect(await screen.findByRole('button', { name: 'Try again' })).toBeTruthy()
})

//
test('a Member who may not write messages can change nothing, and the buttons say why', async () => {
  const { person, router } = renderApp({
    path: '/messages',
    user: { ...member, canSendMessages: false },
    answers: { 'GET /messages': () => pageOf([row]), 'GET /messages/:id': () => new Promise(() => {}) },
  })
  await rowOf(/Shop/)
  for (const name of ['Add message', 'Edit', 'Delete', 'Delete selected (0)']) {
    const button = screen.getByRole<HTMLButtonElement>('button', { name })
    expect(isDisabled(button)).toBe(true)
    expect(reasonOf(button)).toMatch(/You can view messages/)
  }
  await person.click(screen.getByRole('button', { name: 'View' }))
  await waitFor(() => expect(router.state.location.pathname).toBe('/messages/edit/5'))
})

//
test('a Member reads a shared template and can’t change it', async () => {
  const shared = { ...plain, isShared: true }
  const { person } = renderApp({
    path: '/messages',
    user: member,
    answers: {
      'GET /messages': () => pageOf([row, shared]),
      'GET /messages/:id': () => new Promise(() => {}),
    },
  })
  const template = within(await rowOf(/Shared template/))
  for (const name of ['Edit', 'Delete'])
    expect(reasonOf(template.getByRole('button', { name }))).toMatch(/only its author and Admins/)
  expect(template.getByRole('button', { name: 'View' })).toBeTruthy()
  const other = within(await rowOf(/Shop/))
  expect(other.queryByRole('button', { name: 'View' })).toBeNull()
  await person.click(other.getByRole('checkbox'))
  expect(isDisabled(screen.getByRole('button', { name: 'Delete selected (1)' }))).toBe(false)
  await person.click(template.getByRole('checkbox'))
  expect(screen.getByRole('button', { name: 'Delete selected (2)' }).title).toMatch(/only its author/)
})

test('going back closes an open question', async () => {
  const { router, person, requests } = open({ 'GET /groups': () => pageOf([]) }, '/groups')
  await screen.findByRole('heading', { name: 'Groups' })
  await router.navigate({ to: '/messages' })
  await person.click(within(await rowOf(/Short/)).getByRole('button', { name: 'Delete' }))
  await findDialog()
  router.history.back()
  await screen.findByRole('heading', { name: 'Groups' })
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  expect(requests.some(({ name }) => name.startsWith('DELETE'))).toBe(false)
})

//
test('a message is sent by a new job with the message and its instance chosen', async () => {
  const { person, router } = open()
  await person.click(within(await rowOf(/Shop/)).getByRole('button', { name: 'Send' }))
  await screen.findByRole('heading', { name: 'Add job' })
  expect(router.state.location.search).toEqual({ message: row.id, instance: row.instanceId })
})

//
test('a Member who may not create jobs can send no message, and the button says why', async () => {
  renderApp({
    path: '/messages',
    user: { ...member, canCreateJobs: false },
    answers: { 'GET /messages': () => pageOf([row]) },
  })
  const send = within(await rowOf(/Shop/)).getByRole('button', { name: 'Send' })
  expect([isDisabled(send), reasonOf(send)]).toEqual([true, expect.stringMatching(/^You can view jobs/)])
})
