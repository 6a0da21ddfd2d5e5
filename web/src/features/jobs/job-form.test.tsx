import { NewJob } from '@sendroom/contract/jobs'
import { fireEvent, screen, waitFor, within } from '@testing-library/react'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import {
  answers,
  assigned,
  depot,
  endedSession,
  hello,
  created as job,
  open,
  ordered,
  type Person,
  plain,
  shop,
  submit,
} from '../../../test/job-form.tsx'
import { member, renderApp } from '../../../test/render.tsx'
import { pageOf, refuse } from '../../../test/server.ts'
import { choose, openPicker, signInAgain } from '../../../test/steps.ts'
import { currentToasts, removeToast } from '../../ui/toasts.ts'

// The list of the picker draws what fits its height, which happy-dom does not know.
beforeEach(() => {
  vi.spyOn(HTMLElement.prototype, 'clientHeight', 'get').mockReturnValue(300)
})

afterEach(() => {
  for (const { id } of currentToasts()) removeToast(id)
})

//
test('an empty job names all that is missing', async () => {
  const { person, seen } = open()
  await submit(person)
  for (const text of ['Choose a message.', 'Choose an account.', 'Choose at least one group.'])
    expect(await screen.findByText(text)).toBeTruthy()
  expect(currentToasts()).toMatchObject([
    { type: 'error', msg: 'Please correct the form errors.', timeout: 5000 },
  ])
  for (const name of ['Message', 'Account'])
    expect(screen.getByRole('combobox', { name }).getAttribute('aria-invalid')).toBe('true')
  expect(seen.some(({ name }) => name === 'POST /jobs')).toBe(false)
})

//
test('where only the groups are missing, the button to choose them has the focus and says so', async () => {
  const { person } = open()
  await choose(person, 'Message', '#6 No groups here')
  await submit(person)
  const picker = await screen.findByRole('button', {
    name: 'Choose groups',
    description: 'Choose at least one group.',
  })
  await waitFor(() => expect(document.activeElement).toBe(picker))
})

//
test('phone numbers are asked for instead of groups', async () => {
  const { person } = open()
  await person.selectOptions(await screen.findByLabelText(/Type/), 'SendToUsers')
  expect(screen.queryByText('Choose groups')).toBeNull()
  await submit(person)
  expect(await screen.findByText('Enter at least one phone number.')).toBeTruthy()
  expect(screen.queryByText('Choose at least one group.')).toBeNull()
})

//
test('a drop-down is searched without accents', async () => {
  const { person } = open({
    'GET /instances': () => pageOf([shop, { ...depot, name: 'Cửa hàng Đà Nẵng' }]),
  })
  await person.type(await screen.findByRole('combobox', { name: 'Account' }), 'DA NANG')
  await person.click(await screen.findByRole('option', { name: 'Cửa hàng Đà Nẵng' }))
  expect(screen.queryByRole('option', { name: 'Shop' })).toBeNull()
})

//
test('a message brings its account, and its groups that the account is still in', async () => {
  const { person } = open()
  await choose(person, 'Message', '#5 Hello')
  expect(await screen.findByText('2 selected')).toBeTruthy()
  expect(screen.getByRole<HTMLInputElement>('combobox', { name: 'Account' }).value).toBe('Shop')
})

//
test('what is sent is seen before it is, as WhatsApp shows it', async () => {
  const { person } = open({
    'GET /messages/:id': () => ({ ...hello, textContent: 'Hello *all*', assignedGroups: [] }),
  })
  const preview = within(await screen.findByRole('region', { name: 'Before it starts' }))
  expect(preview.queryByText('Hello')).toBeNull()
  await choose(person, 'Message', '#5 Hello')
  expect((await preview.findByText('all')).tagName).toBe('STRONG')
})

//
test('a message without groups leaves what was picked, and takes away what another one brought', async () => {
  const { person, seen } = open()
  await choose(person, 'Account', 'Shop')
  await openPicker(person)
  await person.click(await screen.findByLabelText('Friends'))
  await person.click(screen.getByRole('button', { name: 'Confirm' }))
  await choose(person, 'Message', '#6 No groups here')
  await waitFor(() => expect(seen.some(({ name }) => name === 'GET /messages/:id')).toBe(true))
  expect(await screen.findByText('1 selected')).toBeTruthy()
  await choose(person, 'Message', '#5 Hello')
  expect(await screen.findByText('2 selected')).toBeTruthy()
  await choose(person, 'Message', '#6 No groups here')
  expect(await screen.findByText('0 selected')).toBeTruthy()
})

