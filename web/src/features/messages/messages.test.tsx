import type { Message, MessageRow } from '@sendroom/contract/messages'
import { screen, waitFor, within } from '@testing-library/react'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { instance } from '../../../test/instance.ts'
import { member, renderApp } from '../../../test/render.tsx'
import { type Answers, pageOf, refuse } from '../../../test/server.ts'
import { currentToasts, removeToast } from '../../ui/toasts.ts'

const row: MessageRow = {
  id: 5,
  textContent: `${'x'.repeat(50)}and more`,
  imageUrl: '/images/a.webp',
  instanceId: 1,
  instanceName: 'Shop',
  createdByUserName: 'minh',
  createdAt: '2026-01-02T20:04:05.000Z',
}
const message: Message = { ...row, textContent: 'Hello', assignedGroups: [{ id: 2, name: 'Family' }] }
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
afterEach(() => {
  for (const { id } of currentToasts()) removeToast(id)
})

const open = (path: string, more: Answers = {}) => renderApp({ path, answers: { ...answers, ...more } })
type Person = ReturnType<typeof open>['person']
const save = async (person: Person) => person.click(await screen.findByRole('button', { name: 'Save' }))
// The button one sees opens this hidden field.
const chooseFile = (person: Person) =>
  person.upload(document.querySelector('input[type=file]') as HTMLInputElement, picture)
const fieldsOf = (body: unknown) => (body instanceof FormData ? [...body.entries()] : [])

test('a row tells its message, with the time in Vietnam', async () => {
  open('/messages')
  const cells = within(await screen.findByRole('row', { name: /Shop/ }))
  for (const text of ['5', `${'x'.repeat(50)}...`, 'minh', '1/3/26, 3:04 AM'])
    expect(cells.getByText(text)).toBeTruthy()
})

test('a Member who may not write messages can change nothing, and reads why', async () => {
  renderApp({ path: '/messages', user: { ...member, canSendMessages: false }, answers })
  await screen.findByRole('row', { name: /Shop/ })
  for (const name of ['Add message', 'Edit', 'Delete']) {
    const button = screen.getByRole<HTMLButtonElement>('button', { name })
    expect(button.disabled).toBe(true)
    expect(button.title).toMatch(/You may read messages/)
  }
})

test('a message is deleted once it is confirmed', async () => {
  const { person, seen } = open('/messages', { 'DELETE /messages/:id': () => undefined })
  await person.click(await screen.findByRole('button', { name: 'Delete' }))
  const dialog = within(await screen.findByRole('dialog'))
  expect(dialog.getByText('Are you sure you want to delete this message?')).toBeTruthy()
  await person.click(dialog.getByRole('button', { name: 'Delete' }))
  expect(await screen.findByText('Message deleted successfully')).toBeTruthy()
  expect(seen.find(({ name }) => name === 'DELETE /messages/:id')?.params).toEqual({ id: '5' })
})

test('a new message without account and image goes as JSON', async () => {
  const { person, seen, router } = open('/messages/new')
  await person.type(await screen.findByLabelText(/Text/), 'Hi')
  expect(screen.getByText('2/4,000')).toBeTruthy()
  await save(person)
  expect(await screen.findByText('Message created successfully!')).toBeTruthy()
  await waitFor(() => expect(router.state.location.pathname).toBe('/messages'))
  expect(seen.find(({ name }) => name === 'POST /messages')?.body).toEqual({
    textContent: 'Hi',
    instanceId: null,
    groupIds: [],
  })
})

test('a message needs a text', async () => {
  const { person, seen } = open('/messages/new')
  await save(person)
  expect(await screen.findByText('Enter the text of the message.')).toBeTruthy()
  expect(screen.getByText('Please correct the form errors.')).toBeTruthy()
  expect(seen.some(({ name }) => name === 'POST /messages')).toBe(false)
})

test('removing the image and choosing a new one exclude each other', async () => {
  const { person } = open('/messages/edit/5')
  const remove = await screen.findByLabelText<HTMLInputElement>('Remove image')
  expect(screen.getByAltText('Current image')).toBeTruthy()

  await chooseFile(person)
  expect((await screen.findByAltText('New image')).getAttribute('src')).toBe('blob:cat')

  await person.click(remove)
  expect(screen.queryByAltText('Current image')).toBeNull()
  expect(screen.queryByAltText('New image')).toBeNull()

  await chooseFile(person)
  expect(await screen.findByAltText('New image')).toBeTruthy()
  expect(remove.checked).toBe(false)
})

test('a message whose image stays is saved as JSON, with its groups', async () => {
  const { person, seen } = open('/messages/edit/5')
  await person.type(await screen.findByLabelText(/Text/), '!')
  await save(person)
  expect(await screen.findByText('Message updated successfully!')).toBeTruthy()
  expect(seen.find(({ name }) => name === 'PUT /messages/:id')?.body).toEqual({
    textContent: 'Hello!',
    instanceId: 1,
    groupIds: [2],
    removeImage: false,
  })
})

test('a new image goes as a form, with all the rest', async () => {
  const { person, seen } = open('/messages/edit/5')
  await screen.findByLabelText('Remove image')
  await chooseFile(person)
  await save(person)
  expect(await screen.findByText('Message updated successfully!')).toBeTruthy()
  expect(fieldsOf(seen.find(({ name }) => name === 'PUT /messages/:id/with-file')?.body)).toEqual([
    ['textContent', 'Hello'],
    ['instanceId', '1'],
    ['groupIds', '2'],
    ['imageFile', picture],
  ])
})

test('a removed image is told in the form', async () => {
  const { person, seen } = open('/messages/edit/5')
  await person.click(await screen.findByLabelText('Remove image'))
  await save(person)
  await screen.findByText('Message updated successfully!')
  const sent = fieldsOf(seen.find(({ name }) => name === 'PUT /messages/:id/with-file')?.body)
  expect(sent).toContainEqual(['removeImage', 'true'])
})

test('a failed save keeps what was typed, and says at the image what is wrong', async () => {
  const { person } = open('/messages/new', { 'POST /messages': () => refuse(415, 'not_an_image') })
  const text = await screen.findByLabelText<HTMLTextAreaElement>(/Text/)
  await person.type(text, 'Hi')
  await chooseFile(person)
  await save(person)
  expect(await screen.findByText('Failed to create message.')).toBeTruthy()
  expect(screen.getAllByText(/This file is not an image we can send/).length).toBeGreaterThan(0)
  expect(text.value).toBe('Hi')
  expect(screen.getByRole<HTMLButtonElement>('button', { name: 'Save' }).disabled).toBe(false)
})

test('a message that can’t be loaded leads back to the list', async () => {
  const { router } = open('/messages/edit/12', { 'GET /messages/:id': () => refuse(404, 'not_found') })
  expect(await screen.findByText('Failed to load message.')).toBeTruthy()
  await waitFor(() => expect(router.state.location.pathname).toBe('/messages'))
})
