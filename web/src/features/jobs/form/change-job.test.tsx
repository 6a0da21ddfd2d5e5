import type { JobReview } from '@sendroom/contract/job-life'
import type { Job } from '@sendroom/contract/jobs'
import { screen, waitFor, within } from '@testing-library/react'
import { expect, test } from 'vitest'
import { job, row } from '../../../../test/job.ts'
import { answers } from '../../../../test/job-form.tsx'
import { renderApp } from '../../../../test/render.tsx'
import { type Answers, refuse } from '../../../../test/server.ts'
import { choose, fillIn } from '../../../../test/steps.ts'

const waiting: Job = {
  ...job,
  status: 'Pending' as const,
  name: 'Spring',
  scheduledAt: '2099-05-06T07:08:00.000Z',
}

function open(more: Answers = {}, shown = waiting) {
  const app = renderApp({
    path: '/jobs/3',
    answers: {
      ...answers,
      'GET /jobs/:id': () => shown,
      'PUT /jobs/:id': () => row,
      ...more,
    },
  })
  return {
    ...app,
    begin: async () => app.person.click(await screen.findByRole('button', { name: 'Change' })),
    save: () => app.person.click(screen.getByRole('button', { name: 'Save' })),
    changes: () => app.requests.filter(({ name }) => name === 'PUT /jobs/:id').map(({ body }) => body),
  }
}

// R-1281
test('only what was changed of a job that waits is sent', async () => {
  const { person, begin, save, changes } = open()
  await begin()
  await fillIn(person, await screen.findByLabelText('Name'), 'Summer')
  await choose(person, 'Another message', '#5 Hello')
  expect(screen.getByRole('radio', { name: 'Keep the 3 recipients' })).toHaveProperty('checked', true)
  await save()

  await waitFor(() => expect(changes()).toEqual([{ name: 'Summer', messageId: 5, version: 1 }]))
  await screen.findByText('Job changed successfully!')
  await screen.findByRole('heading', { name: 'Spring (#3)' })
})

// R-1281
test('with another account, groups are chosen anew', async () => {
  const { person, begin, save, changes } = open({
    'PUT /jobs/:id': () => refuse(400, 'invalid_input', { fields: { groupIds: 'JOB.GROUP_REQUIRED' } }),
  })
  await begin()
  await choose(person, 'Account', 'Depot')
  expect(screen.getByRole('radio', { name: /Keep/ })).toHaveProperty('disabled', true)
  await save()

  await screen.findByText('Choose at least one group.')
  expect(changes()).toMatchObject([{ instanceId: 8, recipients: { groupIds: [] } }])
})

// R-1284
test('of a job that has begun the form has only the name', async () => {
  const { begin, save, changes, person } = open({}, { ...waiting, status: 'Running' as never })
  await begin()
  await fillIn(person, await screen.findByLabelText('Name'), 'Autumn')
  expect(screen.queryByLabelText('Account')).toBeNull()
  await save()
  await waitFor(() => expect(changes()).toEqual([{ name: 'Autumn', version: 1 }]))
})

test.each([
  ['mine', 'Overwrite with mine', ['Summer', 'Summer']],
  ['theirs', 'Load theirs', ['Summer', 'Spring']],
])('if somebody else has changed the job, a dialog shows what differs: %s', async (_, choice, names) => {
  let present = waiting
  const { person, begin, save, changes } = open({
    'GET /jobs/:id': () => present,
    'PUT /jobs/:id': () => {
      if (present !== waiting) return row
      present = { ...waiting, name: 'Winter', scheduledAt: '2099-08-09T07:08:00.000Z', version: 2 }
      return refuse(409, 'stale_version')
    },
  })
  await begin()
  await fillIn(person, await screen.findByLabelText('Name'), 'Summer')
  await save()
  const dialog = within(await screen.findByRole('dialog'))
  expect(dialog.getByText('Winter')).toBeTruthy()
  // A user who leaves the time alone leaves it to the other one.
  expect(dialog.queryByText('Scheduled at')).toBeNull()
  await person.click(dialog.getByRole('button', { name: choice }))
  if (choice === 'Load theirs') {
    await waitFor(() => expect(screen.getByLabelText<HTMLInputElement>('Name').value).toBe('Winter'))
    await fillIn(person, screen.getByLabelText('Name'), 'Spring')
    await save()
  }
  await waitFor(() =>
    expect(changes()).toEqual([
      { name: names[0], version: 1 },
      { name: names[1], version: 2 },
    ]),
  )
})

const history = [
  { at: '2026-01-02T03:04:05.000Z', what: 'changes_asked' as const, by: 'lan', words: 'Too long' },
]
const reviewed = (review: JobReview): typeof waiting => ({
  ...waiting,
  review,
  approval: { approveBy: null, canReview: false, approvers: { total: 1, first: ['lan'] }, history },
})

test.each([
  // R-1532
  ['in_review', 'This job is in review. Take it back before you change it.', false],
  // R-1533
  ['changes_asked', 'Changes were asked for by lan.', true],
  ['approved', 'This job is approved. After a change, the job needs approval again.', true],
] as const)('the form says what a change means for a job that is %s', async (review, words, hasAll) => {
  const { begin } = open({}, reviewed(review))
  await begin()
  expect((await screen.findAllByText(words, { exact: false })).length).toBe(1)
  expect(screen.queryByText('Too long') !== null).toBe(review === 'changes_asked')
  expect(screen.queryByRole('combobox', { name: 'Account' }) !== null).toBe(hasAll)
})

// R-1534
test('an overdue job is changed only with a new time', async () => {
  const overdue = { ...reviewed('overdue'), scheduledAt: '2026-01-02T03:04:05.000Z' }
  const { person, begin, save, changes } = open(
    { 'PUT /jobs/:id': () => ({ ...row, review: 'in_review' as const }) },
    overdue,
  )
  await begin()
  await fillIn(person, await screen.findByLabelText('Name'), 'Summer')
  await save()
  expect(await screen.findByText(/This time has passed/)).toBeTruthy()
  expect(changes()).toEqual([])
  await fillIn(person, screen.getByLabelText('Scheduled at'), '2099-05-06T14:08')
  await save()
  expect(await screen.findByText('Job changed. The job waits for approval.')).toBeTruthy()
  expect(changes()).toEqual([{ name: 'Summer', scheduledAt: '2099-05-06T07:08:00.000Z', version: 1 }])
})
