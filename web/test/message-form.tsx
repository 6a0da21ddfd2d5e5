import { screen, waitFor, within } from '@testing-library/react'
import { expect } from 'vitest'
import { instance } from './instance.ts'
import { message } from './message.ts'
import { renderApp } from './render.tsx'
import { type Answers, pageOf, type RecordedRequest } from './server.ts'
import type { SentUpload } from './uploads.ts'

// The form for messages.

const answers: Answers = {
  'GET /messages': () => pageOf([message]),
  'GET /messages/:id': () => message,
  'GET /instances': () => pageOf([instance]),
  'POST /groups/search': () => pageOf([]),
  'POST /messages': () => message,
  'PUT /messages/:id': () => message,
}
export const open = (path = '/messages/new', more: Answers = {}) =>
  renderApp({ path, answers: { ...answers, ...more } })
type Person = ReturnType<typeof open>['person']

export const chooseKind = async (person: Person, kind: string) =>
  person.selectOptions(await screen.findByLabelText('Kind'), kind)

export const film = new File(['frames'], 'sale.mp4', { type: 'video/mp4' })
/** The visible button opens this hidden input. */
export async function give(person: Person, file: File, label: string) {
  await screen.findByRole('button', { name: label })
  await person.upload(document.querySelector('input[type=file]') as HTMLInputElement, file)
}
/** The upload of this number, once it has begun. */
export async function uploadOf(uploads: SentUpload[], count = 1) {
  await waitFor(() => expect(uploads).toHaveLength(count))
  return uploads[count - 1] as SentUpload
}

export const save = (person: Person) => person.click(screen.getByRole('button', { name: 'Save' }))
export const savedBody = (requests: RecordedRequest[]) =>
  requests.find(({ name }) => name === 'POST /messages' || name.startsWith('PUT'))?.body

export const preview = async () => within(await screen.findByRole('region', { name: 'WhatsApp preview' }))
