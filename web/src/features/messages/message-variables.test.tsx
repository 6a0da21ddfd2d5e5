import { fireEvent, screen, waitFor, within } from '@testing-library/react'
import { expect, test } from 'vitest'
import { message } from '../../../test/message.ts'
import { renderApp } from '../../../test/render.tsx'
import { type Answers, pageOf, type RecordedRequest } from '../../../test/server.ts'

const answers: Answers = {
  'GET /instances': () => pageOf([]),
  'GET /text-variables': () => ({ variables: [{ key: 'city', name: 'Town', type: 'text' }] }),
}
const lan = { id: 4, name: 'Lan', phoneNumber: '+84901234567' }
const open = (more: Answers = {}, path = '/messages/new') =>
  renderApp({ path, answers: { ...answers, ...more } })
const field = () => screen.findByLabelText<HTMLTextAreaElement>(/^Text/)
const write = async (value: string) => fireEvent.change(await field(), { target: { value } })
const preview = async () => within(await screen.findByRole('region', { name: 'WhatsApp preview' }))

//
test('a variable is inserted at the cursor, from a menu beside the text, and marked in the preview', async () => {
  const { person } = open()
  await write('Hi , welcome')
  ;(await field()).setSelectionRange(3, 3)
  await person.click(screen.getByRole('button', { name: 'Insert variable' }))
  await person.click(await screen.findByRole('menuitem', { name: 'Town' }))
  await waitFor(async () => expect((await field()).value).toBe('Hi {{city}}, welcome'))
  await waitFor(async () => expect(document.activeElement).toBe(await field()))
  expect((await field()).selectionStart).toBe(11)
  expect((await (await preview()).findByText('city')).tagName).toBe('MARK')
})

//
test.each([
  ['Hi {{town}}', /no variable {{town}}/],
  ['Hi {{city', /missing after {{city/],
  ['Hi {{city|}}', /after \| in {{city\|}}/],
])('while %j is typed, the mistake is named at the text', async (text, words) => {
  open()
  await write('Hi {{city|you}}')
  expect((await field()).getAttribute('aria-invalid')).toBeNull()
  await write(text)
  await screen.findByText(words)
  expect((await field()).getAttribute('aria-invalid')).toBe('true')
})

//
test('the preview shows the text for one contact after the other, and for the next with a problem', async () => {
  const asked: unknown[] = []
  const complete = { text: 'Hi Lan', missing: [], isTooLong: false }
  const { person } = open({
    'POST /text-previews': ({ body }: RecordedRequest) => {
      asked.push(body)
      const { after, onlyProblems } = body as { after: number | null; onlyProblems: boolean }
      if (onlyProblems)
        return { contact: { ...lan, id: 9, name: '' }, text: '', missing: ['name'], isTooLong: false }
      return after === null ? { contact: lan, ...complete } : { contact: null, ...complete }
    },
  })
  await write('Hi {{name}}')
  const shown = await preview()
  await shown.findByText('Hi Lan')
  expect(shown.getByRole('status').textContent).toBe('As Lan gets it.')
  await person.click(shown.getByRole('button', { name: 'Next problem' }))
  await shown.findByText(/\+84901234567 has no value for {{name}}/)
  expect(shown.getByText('name').tagName).toBe('MARK')
  await person.click(shown.getByRole('button', { name: 'Next contact' }))
  await shown.findByText('No further contact.')
  await person.click(shown.getByRole('button', { name: 'Next contact' }))
  await shown.findByText('Hi Lan')
  const textContent = 'Hi {{name}}'
  expect(asked).toEqual([
    { textContent, after: null, onlyProblems: false },
    { textContent, after: 4, onlyProblems: true },
    { textContent, after: 9, onlyProblems: false },
    { textContent, after: null, onlyProblems: false },
  ])
})

//
test('the braces of a text from before are shown as no variables', async () => {
  open({ 'GET /messages/:id': () => ({ ...message, textContent: 'Hi {{customer}}' }) }, '/messages/edit/5')
  expect((await field()).value).toBe('Hi \\{{customer}}')
  await (await preview()).findByText('Hi {{customer}}')
})

// R-1651
test('the question of a poll is too long for a contact from 255 characters on', async () => {
  const asked: unknown[] = []
  const { person } = open({
    'POST /text-previews': ({ body }: RecordedRequest) => {
      asked.push(body)
      return { contact: lan, text: 'Tea, Lan?', missing: [], isTooLong: true }
    },
  })
  await person.selectOptions(await screen.findByLabelText('Kind'), 'poll')
  fireEvent.change(screen.getByLabelText(/^Question/), { target: { value: 'Tea, {{name}}?' } })

  expect(await screen.findByText('For Lan the text gets longer than 255 characters.')).toBeTruthy()
  expect(asked).toMatchObject([{ textContent: 'Tea, {{name}}?', isPoll: true }])
})
