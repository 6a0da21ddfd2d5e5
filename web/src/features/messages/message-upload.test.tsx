import { screen, waitFor } from '@testing-library/react'
import { expect, test } from 'vitest'
import { endedSession } from '../../../test/job-form.tsx'
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
import { signInAgain } from '../../../test/steps.ts'
import { catchUploads, type SentUpload, storedVideo } from '../../../test/uploads.ts'

// The file of a message.

// R-1742, R-1743
test('a video is uploaded with progress, previewed, and saved with its caption', async () => {
  const uploads = catchUploads()
  const { person, requests } = open()
  await chooseKind(person, 'video')
  await person.type(screen.getByLabelText('Caption'), 'Only today')
  await give(person, film, 'Video')
  const upload = await uploadOf(uploads)
  expect(upload).toMatchObject({ url: 'POST /api/files', file: film })
  expect(new Headers(upload.headers).get('Authorization')).toBe('Bearer a-token')

  upload.progress(0.42)
  await waitFor(() => expect(screen.getByRole('progressbar').getAttribute('aria-valuenow')).toBe('42'))
  await save(person)
  expect(await screen.findByText('Wait until the file is uploaded.')).toBeTruthy()

  upload.progress(1)
  expect(await screen.findByText('Uploaded. Checking the file...')).toBeTruthy()
  upload.answer(201, storedVideo)
  expect(await screen.findByText('3.3 MB · 1:23')).toBeTruthy()
  expect((await (await preview()).findByLabelText('Video')).getAttribute('src')).toContain(storedVideo.url)
  await save(person)
  await screen.findByText('Message created successfully!')
  expect(savedBody(requests)).toEqual({
    textContent: 'Only today',
    content: { kind: 'video', file: storedVideo.name, fileName: 'sale.mp4' },
    instanceId: null,
    groupIds: [],
  })
})

// R-1743
test('an upload can be cancelled, and leaving the form ends it', async () => {
  const uploads = catchUploads()
  const { person, router } = open()
  await chooseKind(person, 'document')
  await give(person, film, 'Document')
  const first = await uploadOf(uploads)
  await person.click(screen.getByRole('button', { name: 'Cancel upload' }))
  expect(first.isAborted).toBe(true)
  expect(screen.queryByRole('progressbar')).toBeNull()

  await give(person, film, 'Document')
  const second = await uploadOf(uploads, 2)
  void router.navigate({ to: '/jobs' })
  await person.click(await screen.findByRole('button', { name: 'Leave' }))
  await waitFor(() => expect(second.isAborted).toBe(true))
})

// R-1743
test.each([
  ['the connection breaks', (upload: SentUpload) => upload.onerror(), /No connection|server/],
  [
    'the quota is full',
    (upload: SentUpload) => upload.answer(409, { code: 'quota_images', error: 'no', params: { limit: 500 } }),
    /can take 500 MB together/,
  ],
])('when %s, the form says so, keeps what was typed and tries again', async (_why, fail, words) => {
  const uploads = catchUploads()
  const { person } = open()
  await chooseKind(person, 'video')
  await person.type(screen.getByLabelText('Caption'), 'Only today')
  await give(person, film, 'Video')
  fail(await uploadOf(uploads))
  expect(await screen.findByText(words)).toBeTruthy()
  expect(screen.getByLabelText<HTMLTextAreaElement>('Caption').value).toBe('Only today')

  await person.click(screen.getByRole('button', { name: 'Try again' }))
  const again = await uploadOf(uploads, 2)
  again.answer(201, storedVideo)
  expect(await screen.findByText('3.3 MB · 1:23')).toBeTruthy()
})

// R-1743
test('when the session ends during an upload, what was typed is there after the sign-in', async () => {
  const uploads = catchUploads()
  const { person } = open('/messages/new', endedSession)
  await chooseKind(person, 'video')
  await person.type(screen.getByLabelText('Caption'), 'Only today')
  await give(person, film, 'Video')
  const upload = await uploadOf(uploads)
  upload.answer(401, { code: 'unauthenticated', error: 'no' })
  await signInAgain(person)
  expect((await screen.findByLabelText<HTMLTextAreaElement>('Caption')).value).toBe('Only today')
})

// R-1743
test('a file that is too large is refused at its field, before it is sent', async () => {
  const uploads = catchUploads()
  const { person } = open()
  await chooseKind(person, 'document')
  const huge = new File(['x'], 'huge.zip')
  Object.defineProperty(huge, 'size', { value: 101 << 20 })
  await give(person, huge, 'Document')
  expect(await screen.findByText('The file is larger than 100 MB. Choose a smaller one.')).toBeTruthy()
  expect(uploads).toHaveLength(0)
})

// R-1744
test('a video that phones would not play is sent as a document with one click, under another name', async () => {
  const uploads = catchUploads()
  const { person, requests } = open()
  await chooseKind(person, 'video')
  await give(person, film, 'Video')
  const upload = await uploadOf(uploads)
  upload.answer(201, { ...storedVideo, kinds: ['document'], whyNot: 'codec' })
  expect(await screen.findByText('This file can’t be sent as a video.')).toBeTruthy()
  expect(screen.getByText(/Save the file as MP4 with H.264 and AAC/)).toBeTruthy()
  await save(person)
  expect(requests.some(({ name }) => name === 'POST /messages')).toBe(false)

  await person.click(screen.getByRole('button', { name: 'Send as a document' }))
  const name = await screen.findByLabelText<HTMLInputElement>(/^File name/)
  expect(screen.getByLabelText<HTMLSelectElement>('Kind').value).toBe('document')
  await person.clear(name)
  await person.type(name, 'Film.mp4')
  await save(person)
  await screen.findByText('Message created successfully!')
  expect(savedBody(requests)).toMatchObject({
    textContent: '',
    content: { kind: 'document', file: storedVideo.name, fileName: 'Film.mp4' },
  })
})
