import type { Job } from '@sendroom/contract/jobs'
import type { Message } from '@sendroom/contract/messages'
import { fireEvent, screen, waitFor, within } from '@testing-library/react'
import { beforeEach, expect, test, vi } from 'vitest'
import { instance } from '../../../test/instance.ts'
import { done, job, row } from '../../../test/job.ts'
import { message as plainMessage } from '../../../test/message.ts'
import { member, renderApp } from '../../../test/render.tsx'
import { type Answers, pageOf, refuse } from '../../../test/server.ts'

const message: Message = {
  ...plainMessage,
  imageUrl: '/images/a.webp',
  instanceId: 1,
  instanceName: 'Shop',
}
const answers: Answers = {
  'GET /messages': () => pageOf([]),
  'GET /messages/:id': () => message,
  'GET /instances': () => pageOf([instance, { ...instance, id: 2, name: 'Depot' }]),
  'POST /groups/search': () => pageOf([]),
}
const picture = new File(['a picture'], 'cat.png', { type: 'image/png' })

beforeEach(() => {
  vi.spyOn(URL, 'createObjectURL').mockReturnValue('blob:cat')
  vi.spyOn(URL, 'revokeObjectURL').mockReturnValue()
})
const open = (path: string, more: Answers = {}) => renderApp({ path, answers: { ...answers, ...more } })
type Person = ReturnType<typeof open>['person']
const write = async (text: string) =>
  fireEvent.change(await screen.findByLabelText(/^Text/), { target: { value: text } })
const preview = async () => within(await screen.findByRole('region', { name: 'WhatsApp preview' }))

//
test('the preview shows the message as WhatsApp does while it is typed', async () => {
  open('/messages/new')
  const shown = await preview()
  expect(shown.getByText(/Your message appears here/)).toBeTruthy()
  await write('*Sale* _today_ ~10~ `A1`\n\nSee https://a.vn\nمرحبا')
  expect((await shown.findByText('Sale')).tagName).toBe('STRONG')
  expect(shown.getByText('today').tagName).toBe('EM')
  expect(shown.getByText('10').tagName).toBe('S')
  expect(shown.getByText('A1').tagName).toBe('CODE')
  expect(shown.getByRole<HTMLAnchorElement>('link', { name: 'https://a.vn' }).href).toBe('https://a.vn/')
  expect(shown.getByText('مرحبا').dir).toBe('auto')
})

//
test('the preview shows the new image, or else the saved one unless it is removed', async () => {
  const { person } = open('/messages/edit/5')
  const shown = await preview()
  const source = () => shown.queryByRole('img')?.getAttribute('src')
  await waitFor(() => expect(source()).toBe('/images/a.webp'))
  await person.click(screen.getByLabelText('Remove image'))
  await waitFor(() => expect(source()).toBeUndefined())
  await drop(picture)
  await waitFor(() => expect(source()).toBe('blob:cat'))
})

/** Fires the events of a browser, which first asks the page whether it accepts files. */
async function drop(file: File) {
  await screen.findByLabelText(/^Text/)
  const dataTransfer = { types: ['Files'], files: [file] }
  expect(fireEvent.dragOver(document.body, { dataTransfer })).toBe(false)
  expect(fireEvent.drop(document.body, { dataTransfer })).toBe(false)
}
async function paste(file: File, types = ['Files']) {
  fireEvent.paste(await screen.findByLabelText(/^Text/), { clipboardData: { types, files: [file] } })
}

test.each([
  ['dropped on the page', drop],
  ['pasted', paste],
  //
])('an image can be %s', async (_, give) => {
  open('/messages/new')
  await give(picture)
  expect((await screen.findByAltText('New image')).getAttribute('src')).toBe('blob:cat')
})

test('an image that is dropped during sending is ignored', async () => {
  let send = () => {}
  const { person } = open('/messages/new', {
    'POST /messages': () =>
      new Promise((resolve) => {
        send = () => resolve(refuse(500, 'internal'))
      }),
  })
  await write('Hi')
  await person.click(screen.getByRole('button', { name: 'Save' }))
  await waitFor(() => expect(screen.getByLabelText(/^Text/).closest('fieldset')?.disabled).toBe(true))
  await drop(picture)
  expect(screen.queryByAltText('New image')).toBeNull()
  send()
  await waitFor(() => expect(screen.getByLabelText(/^Text/).closest('fieldset')?.disabled).toBe(false))
  await drop(picture)
  expect(await screen.findByAltText('New image')).toBeTruthy()
})