//
test('groups that are picked while the message is read stay', async () => {
  let answer = () => {}
  const { person } = open({
    'GET /messages/:id': () =>
      new Promise((resolve) => (answer = () => resolve({ ...hello, assignedGroups: assigned }))),
  })
  await choose(person, 'Message', '#5 Hello')
  await openPicker(person)
  await person.click(await screen.findByLabelText('Friends'))
  await person.click(screen.getByRole('button', { name: 'Confirm' }))
  answer()
  await screen.findByText('Hello')
  expect(screen.getByText('1 selected')).toBeTruthy()
})

//
test('a form that came back after the sign-in has the groups that were picked, not those of its message', async () => {
  const { person } = open(endedSession)
  await choose(person, 'Message', '#5 Hello')
  await screen.findByText('2 selected')
  await openPicker(person)
  await person.click(await screen.findByLabelText('Family'))
  await person.click(screen.getByRole('button', { name: 'Confirm' }))
  await submit(person)
  await signInAgain(person)
  // The message is read by then, and the groups of its account.
  await screen.findByText('Hello')
  await openPicker(person)
  expect((await screen.findByLabelText<HTMLInputElement>('Work')).checked).toBe(true)
  expect(screen.getByLabelText<HTMLInputElement>('Family').checked).toBe(false)
})

//
test('another account clears the groups and brings its own', async () => {
  const { person } = open()
  await choose(person, 'Account', 'Shop')
  await pickAll(person)
  expect(await screen.findByText('3 selected')).toBeTruthy()
  await choose(person, 'Account', 'Depot')
  expect(await screen.findByText('0 selected')).toBeTruthy()
  await openPicker(person)
  expect(await screen.findByLabelText('Drivers')).toBeTruthy()
  expect(screen.queryByLabelText('Family')).toBeNull()
})

async function pickAll(person: Person) {
  await openPicker(person)
  await person.click(await screen.findByLabelText('Select all'))
  await person.click(screen.getByRole('button', { name: 'Confirm' }))
}

//
test('a job is sent once, its time as an instant', async () => {
  const { person, seen, router } = open({ 'POST /jobs': () => job })
  await choose(person, 'Message', '#5 Hello')
  await screen.findByText('2 selected')
  const time = await screen.findByLabelText<HTMLInputElement>('Scheduled at')
  expect(time.type).toBe('datetime-local')
  await person.type(time, '2099-01-05T10:00')
  await person.dblClick(screen.getByRole('button', { name: 'Create job' }))
  await screen.findByText('Job created successfully!')
  expect(currentToasts()).toMatchObject([{ type: 'success', timeout: 3000 }])
  await waitFor(() => expect(router.state.location.pathname).toBe('/jobs'))
  expect(seen.filter(({ name }) => name === 'POST /jobs').map(({ body }) => body)).toEqual([
    {
      jobType: 'SendToGroups',
      messageId: 5,
      instanceId: 7,
      scheduledAt: '2099-01-05T03:00:00.000Z',
      groupIds: [1, 4],
      phoneNumbers: '',
      requestId: expect.any(String),
    },
  ])
})

//
test('a failed save keeps what was typed and says at the field what is wrong', async () => {
  const { person } = open({
    'POST /jobs': () => refuse(400, 'phone_unreadable', { params: { numbers: 'abc' } }),
  })
  await person.selectOptions(await screen.findByLabelText(/Type/), 'SendToUsers')
  await choose(person, 'Message', '#5 Hello')
  const phones = screen.getByLabelText<HTMLTextAreaElement>(/Phone numbers/)
  await person.type(phones, '0901234567, abc')
  await submit(person)
  expect(await screen.findByText('These are not phone numbers: abc.')).toBeTruthy()
  expect(currentToasts()).toMatchObject([{ type: 'error', msg: 'Failed to create job.', timeout: 5000 }])
  expect(phones.value).toBe('0901234567, abc')
  expect(screen.getByRole<HTMLButtonElement>('button', { name: 'Create job' }).disabled).toBe(false)
})

//
test('too many numbers are said at their field', async () => {
  const { person } = open({ 'POST /jobs': () => refuse(400, 'too_many_recipients') })
  await person.selectOptions(await screen.findByLabelText(/Type/), 'SendToUsers')
  await choose(person, 'Message', '#5 Hello')
  await person.type(screen.getByLabelText(/Phone numbers/), '0901234567')
  await submit(person)
  expect(await screen.findByText('A job takes 100000 recipients at most.')).toBeTruthy()
  expect(screen.getByLabelText(/Phone numbers/).getAttribute('aria-invalid')).toBe('true')
})

//
test('more numbers than a request takes are said before they are sent', async () => {
  const { person, seen } = open()
  await person.selectOptions(await screen.findByLabelText(/Type/), 'SendToUsers')
  fireEvent.change(screen.getByLabelText(/Phone numbers/), {
    target: { value: '0901234567,'.repeat(400_000) },
  })
  await submit(person)
  expect(await screen.findByText('A job takes 100000 recipients at most.')).toBeTruthy()
  expect(ordered(seen)).toEqual([])
})

