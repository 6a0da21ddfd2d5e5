import type { Message } from '@sendroom/contract/messages'
import { fireEvent, screen, waitFor } from '@testing-library/react'
import { expect, test, vi } from 'vitest'
import { job } from '../../test/job.ts'
import { renderApp } from '../../test/render.tsx'
import { pageOf } from '../../test/server.ts'

const message: Message = {
  id: 5,
  textContent: 'Hello',
  imageUrl: '/images/a.webp',
  instanceId: null,
  instanceName: null,
  createdByUserName: 'minh',
  createdAt: '2026-01-02T20:04:05.000Z',
  assignedGroups: [],
}
const answers = {
  'GET /messages': () => pageOf([message]),
  'GET /messages/:id': () => message,
  'GET /instances': () => pageOf([]),
  'POST /groups/search': () => pageOf([]),
  'GET /jobs/:id': () => ({ ...job, imageUrl: '/images/a.webp' }),
}
const words = 'The image can’t be loaded'
const pictures = () => [...document.querySelectorAll<HTMLImageElement>('main img')]
/** What a browser does with an address where there is no image. */
async function failAll() {
  await waitFor(() => expect(pictures()).not.toEqual([]))
  const all = pictures()
  for (const picture of all) fireEvent.error(picture)
  return all.length
}

test.each(['/messages', '/messages/edit/5', '/jobs/3'])(
  //
  'at %s an image that can’t be loaded says so in its place',
  async (path) => {
    renderApp({ path, answers })
    const count = await failAll()
    expect(pictures()).toEqual([])
    expect(screen.getAllByText(words)).toHaveLength(count)
  },
)

//
test('another image in its place is looked at anew', async () => {
  vi.spyOn(URL, 'createObjectURL').mockReturnValue('blob:cat')
  vi.spyOn(URL, 'revokeObjectURL').mockReturnValue()
  const { person } = renderApp({ path: '/messages/edit/5', answers })
  await failAll()
  const field = document.querySelector('input[type=file]') as HTMLInputElement
  await person.upload(field, new File(['a picture'], 'cat.png', { type: 'image/png' }))
  expect((await screen.findByAltText('Image of the message')).getAttribute('src')).toBe('blob:cat')
})
