import { NewJob } from '@sendroom/contract/new-jobs'
import { fireEvent, screen, waitFor, within } from '@testing-library/react'
import { expect, test } from 'vitest'
import { wholeInstance } from '../../../../test/instance.ts'
import {
  answers,
  depot,
  hello,
  created as job,
  jobRequests,
  open,
  plain,
  shop,
  submit,
} from '../../../../test/job-form.tsx'
import { member, renderApp } from '../../../../test/render.tsx'
import { pageOf, refuse } from '../../../../test/server.ts'
import { choose } from '../../../../test/steps.ts'
import { currentToasts } from '../../../ui/toasts.ts'

//
test('an empty job shows an error for each missing field', async () => {
  const { person, requests } = open()
  await submit(person)
  for (const text of ['Choose a message.', 'Choose an account.', 'Choose at least one group.'])
    expect(await screen.findByText(text)).toBeTruthy()
  expect(currentToasts()).toMatchObject([
    { type: 'error', msg: 'Please correct the form errors.', timeout: 5000 },
  ])
  for (const name of ['Message', 'Account'])
    expect(screen.getByRole('combobox', { name }).getAttribute('aria-invalid')).toBe('true')
  expect(requests.some(({ name }) => name === 'POST /jobs')).toBe(false)
})

//
test('if only the groups are missing, their button gets the focus and the error as its description', async () => {
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
test('a job to people asks for phone numbers instead of groups', async () => {
  const { person } = open()
  await person.selectOptions(await screen.findByLabelText(/Type/), 'SendToUsers')
  expect(screen.queryByText('Choose groups')).toBeNull()
  await submit(person)
  expect(await screen.findByText('Enter at least one phone number.')).toBeTruthy()
  expect(screen.queryByText('Choose at least one group.')).toBeNull()
})

//
test('the only active instance is chosen from the start, which is nothing to save', async () => {
  const { person, router } = open({
    'GET /instances': () => pageOf([shop, { ...depot, isActive: false }]),
  })
  const input = await screen.findByRole<HTMLInputElement>('combobox', { name: 'Account' })
  await waitFor(() => expect(input.value).toBe('Shop'))
  // Choosing it again leaves it chosen.
  await choose(person, 'Account', 'Shop')
  expect(input.value).toBe('Shop')
  await person.click(screen.getByRole('button', { name: 'Cancel' }))
  await waitFor(() => expect(router.state.location.pathname).toBe('/jobs'))
})

//
test('no instance is chosen from the start if several are active', async () => {
  open()
  const input = await screen.findByRole<HTMLInputElement>('combobox', { name: 'Account' })
  await waitFor(() => expect(input.placeholder).toBe('Choose…'))
  expect(input.value).toBe('')
})

//
test('drop-downs can be searched without accents', async () => {
  const { person } = open({
    'GET /instances': () => pageOf([shop, { ...depot, name: 'Cửa hàng Đà Nẵng' }]),
  })
  await person.type(await screen.findByRole('combobox', { name: 'Account' }), 'DA NANG')
  await person.click(await screen.findByRole('option', { name: 'Cửa hàng Đà Nẵng' }))
  expect(screen.queryByRole('option', { name: 'Shop' })).toBeNull()
})

//
test('the preview shows the chosen message as WhatsApp shows it', async () => {
  const { person } = open({
    'GET /messages/:id': () => ({ ...hello, textContent: 'Hello *all*', assignedGroups: [], version: 1 }),
  })
  const preview = within(await screen.findByRole('region', { name: 'Before sending' }))
  expect(preview.queryByText('Hello')).toBeNull()
  await choose(person, 'Message', '#5 Hello')
  expect((await preview.findByText('all')).tagName).toBe('STRONG')
})

//
test('a job is sent once, with its time as an instant', async () => {
  const { person, requests, router } = open({ 'POST /jobs': () => job })
  await choose(person, 'Message', '#5 Hello')
  await screen.findByText('2 selected')
  const time = await screen.findByLabelText<HTMLInputElement>('Scheduled at')
  expect(time.type).toBe('datetime-local')
  await person.type(time, '2099-01-05T10:00')
  await person.dblClick(screen.getByRole('button', { name: 'Create job' }))
  await screen.findByText('Job created successfully!')
  expect(currentToasts()).toMatchObject([{ type: 'success', timeout: 3000 }])
  await waitFor(() => expect(router.state.location.pathname).toBe('/jobs'))
  expect(requests.filter(({ name }) => name === 'POST /jobs').map(({ body }) => body)).toEqual([
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
test('a failed save keeps the values and shows the error at its field', async () => {
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
test('too many numbers cause an error at their field', async () => {
  const { person } = open({ 'POST /jobs': () => refuse(400, 'too_many_recipients') })
  await person.selectOptions(await screen.findByLabelText(/Type/), 'SendToUsers')
  await choose(person, 'Message', '#5 Hello')
  await person.type(screen.getByLabelText(/Phone numbers/), '0901234567')
  await submit(person)
  expect(await screen.findByText('A job can have 100,000 recipients at most.')).toBeTruthy()
  expect(screen.getByLabelText(/Phone numbers/).getAttribute('aria-invalid')).toBe('true')
})

//
test('more numbers than a request allows cause an error before anything is sent', async () => {
  const { person, requests } = open()
  await person.selectOptions(await screen.findByLabelText(/Type/), 'SendToUsers')
  fireEvent.change(screen.getByLabelText(/Phone numbers/), {
    target: { value: '0901234567,'.repeat(400_000) },
  })
  await submit(person)
  expect(await screen.findByText('A job can have 100,000 recipients at most.')).toBeTruthy()
  expect(jobRequests(requests)).toEqual([])
})

//
test('a Member who may not create jobs sees the reason instead of the form', async () => {
  renderApp({ path: '/jobs/new', user: { ...member, canCreateJobs: false }, answers })
  expect(await screen.findByText(/You can view jobs/)).toBeTruthy()
  expect(screen.queryByRole('button', { name: 'Create job' })).toBeNull()
})

//
test('a new job is to groups by default and has all its fields', async () => {
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
test('only the recipients of the chosen type are sent, and an empty time means now', async () => {
  const { person, requests } = open({ 'POST /jobs': () => job })
  await choose(person, 'Message', '#5 Hello')
  expect(await screen.findByText('2 selected')).toBeTruthy()
  await person.selectOptions(screen.getByLabelText(/Type/), 'SendToUsers')
  await person.type(screen.getByLabelText(/Phone numbers/), '0901234567')
  await submit(person)
  await screen.findByText('Job created successfully!')
  expect(requests.find(({ name }) => name === 'POST /jobs')?.body).toEqual({
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
test('messages, instances and groups are loaded in pages of a thousand until all are loaded', async () => {
  const { person, requests } = open({
    'GET /messages': ({ query }) =>
      Number(query.page) === 1
        ? pageOf([hello], 1001, { page: 1, pageSize: 1000 })
        : pageOf([plain], 1001, { page: 2, pageSize: 1000 }),
  })
  await choose(person, 'Account', 'Shop')
  await choose(person, 'Message', '#6 No groups here')
  const pagesOf = (wanted: string) =>
    requests.flatMap(({ name, query, body }) => {
      const { page, pageSize } = { ...query, ...(body as object | undefined) } as Record<string, unknown>
      return name === wanted ? [[Number(page), Number(pageSize)]] : []
    })
  expect(pagesOf('GET /messages')).toEqual([
    [1, 1000],
    [2, 1000],
  ])
  expect(pagesOf('GET /instances')).toEqual([[1, 1000]])
  await waitFor(() => expect(pagesOf('POST /groups/search')).toEqual([[1, 1000]]))
})

test.each([
  //
  ['GET /messages', 'Failed to load messages.'],
  //
  ['GET /instances', 'Failed to load instances.'],
] as const)('a failed %s shows a toast', async (name, words) => {
  open({ [name]: () => refuse(403, 'forbidden') })
  await waitFor(() => expect(currentToasts()).toMatchObject([{ type: 'error', msg: words, timeout: 5000 }]))
})

//
test('groups that can’t be loaded cause a toast', async () => {
  const { person } = open({ 'POST /groups/search': () => refuse(403, 'forbidden') })
  await choose(person, 'Account', 'Shop')
  await waitFor(() =>
    expect(currentToasts()).toMatchObject([{ type: 'error', msg: 'Failed to load groups.' }]),
  )
})

//
test('filling in one field keeps the errors of the others', async () => {
  const { person } = open()
  await submit(person)
  expect(await screen.findByText('Choose a message.')).toBeTruthy()
  await choose(person, 'Account', 'Shop')
  await waitFor(() => expect(screen.queryByText('Choose an account.')).toBeNull())
  expect(screen.getByText('Choose a message.')).toBeTruthy()
})

//
test('an unknown job type is refused with its translation key', () => {
  const { error } = NewJob.safeParse({ jobType: 'SendToMoon', messageId: 5, instanceId: 7, groupIds: [1] })
  expect(error?.issues.map(({ message }) => message)).toEqual(['JOB.JOB_TYPE_REQUIRED'])
})

//
test('cancel leads back to the list', async () => {
  const { person, router } = open()
  await person.click(await screen.findByRole('button', { name: 'Cancel' }))
  await waitFor(() => expect(router.state.location.pathname).toBe('/jobs'))
})

const chosenIn = async (name: string) =>
  (await screen.findByRole<HTMLInputElement>('combobox', { name })).value

// R-588, R-1510
test('an address can choose the message, its instance and the time', async () => {
  renderApp({ path: '/jobs/new?message=5&instance=7&start=2099-11-13T09:00', answers })
  expect(await screen.findByDisplayValue('2099-11-13T09:00')).toBeTruthy()
  await waitFor(async () => expect(await chosenIn('Account')).toBe('Shop'))
  expect(await chosenIn('Message')).toMatch(/^#5/)
  expect(await screen.findByText('2 selected')).toBeTruthy()
  expect(screen.getByText('Family, Work')).toBeTruthy()
})

//
test('invalid ids in the address choose nothing', async () => {
  const { requests } = renderApp({ path: '/jobs/new?message=-1&instance=x&start=2099-13-01T00:00', answers })
  expect(await chosenIn('Message')).toBe('')
  expect(await chosenIn('Account')).toBe('')
  expect(requests.some(({ name }) => name === 'GET /messages/:id')).toBe(false)
})

test.each([
  // R-1535
  ['always', /Jobs of this account need approval/],
  ['above', /exceed 250 recipients within 24 hours, somebody else has to approve/],
] as const)(
  'with an account that needs approval %s, the form says so, and so does the answer',
  async (approval, words) => {
    const { person } = open({
      'GET /instances/:id': () => ({ ...wholeInstance, approval, approvalAbove: 250 }),
      'POST /jobs': () => ({ ...job, review: 'in_review' }),
    })
    await choose(person, 'Message', '#5 Hello')
    expect(await screen.findByText(words)).toBeTruthy()
    await submit(person)
    expect(await screen.findByText('Job created. The job waits for approval.')).toBeTruthy()
  },
)