test('a hint is shown while a file is dragged over the page', async () => {
  open('/messages/new')
  await screen.findByLabelText(/^Text/)
  fireEvent.dragOver(document.body, { dataTransfer: { types: ['Files'], files: [] } })
  expect(await screen.findByText('Drop the image anywhere on this page.')).toBeTruthy()
  fireEvent.dragLeave(document.body, { relatedTarget: null })
  await waitFor(() => expect(screen.queryByText('Drop the image anywhere on this page.')).toBeNull())
})

test('pasted text with a picture of itself is pasted as text', async () => {
  open('/messages/new')
  await paste(picture, ['text/plain', 'Files'])
  await paste(new File(['b'], 'b.pdf', { type: 'application/pdf' }))
  expect(await screen.findByText(/This file isn’t a usable image/)).toBeTruthy()
  expect(screen.queryByAltText('New image')).toBeNull()
})

const heavy = new File([new Uint8Array(5 * 1024 * 1024 + 1)], 'big.png', { type: 'image/png' })
const chooseFile = async (file: File, person: Person) => {
  await screen.findByLabelText(/^Text/)
  // The visible button opens this hidden input.
  await person.upload(document.querySelector('input[type=file]') as HTMLInputElement, file)
}
const inputs = [
  ['chosen', chooseFile],
  ['dropped', drop],
  ['pasted', (file: File) => paste(file)],
] as const
const bad = [
  ['an empty file', new File([], 'empty.png', { type: 'image/png' }), /isn’t a usable image/],
  ['too large an image', heavy, 'The image is larger than 5 MB. Choose a smaller one.'],
  [
    'a kind WhatsApp does not take',
    new File(['x'], 'a.svg', { type: 'image/svg+xml' }),
    /isn’t a usable image/,
  ],
] as const
test.each(
  inputs.flatMap(([way, give]) => bad.map(([what, file, words]) => [what, way, file, words, give] as const)),
)(
  //
  '%s that is %s is refused at its field, and the previous image stays',
  async (_what, _way, file, words, give) => {
    const { person } = open('/messages/new')
    await chooseFile(picture, person)
    await give(file, person)
    expect(await screen.findByText(words)).toBeTruthy()
    expect(screen.getByAltText('New image')).toBeTruthy()
    await chooseFile(new File(['another'], 'dog.png', { type: 'image/png' }), person)
    await waitFor(() => expect(screen.queryByText(words)).toBeNull())
  },
)

test.each([
  ['Hello', '5/4,000', false],
  ['😀\n!', '4/4,000', false],
  ['x'.repeat(4000), '4,000/4,000', false],
  ['x'.repeat(4001), '4,001/4,000', true],
  //
])('the counter counts like the server: %$', async (text, count, isTooLong) => {
  open('/messages/new')
  await write(text)
  expect(await screen.findByText(count)).toBeTruthy()
  expect(screen.queryByText(/characters at most/) !== null).toBe(isTooLong)
})

const test1: Job = { ...job, id: 8, jobType: 'SendToUsers', sentMessages: [] }
const sentTo = { ...(done.sentMessages[0] as Job['sentMessages'][number]), recipientName: '+84901234567' }
const openTest = async (person: Person) =>
  person.click(await screen.findByRole('button', { name: 'Enter a number for a test' }))
const ask = async (person: Person, number = '0901234567') => {
  if (screen.queryByLabelText(/Phone number/) === null) await openTest(person)
  await person.type(await screen.findByLabelText(/Phone number/), number)
  await person.dblClick(screen.getByRole('button', { name: 'Send test' }))
}

//
test('a test sends the unsaved message once and shows the outcome', async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true })
  let now: Job = test1
  const { person, requests, router } = open('/messages/edit/5', {
    'POST /jobs/test': () => ({ ...row, id: 8 }),
    'GET /jobs/:id': () => now,
  })
  await write('Not saved yet')
  await ask(person)
  expect(await screen.findByText(/^Sending\.\.\. The account pauses between messages/)).toBeTruthy()
  expect(screen.getByRole('link', { name: 'Open job #8' }).getAttribute('href')).toBe('/jobs/8')
  const sent = requests.filter(({ name }) => name === 'POST /jobs/test').map(({ body }) => body)
  expect(sent).toEqual([
    { textContent: 'Not saved yet', imageOf: 5, contactId: null, phoneNumber: '0901234567', instanceId: 1 },
  ])

  now = { ...done, id: 8, sentMessages: [sentTo] }
  await vi.advanceTimersByTimeAsync(2000)
  expect(await screen.findByText(/^Sent to \+84901234567/)).toBeTruthy()
  expect(router.state.location.pathname).toBe('/messages/edit/5')
  expect(requests.some(({ name }) => name.startsWith('PUT'))).toBe(false)
})

