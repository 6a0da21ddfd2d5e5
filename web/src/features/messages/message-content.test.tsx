import type { Message } from '@sendroom/contract/messages'
import { fireEvent, screen, waitFor, within } from '@testing-library/react'
import { expect, test } from 'vitest'
import { instance } from '../../../test/instance.ts'
import { row } from '../../../test/job.ts'
import { message } from '../../../test/message.ts'
import {
  chooseKind,
  film,
  give,
  open,
  preview,
  save,
  savedBody,
  uploadOf,
} from '../../../test/message-form.tsx'
import { refuse } from '../../../test/server.ts'
import { catchUploads, storedVideo } from '../../../test/uploads.ts'

// Messages of other kinds than text.

// R-1742
test('a poll is written with the keyboard alone', async () => {
  const { person, requests } = open()
  await chooseKind(person, 'poll')
  await person.type(screen.getByLabelText(/^Question/), 'Which day?')
  await person.click(await screen.findByRole('textbox', { name: 'Answer 1' }))
  // Enter goes to the next answer, and adds one after the last.
  await person.keyboard('Monday{Enter}')
  await waitFor(() => expect(document.activeElement).toBe(screen.getByRole('textbox', { name: 'Answer 2' })))
  await person.keyboard('Friday{Enter}')
  await waitFor(() => expect(document.activeElement).toBe(screen.getByRole('textbox', { name: 'Answer 3' })))
  await person.keyboard('Sunday')

  screen.getByRole('button', { name: 'Move up: Sunday' }).focus()
  await person.keyboard('{Enter}')
  await waitFor(() => expect(document.activeElement?.getAttribute('aria-label')).toBe('Move up: Sunday'))
  await person.keyboard('{Enter}')
  await waitFor(() => expect(document.activeElement?.getAttribute('aria-label')).toBe('Move down: Sunday'))
  await person.click(screen.getByRole('button', { name: 'Remove: Friday' }))
  await person.click(screen.getByLabelText('People can choose several answers'))
  expect((await preview()).getAllByRole('listitem').map((item) => item.textContent)).toEqual([
    'Sunday',
    'Monday',
  ])
  await save(person)
  await screen.findByText('Message created successfully!')
  expect(savedBody(requests)).toEqual({
    textContent: 'Which day?',
    content: { kind: 'poll', options: ['Sunday', 'Monday'], allowsSeveral: true },
    instanceId: null,
    groupIds: [],
  })
})

// R-1742
test('a poll says what is missing, and two equal answers', async () => {
  const { person } = open()
  await chooseKind(person, 'poll')
  await screen.findByRole('textbox', { name: 'Answer 1' })
  await save(person)
  expect(await screen.findByText('Enter the question.')).toBeTruthy()
  expect(screen.getAllByText('Enter an answer of at most 100 characters.')).toHaveLength(2)
  await person.type(screen.getByRole('textbox', { name: 'Answer 1' }), 'Yes')
  await person.type(screen.getByRole('textbox', { name: 'Answer 2' }), 'Yes')
  await save(person)
  expect(await screen.findByText('Two answers are the same.')).toBeTruthy()
  await person.type(screen.getByRole('textbox', { name: 'Answer 2' }), '!')
  expect(screen.queryByText('Two answers are the same.')).toBeNull()
})

const pasteInto = (field: HTMLElement, text: string) =>
  fireEvent.paste(field, { clipboardData: { getData: () => text, types: ['text/plain'], files: [] } })

// R-1741, R-1742
test('pasted coordinates or a link fill both fields of a location', async () => {
  const { person, requests } = open()
  await chooseKind(person, 'location')
  await person.type(screen.getByLabelText(/^Name of the place/), 'Shop')
  const latitude = await screen.findByLabelText<HTMLInputElement>(/^Latitude/)
  const longitude = screen.getByLabelText<HTMLInputElement>(/^Longitude/)
  pasteInto(longitude, 'https://maps.app.goo.gl/abc')
  expect(await screen.findByText(/This link has no coordinates/)).toBeTruthy()
  pasteInto(longitude, '10.77, 106.70')
  await waitFor(() => expect([latitude.value, longitude.value]).toEqual(['10.77', '106.70']))
  await person.clear(latitude)
  await person.type(latitude, '91')
  expect(await screen.findByText(/Enter a latitude from -90 to 90/)).toBeTruthy()
  await person.clear(latitude)
  await person.type(latitude, '10,5')
  await person.type(screen.getByLabelText('Address'), '1 Lê Lợi')
  await save(person)
  await screen.findByText('Message created successfully!')
  expect(savedBody(requests)).toMatchObject({
    textContent: 'Shop',
    content: { kind: 'location', latitude: 10.5, longitude: 106.7, address: '1 Lê Lợi' },
  })
})

