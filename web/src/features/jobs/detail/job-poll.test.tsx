import type { PollTotals } from '@sendroom/contract/job-poll'
import type { JobRecipient } from '@sendroom/contract/job-rows'
import type { Job } from '@sendroom/contract/jobs'
import type { User } from '@sendroom/contract/users'
import { act, screen, waitFor, within } from '@testing-library/react'
import { expect, test, vi } from 'vitest'
import { FakeStream } from '../../../../test/fake-stream.ts'
import { done } from '../../../../test/job.ts'
import { admin, member, renderApp } from '../../../../test/render.tsx'
import { type Answers, pageOf, refuse } from '../../../../test/server.ts'

const LONG = 'x'.repeat(100)
const job: Job = {
  ...done,
  startedAt: '2026-01-02T03:04:05.000Z',
  content: { kind: 'poll', options: ['Morning', LONG], allowsSeveral: false },
}
const updatedAt = new Date(Date.now() - 5000).toISOString()
const totals: PollTotals = {
  options: [
    { name: 'Morning', votes: 3 },
    { name: LONG, votes: 1 },
  ],
  messages: 2,
  people: 4,
  updatedAt,
}
const [sent] = job.sentMessages
if (!sent) throw new Error('The job has sent nothing.')
const group: JobRecipient = { ...sent, votes: { counts: { Morning: 3, [LONG]: 1 }, updatedAt } }

const VOTERS = 'GET /jobs/:id/recipients/:recipientId/voters'

function show(answers: Answers = {}, user: User = admin) {
  return renderApp({
    path: '/jobs/3',
    user,
    answers: {
      'GET /jobs/:id': () => job,
      'GET /jobs/:id/poll': () => totals,
      'GET /jobs/:id/recipients': () => pageOf([group]),
      ...answers,
    },
  })
}

const section = async () => within(await screen.findByRole('region', { name: 'Poll results' }))

// R-1640
test('the results of a poll have each option with its votes and its share, and when they came', async () => {
  show()
  const results = await section()
  const rows = (await results.findAllByRole('listitem')).map(({ textContent }) => textContent)
  expect(rows).toEqual(['Morning3 · 75.00%', `${LONG}1 · 25.00%`])
  results.getByText('Votes: 4 (messages with results: 2)')
  results.getByText(/^Updated \d+ seconds ago\.$/)
})

// R-1866
test.each([
  [3, ['Morning3 · 100.00%', `${LONG}1 · 33.33%`], 'Percentages are of the 3 people who voted.'],
  [null, ['Morning3 · 75.00%', `${LONG}1 · 25.00%`], 'Percentages are of all votes.'],
])('with several answers the shares are of %s people', async (people, rows, words) => {
  show({
    'GET /jobs/:id': () => ({
      ...job,
      content: { kind: 'poll', options: ['Morning', LONG], allowsSeveral: true },
    }),
    'GET /jobs/:id/poll': () => ({ ...totals, people }),
  })
  const results = await section()
  await results.findByText(words)
  expect(results.getAllByRole('listitem').map(({ textContent }) => textContent)).toEqual(rows)
})

// R-1640
test('a poll without votes says so, with its options', async () => {
  const none = totals.options.map(({ name }) => ({ name, votes: 0 }))
  show({ 'GET /jobs/:id/poll': () => ({ options: none, messages: 0, people: 0, updatedAt: null }) })
  const results = await section()
  await results.findByText('No votes yet.')
  expect(results.getAllByRole('listitem')).toHaveLength(2)
})

// R-1640
test('new votes appear without a reload', async () => {
  const stream = new FakeStream()
  let votes = 3
  const { requests } = show({
    'GET /events': () => stream.response,
    'GET /jobs/:id/poll': () => ({ ...totals, options: [{ name: 'Morning', votes }] }),
  })
  const results = await section()
  await results.findByText('3 · 100.00%')
  // The connection causes one more read of its own.
  const reads = () => requests.filter(({ name }) => name === 'GET /jobs/:id/poll').length
  await waitFor(() => expect(reads()).toBe(2))

  votes = 6
  stream.notify({ feature: 'deliveries', id: 3 })

  await results.findByText('6 · 100.00%')
})

// R-2220
test('while somebody looks, the results are read five times a minute, so that votes without an event appear', async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true })
  const stream = new FakeStream()
  const { requests } = show({ 'GET /events': () => stream.response })
  await (await section()).findByText('3 · 75.00%')
  const reads = () => requests.filter(({ name }) => name === 'GET /jobs/:id/poll').length
  await waitFor(() => expect(reads()).toBe(2))

  await act(() => vi.advanceTimersByTimeAsync(60_000))

  expect(reads()).toBeGreaterThanOrEqual(7)
})

test('results that could not be loaded can be tried again', async () => {
  let hasFailed = false
  const { person } = show({
    'GET /jobs/:id/poll': () => {
      if (hasFailed) return totals
      hasFailed = true
      return refuse(404, 'not_found')
    },
  })
  const results = await section()
  await person.click(await results.findByRole('button', { name: 'Try again' }))
  await results.findByText('Morning')
})

test('another message has no results of a poll', async () => {
  show({ 'GET /jobs/:id': () => done, 'GET /jobs/:id/recipients': () => pageOf([sent]) })
  await screen.findByRole('table', { name: 'Result for each recipient' })
  expect(screen.queryByRole('region', { name: 'Poll results' })).toBeNull()
})

// R-1641
test('a recipient has its votes, and a press shows who voted for what', async () => {
  const { person, requests } = show({
    [VOTERS]: ({ query }) =>
      pageOf(
        [
          { personId: '84901', name: 'An', options: [LONG, 'Morning'] },
          { personId: '99@lid', name: null, options: ['Morning'] },
        ].filter(({ options }) => !query.option || options.includes(query.option)),
      ),
  })
  const table = within(await screen.findByRole('table', { name: 'Result for each recipient' }))
  expect(table.getAllByRole('listitem').map(({ textContent }) => textContent)).toEqual([
    'Morning3',
    `${LONG}1`,
  ])

  await person.click(table.getByRole('button', { name: 'Who voted' }))
  const dialog = within(await screen.findByRole('dialog', { name: 'Votes: Family' }))
  const rows = () => dialog.queryAllByRole('listitem').map(({ textContent }) => textContent)
  await waitFor(() => expect(rows()).toEqual([`An+84901Morning, ${LONG}`, 'Hidden numberMorning']))
  await person.selectOptions(dialog.getByRole('combobox', { name: 'Answer' }), LONG)

  await waitFor(() => expect(rows()).toEqual([`An+84901Morning, ${LONG}`]))
  expect(requests.findLast(({ name }) => name === VOTERS)).toMatchObject({
    params: { id: '3', recipientId: '1' },
    query: { option: LONG, page: '1' },
  })
})

// R-1641
test('who may not export members sees the votes, but not who voted', async () => {
  show({}, { ...member, canExportParticipants: false })
  const table = within(await screen.findByRole('table', { name: 'Result for each recipient' }))
  await table.findByText('Morning')
  expect(table.queryByRole('button', { name: 'Who voted' })).toBeNull()
})