test.each([
  ['Delivered to +84901234567', { deliveredAt: '2026-01-02T03:05:06.000Z' }],
  ['Read by +84901234567', { deliveredAt: '2026-01-02T03:05:06.000Z', readAt: '2026-01-02T03:06:06.000Z' }],
  [
    'Not sent to +84901234567: This number is not on WhatsApp.',
    { status: 'Failed', reason: { code: 'not_on_whatsapp', params: {} } },
  ],
  //
] as const)('the outcome of a test: %s', async (words, outcome) => {
  const { person } = open('/messages/edit/5', {
    'POST /jobs/test': () => ({ ...row, id: 8 }),
    'GET /jobs/:id': () => ({ ...done, id: 8, sentMessages: [{ ...sentTo, ...outcome }] }),
  })
  await ask(person)
  expect(await screen.findByText((text) => text.startsWith(words))).toBeTruthy()
})

//
test('a test includes a new image and uses the chosen instance', async () => {
  const { person, requests } = open('/messages/new', {
    'POST /jobs/test': () => ({ ...row, id: 8 }),
    'GET /jobs/:id': () => refuse(404, 'not_found'),
  })
  await write('Hi')
  await drop(picture)
  await openTest(person)
  await person.click(await screen.findByRole('combobox', { name: 'From account' }))
  await person.click(await screen.findByRole('option', { name: 'Depot' }))
  await ask(person)
  // The job of the test was deleted meanwhile.
  expect(await screen.findByText('The job of this test no longer exists.')).toBeTruthy()
  const body = requests.find(({ name }) => name === 'POST /jobs/test')?.body
  expect(body instanceof FormData && [...body.entries()]).toEqual([
    ['textContent', 'Hi'],
    ['phoneNumber', '0901234567'],
    ['instanceId', '2'],
    ['imageFile', picture],
  ])
})

// R-571, R-2187
test('where there is one account only, a test is from it', async () => {
  const { person, requests } = open('/messages/new', {
    'GET /instances': () => pageOf([instance]),
    'POST /jobs/test': () => ({ ...row, id: 8 }),
    'GET /jobs/:id': () => test1,
  })
  await write('Hi')
  await ask(person)
  await screen.findByRole('link', { name: 'Open job #8' })
  const sent = requests.find(({ name }) => name === 'POST /jobs/test')?.body
  expect(sent).toMatchObject({ textContent: 'Hi', instanceId: instance.id })
})

//
test('a test is optional: until it is wanted, no field asks for a number', async () => {
  const { person } = open('/messages/new')
  expect(await screen.findByText(/^Optional\./)).toBeTruthy()
  expect(screen.queryByLabelText(/Phone number/)).toBeNull()
  expect(screen.queryByRole('combobox', { name: 'From the account' })).toBeNull()
  await openTest(person)
  expect(document.activeElement).toBe(screen.getByLabelText(/Phone number/))
})

test('a test without number, instance and text shows three errors and sends nothing', async () => {
  const { person, requests } = open('/messages/new')
  await openTest(person)
  await person.click(await screen.findByRole('button', { name: 'Send test' }))
  expect(await screen.findByText('Enter one phone number.')).toBeTruthy()
  expect(screen.getByText('Choose an account.')).toBeTruthy()
  expect(screen.getByText('Please correct the form errors.')).toBeTruthy()
  await person.type(screen.getByLabelText(/Phone number/), '0901234567')
  await person.click(screen.getByRole('combobox', { name: 'From account' }))
  await person.click(await screen.findByRole('option', { name: 'Shop' }))
  await person.click(screen.getByRole('button', { name: 'Send test' }))
  expect(await screen.findByText('Enter the message text.')).toBeTruthy()
  expect(requests.some(({ name }) => name === 'POST /jobs/test')).toBe(false)
})

test('a refused test shows the reason and keeps the number', async () => {
  const { person } = open('/messages/edit/5', { 'POST /jobs/test': () => refuse(409, 'instance_inactive') })
  await ask(person)
  expect(await screen.findByText('Failed to send the test.')).toBeTruthy()
  expect(screen.getByText('This account isn’t active. Activate the account first.')).toBeTruthy()
  expect(screen.getByLabelText<HTMLInputElement>(/Phone number/).value).toBe('0901234567')
})

//
test('without the right to create jobs the reason is shown instead of the test form', async () => {
  renderApp({ path: '/messages/new', user: { ...member, canCreateJobs: false }, answers })
  expect(await screen.findByText(/You need the right to create jobs/)).toBeTruthy()
  expect(screen.queryByRole('button', { name: 'Send test' })).toBeNull()
})

test('while the instances load, the message’s instance is shown as loading', async () => {
  open('/messages/edit/5', { 'GET /instances': () => new Promise(() => {}) })
  const instance = await screen.findByRole<HTMLInputElement>('combobox', { name: 'Account' })
  expect(instance.placeholder).toBe('Loading...')
})