// R-1742
test('another kind keeps what was typed for the one before', async () => {
  const uploads = catchUploads()
  const { person } = open()
  await person.type(await screen.findByLabelText(/^Text/), 'Hello')
  await chooseKind(person, 'video')
  await give(person, film, 'Video')
  const upload = await uploadOf(uploads)
  await chooseKind(person, 'poll')
  await person.type(await screen.findByRole('textbox', { name: 'Answer 1' }), 'Yes')
  // The upload goes on meanwhile.
  upload.answer(201, storedVideo)
  await chooseKind(person, 'voice')
  expect(screen.queryByLabelText(/^(Text|Caption)/)).toBeNull()
  await chooseKind(person, 'video')
  expect(await screen.findByText('3.3 MB · 1:23')).toBeTruthy()
  expect(screen.getByLabelText<HTMLTextAreaElement>('Caption').value).toBe('Hello')
  await chooseKind(person, 'poll')
  expect((await screen.findByRole<HTMLInputElement>('textbox', { name: 'Answer 1' })).value).toBe('Yes')
  await chooseKind(person, 'text')
  expect(screen.getByLabelText<HTMLTextAreaElement>(/^Text/).value).toBe('Hello')
})

const fileContent = {
  ...{ kind: 'video' as const, file: storedVideo.name, fileName: 'sale.mp4' },
  ...{ mimeType: 'video/mp4', size: 3_500_000, seconds: 83 },
}
const withVideo: Message = { ...message, textContent: 'sale.mp4', content: fileContent }

// R-1742
test('a saved video becomes a text', async () => {
  const { person, requests } = open('/messages/edit/5', { 'GET /messages/:id': () => withVideo })
  expect((await screen.findByLabelText<HTMLTextAreaElement>('Caption')).value).toBe('')
  await chooseKind(person, 'text')
  await person.type(screen.getByLabelText(/^Text/), 'Hi')
  await save(person)
  await screen.findByText('Message updated successfully!')
  expect(savedBody(requests)).toMatchObject({ textContent: 'Hi', content: null })
})

// R-1745
test('a test sends the content as it is in the form', async () => {
  const { person, requests } = open('/messages/edit/5', {
    'GET /messages/:id': () => withVideo,
    'POST /jobs/test': () => ({ ...row, id: 8 }),
  })
  await screen.findByLabelText('Caption')
  await person.click(screen.getByRole('button', { name: 'Enter a number for a test' }))
  await person.type(await screen.findByLabelText(/Phone number/), '0901234567')
  await person.click(screen.getByRole('combobox', { name: 'From account' }))
  await person.click(await screen.findByRole('option', { name: 'Shop' }))
  await person.click(screen.getByRole('button', { name: 'Send test' }))
  await waitFor(() => expect(requests.some(({ name }) => name === 'POST /jobs/test')).toBe(true))
  expect(requests.find(({ name }) => name === 'POST /jobs/test')?.body).toEqual({
    textContent: '',
    content: { kind: 'video', file: storedVideo.name, fileName: 'sale.mp4' },
    imageOf: null,
    contactId: null,
    phoneNumber: '0901234567',
    instanceId: instance.id,
  })
})

// R-1746
test('the dialog about another’s change shows both contents', async () => {
  const poll = { kind: 'poll' as const, options: ['Yes', 'No'], allowsSeveral: true }
  let now: Message = withVideo
  const { person } = open('/messages/edit/5', {
    'GET /messages/:id': () => now,
    'PUT /messages/:id': () => refuse(409, 'stale_version'),
  })
  await person.type(await screen.findByLabelText('Caption'), 'Sale')
  now = { ...withVideo, textContent: 'Coming?', content: poll, version: 2 }
  await save(person)
  const dialog = within(await screen.findByRole('dialog'))
  const line = within(dialog.getByRole('row', { name: /^Kind/ }))
  expect(line.getAllByRole('cell').map((cell) => cell.textContent)).toEqual([
    'Video: sale.mp4',
    'Poll: Yes, No, People can choose several answers',
  ])
})

// R-1747
test.each([
  ['video', 1025, true],
  ['video', 1024, false],
  ['text', 1025, false],
])('a %s with %i characters: a warning is shown: %s', async (kind, length, isWarned) => {
  const { person } = open()
  await chooseKind(person, kind)
  fireEvent.change(screen.getByLabelText(/^(Caption|Text)/), { target: { value: 'x'.repeat(length) } })
  await screen.findByText(`${length.toLocaleString('en')}/4,000`)
  expect(screen.queryByText(/WhatsApp may cut off/) !== null).toBe(isWarned)
})
