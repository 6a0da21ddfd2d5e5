import { screen, waitFor, within } from '@testing-library/react'
import { expect, test } from 'vitest'
import { done } from '../../../../test/job.ts'
import { answers, calm, jobRequests, open, created as pending, submit } from '../../../../test/job-form.tsx'
import { member, renderApp } from '../../../../test/render.tsx'
import { pageOf } from '../../../../test/server.ts'
import { choose } from '../../../../test/steps.ts'

const label = 'Mention all members of the groups'

// R-1623
test('whoever may mention everybody ticks a box for groups', async () => {
  const { person, requests } = open({ 'POST /jobs': () => pending })
  await choose(person, 'Message', '#5 Hello')
  await screen.findByText('2 selected')
  await person.click(await screen.findByRole('checkbox', { name: label }))
  await submit(person)
  await waitFor(() => expect(jobRequests(requests)).toMatchObject([{ mentionsAll: true }]))
})

// R-1623
test('the box is missing for people', async () => {
  const { person } = open()
  await person.selectOptions(await screen.findByLabelText(/Type/), 'SendToUsers')
  expect(screen.queryByRole('checkbox', { name: label })).toBeNull()
})

// R-1623
test('the box is missing for those without the right', async () => {
  renderApp({ path: '/jobs/new', user: { ...member, canCreateJobs: true }, answers })
  await screen.findByLabelText(/Type/)
  expect(screen.queryByRole('checkbox', { name: label })).toBeNull()
})

// R-1865
test('the preview tells whom the mentions reach, and which groups were mentioned that day', async () => {
  const before = { total: 1, first: [{ id: 4, name: 'Guests' }] }
  const { person, requests } = open({
    'POST /jobs/preview': ({ body }) => ({
      ...calm,
      mentions: (body as { mentionsAll?: boolean }).mentionsAll
        ? { members: 212, reached: 180, mentionedBefore: before }
        : null,
    }),
  })
  await choose(person, 'Message', '#5 Hello')
  await screen.findByText('2 selected')
  const box = await screen.findByRole('checkbox', { name: label })
  await person.click(box)
  const panel = within(await screen.findByRole('region', { name: 'Before sending' }))
  expect(
    await panel.findByText('Mentions reach 180 of 212 as of the last sync; 32 hide their number.'),
  ).toBeTruthy()
  expect(panel.getByText('1 group was mentioned that day')).toBeTruthy()
  expect(panel.getByText('Guests')).toBeTruthy()
  await person.click(box)
  await waitFor(() => expect(panel.queryByText(/^Mentions reach/)).toBeNull())
  expect(requests.filter(({ name }) => name === 'POST /jobs/preview').at(-1)?.body).not.toHaveProperty(
    'mentionsAll',
  )
})

// R-1622
test.each([
  [{ reached: 180, members: 212 }, 'Mentioned 180 of 212; 32 hide their number'],
  [{ reached: 212, members: 212 }, 'Mentioned all 212'],
  [null, 'Without mentions: this account had mentioned the group that day, or its members could not be read'],
])('the job’s page tells the mentions %j', async (mentions, words) => {
  const [sent] = done.sentMessages
  renderApp({
    path: '/jobs/3',
    answers: {
      'GET /jobs/:id': () => ({ ...done, mentionsAll: true }),
      'GET /jobs/:id/recipients': () => pageOf([{ ...(sent as NonNullable<typeof sent>), mentions }]),
    },
  })
  const table = within(await screen.findByRole('table', { name: 'Result for each recipient' }))
  expect(await table.findByText(words)).toBeTruthy()
  expect(screen.getByText('All members of the groups')).toBeTruthy()
})

// R-1809
test('the job’s page says nothing of mentions in a channel', async () => {
  const [sent] = done.sentMessages
  renderApp({
    path: '/jobs/3',
    answers: {
      'GET /jobs/:id': () => ({ ...done, mentionsAll: true }),
      'GET /jobs/:id/recipients': () =>
        pageOf([{ ...(sent as NonNullable<typeof sent>), recipientId: '2@newsletter', mentions: null }]),
    },
  })
  const table = within(await screen.findByRole('table', { name: 'Result for each recipient' }))
  expect(await table.findByText('No receipts in channels')).toBeTruthy()
  expect(table.getByText('Channel')).toBeTruthy()
  expect(table.queryByText(/mention/i)).toBeNull()
})
