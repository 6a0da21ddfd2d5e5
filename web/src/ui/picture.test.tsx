import { fireEvent, screen, waitFor } from '@testing-library/react'
import { expect, test, vi } from 'vitest'
import { job } from '../../test/job.ts'
import { message as plainMessage } from '../../test/message.ts'
import { renderApp } from '../../test/render.tsx'
import { pageOf } from '../../test/server.ts'

const message = { ...plainMessage, imageUrl: '/images/a.webp' }
const answers = {
  'GET /messages': () => pageOf([message]),
  'GET /messages/:id': () => message,
  'GET /instances': () => pageOf([]),
  'POST /groups/search': () => pageOf([]),
  'GET /jobs/:id': () => ({ ...job, imageUrl: '/images/a.webp' }),
}
const words = 'Image unavailable'
const pictures = () => [...document.querySelectorAll<HTMLImageElement>('main img')]
/** Fires the error event of an image that the browser can't load. */
async function failAll() {
  await waitFor(() => expect(pictures()).not.toEqual([]))
  const all = pictures()
  for (const picture of all) fireEvent.error(picture)
  return all.length
}

test.each(['/messages', '/messages/edit/5', '/jobs/3'])(
  //
  'at %s a frame says that the image can’t be loaded',
  async (path) => {
    renderApp({ path, answers })
    const count = await failAll()
    expect(pictures()).toEqual([])
    expect(screen.getAllByText(words)).toHaveLength(count)
  },
)

//
test('a new image replaces one that could not be loaded', async () => {
  vi.spyOn(URL, 'createObjectURL').mockReturnValue('blob:cat')
  vi.spyOn(URL, 'revokeObjectURL').mockReturnValue()
  const { person } = renderApp({ path: '/messages/edit/5', answers })
  await failAll()
  const field = document.querySelector('input[type=file]') as HTMLInputElement
  await person.upload(field, new File(['a picture'], 'cat.png', { type: 'image/png' }))
  expect((await screen.findByAltText('Message image')).getAttribute('src')).toBe('blob:cat')
})