//
test('a Member who may not create jobs finds out why, not a form', async () => {
  renderApp({ path: '/jobs/new', user: { ...member, canCreateJobs: false }, answers })
  expect(await screen.findByText(/You may look at jobs/)).toBeTruthy()
  expect(screen.queryByRole('button', { name: 'Create job' })).toBeNull()
})

//
test('a job is to groups at first, and has all its fields', async () => {
  open()
  const type = await screen.findByLabelText<HTMLSelectElement>(/Type/)
  expect(type.value).toBe('SendToGroups')
  expect([...type.options].map(({ value }) => value)).toEqual(['SendToGroups', 'SendToUsers'])
  for (const name of ['Message', 'Account']) expect(screen.getByRole('combobox', { name })).toBeTruthy()
  expect(screen.getByLabelText('Scheduled at')).toBeTruthy()
  expect(screen.getByRole('button', { name: 'Choose groups' })).toBeTruthy()
  expect(screen.queryByLabelText(/Phone numbers/)).toBeNull()
})

//
test('only what belongs to the type is sent; without a time it is now', async () => {
  const { person, seen } = open({ 'POST /jobs': () => job })
  await choose(person, 'Message', '#5 Hello')
  expect(await screen.findByText('2 selected')).toBeTruthy()
  await person.selectOptions(screen.getByLabelText(/Type/), 'SendToUsers')
  await person.type(screen.getByLabelText(/Phone numbers/), '0901234567')
  await submit(person)
  await screen.findByText('Job created successfully!')
  expect(seen.find(({ name }) => name === 'POST /jobs')?.body).toEqual({
    jobType: 'SendToUsers',
    messageId: 5,
    instanceId: 7,
    scheduledAt: '',
    groupIds: [],
    phoneNumbers: '0901234567',
    requestId: expect.any(String),
  })
})

//
test('messages, accounts and groups are loaded by thousands, until all are there', async () => {
  const { person, seen } = open({
    'GET /messages': ({ query }) =>
      Number(query.page) === 1
        ? pageOf([hello], 1001, { page: 1, pageSize: 1000 })
        : pageOf([plain], 1001, { page: 2, pageSize: 1000 }),
  })
  await choose(person, 'Account', 'Shop')
  await choose(person, 'Message', '#6 No groups here')
  const asked = (wanted: string) =>
    seen.flatMap(({ name, query, body }) => {
      const { page, pageSize } = { ...query, ...(body as object | undefined) } as Record<string, unknown>
      return name === wanted ? [[Number(page), Number(pageSize)]] : []
    })
  expect(asked('GET /messages')).toEqual([
    [1, 1000],
    [2, 1000],
  ])
  expect(asked('GET /instances')).toEqual([[1, 1000]])
  await waitFor(() => expect(asked('POST /groups/search')).toEqual([[1, 1000]]))
})

test.each([
  //
  ['GET /messages', 'Failed to load messages.'],
  //
  ['GET /instances', 'Failed to load instances.'],
] as const)('where %s fails the form says so', async (name, words) => {
  open({ [name]: () => refuse(403, 'forbidden') })
  await waitFor(() => expect(currentToasts()).toMatchObject([{ type: 'error', msg: words, timeout: 5000 }]))
})

//
test('where an account’s groups fail the form says so', async () => {
  const { person } = open({ 'POST /groups/search': () => refuse(403, 'forbidden') })
  await choose(person, 'Account', 'Shop')
  await waitFor(() =>
    expect(currentToasts()).toMatchObject([{ type: 'error', msg: 'Failed to load groups.' }]),
  )
})

//
test('choosing one thing leaves the errors of the others', async () => {
  const { person } = open()
  await submit(person)
  expect(await screen.findByText('Choose a message.')).toBeTruthy()
  await choose(person, 'Account', 'Shop')
  await waitFor(() => expect(screen.queryByText('Choose an account.')).toBeNull())
  expect(screen.getByText('Choose a message.')).toBeTruthy()
})

//
test('a job of another type than the two is refused by its key', () => {
  const { error } = NewJob.safeParse({ jobType: 'SendToMoon', messageId: 5, instanceId: 7, groupIds: [1] })
  expect(error?.issues.map(({ message }) => message)).toEqual(['JOB.JOB_TYPE_REQUIRED'])
})

//
test('cancel leads back to the list', async () => {
  const { person, router } = open()
  await person.click(await screen.findByRole('button', { name: 'Cancel' }))
  await waitFor(() => expect(router.state.location.pathname).toBe('/jobs'))
})
