import { fireEvent, screen, waitFor, within } from '@testing-library/react'
import { expect, test } from 'vitest'
import { answers, created, jobRequests, open, shop, submit } from '../../../../test/job-form.tsx'
import { member, renderApp } from '../../../../test/render.tsx'
import { pageOf, refuse } from '../../../../test/server.ts'
import { choose } from '../../../../test/steps.ts'

// A message that is written in the form for a job.

const text = () => screen.findByRole<HTMLTextAreaElement>('textbox', { name: /^Text/ })
const picture = () => new File(['x'], 'flowers.png', { type: 'image/png' })

async function writeHere(more: Parameters<typeof open>[0] = {}) {
  const form = open({ 'GET /instances': () => pageOf([shop]), ...more })
  await form.person.click(await screen.findByRole('radio', { name: 'Write it here' }))
  await form.person.selectOptions(screen.getByLabelText(/Type/), 'SendToUsers')
  await form.person.type(screen.getByLabelText(/Phone numbers/), '0901234567')
  return form
}

//
test('a message that is written in the form is sent with the job, and shown as WhatsApp shows it', async () => {
  const { person, requests, router } = await writeHere({ 'POST /jobs': () => created })
  await person.type(await text(), 'Hello *all*')
  const preview = within(await screen.findByRole('region', { name: 'Before sending' }))
  expect((await preview.findByText('all')).tagName).toBe('STRONG')
  await submit(person)

  await waitFor(() => expect(router.state.location.pathname).toBe('/jobs'))
  expect(requests.filter(({ name }) => name === 'POST /jobs').map(({ body }) => body)).toEqual([
    {
      jobType: 'SendToUsers',
      message: { textContent: 'Hello *all*' },
      instanceId: 7,
      scheduledAt: '',
      groupIds: [],
      phoneNumbers: '0901234567',
      requestId: expect.any(String),
    },
  ])
})

//
test('with an image the job is a field of a form, and another image makes another job', async () => {
  const { person, requests } = await writeHere({ 'POST /jobs': () => refuse(500, 'internal') })
  await person.type(await text(), 'Look')
  const field = document.querySelector<HTMLInputElement>('input[type=file]')
  if (!field) throw new Error('There is no field for an image.')
  for (const file of [picture(), picture(), new File(['xy'], 'other.png', { type: 'image/png' })]) {
    await person.upload(field, file)
    await submit(person)
    await waitFor(() =>
      expect(screen.getByRole<HTMLButtonElement>('button', { name: 'Create job' }).disabled).toBe(false),
    )
  }
  const sent = requests.flatMap(({ name, body }) => (name === 'POST /jobs' ? [body as FormData] : []))
  expect(sent.map((form) => (form.get('imageFile') as File).name)).toEqual([
    'flowers.png',
    'flowers.png',
    'other.png',
  ])
  const jobs = sent.map((form) => JSON.parse(String(form.get('job'))))
  expect(jobs[0]).toMatchObject({ message: { textContent: 'Look' }, phoneNumbers: '0901234567' })
  expect(jobs[2].requestId).not.toBe(jobs[0].requestId)
})

//
test('a blank text is an error at its field, and the server’s error keeps what was typed', async () => {
  const { person } = await writeHere({
    'POST /jobs': () =>
      refuse(400, 'invalid_input', { fields: { 'message.textContent': 'MESSAGE.TEXT_TOO_LONG' } }),
  })
  await submit(person)
  expect(await screen.findByText('Enter the message text.')).toBeTruthy()
  await person.type(await text(), 'Hello')
  await submit(person)
  expect(await screen.findByText('The text can have 4,000 characters at most.')).toBeTruthy()
  expect((await text()).value).toBe('Hello')
})

//
test('looking at the saved messages keeps the text, and sends the chosen one', async () => {
  const { person, requests } = await writeHere({ 'POST /jobs': () => created })
  await person.type(await text(), 'Hello')
  await person.click(screen.getByRole('radio', { name: 'Saved message' }))
  await choose(person, 'Message', '#6 No groups here')
  await person.click(screen.getByRole('radio', { name: 'Write it here' }))
  expect((await text()).value).toBe('Hello')
  await person.click(screen.getByRole('radio', { name: 'Saved message' }))
  await submit(person)
  await waitFor(() =>
    expect(requests.find(({ name }) => name === 'POST /jobs')?.body).toMatchObject({ messageId: 6 }),
  )
})

//
test('without a saved message the form is ready for writing one, which is nothing to save', async () => {
  const { person, router } = open({ 'GET /messages': () => pageOf([]) })
  await text()
  await person.click(screen.getByRole('radio', { name: 'Saved message' }))
  expect(screen.getByRole('combobox', { name: 'Message' })).toBeTruthy()
  await person.click(screen.getByRole('radio', { name: 'Write it here' }))
  await person.click(screen.getByRole('button', { name: 'Cancel' }))
  await waitFor(() => expect(router.state.location.pathname).toBe('/jobs'))
})

//
test('a Member who may not write messages chooses a saved one', async () => {
  renderApp({
    path: '/jobs/new',
    user: { ...member, canSendMessages: false },
    answers: { ...answers, 'GET /messages': () => pageOf([]) },
  })
  expect(await screen.findByRole('combobox', { name: 'Message' })).toBeTruthy()
  expect(screen.queryByRole('radio', { name: 'Write it here' })).toBeNull()
})

// R-1745
test('a poll is written in the form like in that for messages, and another answer makes another job', async () => {
  const { person, requests } = await writeHere({ 'POST /jobs': () => refuse(500, 'internal') })
  await person.selectOptions(screen.getByLabelText('Kind'), 'poll')
  await person.type(screen.getByLabelText(/^Question/), 'Tea?')
  await person.type(await screen.findByRole('textbox', { name: 'Answer 1' }), 'Yes')
  await submit(person)
  expect(await screen.findByText('Enter an answer of at most 100 characters.')).toBeTruthy()
  await person.type(screen.getByRole('textbox', { name: 'Answer 2' }), 'No')
  const preview = within(await screen.findByRole('region', { name: 'Before sending' }))
  expect(await preview.findByText('Select one')).toBeTruthy()
  await submit(person)
  await screen.findByText('Failed to create job.')
  await submit(person)
  await waitFor(() => expect(jobRequests(requests)).toHaveLength(2))
  await person.type(screen.getByRole('textbox', { name: 'Answer 2' }), '!')
  await submit(person)
  await waitFor(() => expect(jobRequests(requests)).toHaveLength(3))
  const [first, retry, other] = jobRequests(requests)
  expect(first).toMatchObject({
    message: { textContent: 'Tea?', content: { kind: 'poll', options: ['Yes', 'No'], allowsSeveral: false } },
  })
  expect(retry?.requestId).toBe(first?.requestId)
  expect(other?.requestId).not.toBe(first?.requestId)
})

// R-1651
test('the preview of a poll with a variable is asked for as one, because its question can have fewer characters', async () => {
  const drafts: unknown[] = []
  const { person } = await writeHere({
    'POST /jobs/preview': ({ body }) => {
      drafts.push(body)
      return refuse(400, 'invalid_input')
    },
  })
  await person.selectOptions(screen.getByLabelText('Kind'), 'poll')
  fireEvent.change(screen.getByLabelText(/^Question/), { target: { value: 'Tea, {{name}}?' } })

  await waitFor(() =>
    expect(drafts.at(-1)).toMatchObject({ message: { textContent: 'Tea, {{name}}?', isPoll: true } }),
  )
})
