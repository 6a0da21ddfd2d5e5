import type { MessageContent } from '@sendroom/contract/message-content'
import { fireEvent, screen, within } from '@testing-library/react'
import { expect, test, vi } from 'vitest'
import { message } from '../../test/message.ts'
import { member, renderApp } from '../../test/render.tsx'
import { pageOf } from '../../test/server.ts'

const file = `${'a'.repeat(32)}.mp4`
const facts = {
  file,
  fileName: 'price list.pdf',
  mimeType: 'application/pdf',
  size: 1_572_864,
  seconds: null,
}

/** Opens the page of a message, on which a Member without the right to write reads it. */
async function read(textContent: string, content: MessageContent, hasVariables = false) {
  renderApp({
    path: '/messages/edit/5',
    user: { ...member, canSendMessages: false },
    answers: { 'GET /messages/:id': () => ({ ...message, textContent, content, hasVariables }) },
  })
  return within(await screen.findByRole('region', { name: 'Text' }))
}

// R-1740
test('a video is shown with its length and caption', async () => {
  const shown = await read('Only *today*', { ...facts, kind: 'video', seconds: 83 })
  const video = await shown.findByLabelText<HTMLVideoElement>('Video')
  expect(video.getAttribute('src')).toBe(`/files/${file}#t=0.1`)
  expect(shown.getByText('1:23')).toBeTruthy()
  expect(shown.getByText('today').tagName).toBe('STRONG')
  fireEvent.error(video)
  expect(shown.getByText('This browser can’t show the video.')).toBeTruthy()
})

// R-1740
test('a document is shown with its name and size, and can be saved', async () => {
  const shown = await read('price list.pdf', { ...facts, kind: 'document' })
  const link = await shown.findByRole<HTMLAnchorElement>('link')
  expect(link.textContent).toBe('price list.pdfPDF · 1.5 MB')
  expect([link.getAttribute('href'), link.download]).toEqual([`/files/${file}`, 'price list.pdf'])
  // Without a caption, the message has the name of the file as its text.
  expect(shown.getAllByText('price list.pdf')).toHaveLength(1)
})

// R-1740
test.each(['audio', 'voice'] as const)('an %s message has a row that plays it', async (kind) => {
  const play = vi.spyOn(HTMLMediaElement.prototype, 'play').mockResolvedValue()
  const shown = await read('a.ogg', { ...facts, kind, seconds: 5 })
  fireEvent.click(await shown.findByRole('button', { name: 'Play' }))
  expect(play).toHaveBeenCalledOnce()
  const audio = document.querySelector('audio') as HTMLAudioElement
  fireEvent.play(audio)
  expect(shown.getByText('0:05')).toBeTruthy()
  audio.currentTime = 2
  fireEvent.timeUpdate(audio)
  expect(shown.getByText('0:02')).toBeTruthy()
  fireEvent.change(shown.getByRole('slider'), { target: { value: '3' } })
  expect(audio.currentTime).toBe(3)
  expect(shown.getByRole('button', { name: 'Pause' })).toBeTruthy()
  expect(shown.queryByText('a.ogg')).toBeNull()
  fireEvent.error(audio)
  expect(shown.getByText('Can’t be played here')).toBeTruthy()
})

// R-1740
test.each([
  [false, 'Select one'],
  [true, 'Select one or more'],
])('a poll is shown with its answers: %s', async (allowsSeveral, hint) => {
  const poll = { kind: 'poll' as const, options: ['Monday', 'Friday'], allowsSeveral }
  const shown = await read('When, {{name}}?', poll, true)
  expect(shown.getByText('name').tagName).toBe('MARK')
  expect(shown.getByText(hint)).toBeTruthy()
  expect(shown.getAllByRole('listitem').map((item) => item.textContent)).toEqual(['Monday', 'Friday'])
})

// R-1740
test('a location is shown with its name and address, and loads no map', async () => {
  const place = { kind: 'location' as const, latitude: 10.77, longitude: 106.7, address: '1 Lê Lợi' }
  const shown = await read('Shop', place)
  expect(shown.getByText('Shop').tagName).toBe('STRONG')
  expect(shown.getByText('10.77, 106.7')).toBeTruthy()
  expect(shown.getByText('1 Lê Lợi')).toBeTruthy()
  expect(document.querySelector('iframe')).toBeNull()
})

// R-1740
test('lists name the kind of a message', async () => {
  const content = { kind: 'poll' as const, options: ['A', 'B'], allowsSeveral: false }
  renderApp({ path: '/messages', answers: { 'GET /messages': () => pageOf([{ ...message, content }]) } })
  expect(await screen.findByRole('img', { name: 'Poll' })).toBeTruthy()
})
