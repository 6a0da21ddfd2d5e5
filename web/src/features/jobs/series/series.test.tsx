import type { Series } from '@sendroom/contract/series'
import { fireEvent, screen, waitFor, within } from '@testing-library/react'
import { expect, test } from 'vitest'
import { wholeInstance } from '../../../../test/instance.ts'
import { answers as ofJobForm } from '../../../../test/job-form.tsx'
import { member, renderApp } from '../../../../test/render.tsx'
import { run, series } from '../../../../test/series.ts'
import { type Answers, pageOf, refuse } from '../../../../test/server.ts'
import { choose, fillIn, isDisabled, openPicker } from '../../../../test/steps.ts'
import '../../../forms/conflict-dialog.tsx'
import '../../../forms/pick-dialog.tsx'
import './move-run-dialog.tsx'
import './one-series-page.tsx'
import './run-message-dialog.tsx'
import './series-changes-dialog.tsx'
import './series-form-page.tsx'
import './series-page.tsx'

const answers: Answers = {
  ...ofJobForm,
  'GET /instances/:id': () => ({ ...wholeInstance, quietHours: { from: '08:00', to: '10:00' } }),
  'GET /series': () => pageOf([series]),
  'GET /series/:id': () => series,
  'GET /series/:id/runs': ({ query }) =>
    pageOf(
      query.period === 'next'
        ? [run]
        : [
            { ...run, id: 60, state: 'made', jobId: 3, outcome: 'completed' },
            { ...run, id: 61, state: 'skipped', reason: { code: 'run_quiet', params: {} } },
          ],
    ),
}
const open = (path: string, more: Answers = {}, user = member) =>
  renderApp({ path, user, answers: { ...answers, ...more } })

// R-1501
test('the list says in words when a series sends, why it is paused, and lets a Member without the right only look', async () => {
  const reason = { code: 'series_paused_by', params: { user: 'huy' } } as const
  open(
    '/series',
    {
      'GET /series': () =>
        pageOf([series, { ...series, id: 5, name: 'Old', state: 'paused', pausedReason: reason }]),
    },
    { ...member, canCreateJobs: false },
  )
  const row = within(await screen.findByRole('row', { name: /Weekly offer/ }))
  expect(
    row.getByText('Every Monday and Thursday at 09:00 (Asia/Ho_Chi_Minh time), from 30 November 2026'),
  ).toBeTruthy()
  expect(row.getByText('Mon, 11/30/2099, 09:00')).toBeTruthy()
  expect(screen.getByText('Paused by huy.')).toBeTruthy()
  for (const name of ['Pause', 'Edit', 'Delete'])
    expect(isDisabled(row.getByRole('button', { name }))).toBe(true)
})

// R-1500, R-1502
test('a series of two messages in turn is made, with its next runs in words', async () => {
  const { person, requests, router } = open('/series/new', { 'POST /series': () => series })
  await fillIn(person, await screen.findByLabelText(/^Name/), 'Weekly offer')
  await choose(person, 'Messages, in turn', '#5 Hello')
  await choose(person, 'Messages, in turn', '#6 No groups here')
  await person.click(screen.getByRole('button', { name: 'Move up: #6 No groups here' }))
  const dialog = await openPicker(person)
  await person.click(dialog.getByLabelText('Select all'))
  await person.click(dialog.getByRole('button', { name: 'Confirm' }))
  await person.click(screen.getByRole('button', { name: 'Mon' }))
  await person.click(screen.getByRole('button', { name: 'Thu' }))
  fireEvent.change(screen.getByLabelText(/^First day/), { target: { value: '2099-11-30' } })

  const plan = within(await screen.findByRole('region', { name: 'What will happen' }))
  expect(
    await plan.findByText(
      /^Every Monday and Thursday at 09:00 .* next on Monday, 30 November 2099 at 10:00$/,
    ),
  ).toBeTruthy()
  expect(plan.getAllByText('Moved: quiet')).toHaveLength(5)
  await person.click(screen.getByLabelText('Skip the run', { selector: '[name]' }))
  expect(await plan.findAllByText('Skipped: quiet')).toHaveLength(5)

  await person.click(screen.getByRole('button', { name: 'Create series' }))
  await waitFor(() => expect(router.state.location.pathname).toBe('/series'))
  expect(requests.find(({ name }) => name === 'POST /series')?.body).toEqual({
    ...{
      name: 'Weekly offer',
      jobType: 'SendToGroups',
      instanceId: 7,
      messageIds: [6, 5],
      groupIds: [1, 2, 4],
    },
    ...{ phoneNumbers: '', quietDays: [], quietPolicy: 'skip', overlap: 'skip' },
    rule: {
      ...{ frequency: 'week', every: 1, weekdays: [1, 4], times: ['09:00'], startsOn: '2099-11-30' },
      ...{ endsOn: null, runLimit: null, timeZone: 'Asia/Ho_Chi_Minh' },
    },
  })
})

// R-1502
test('wrong days and times are errors at their fields, and nothing is sent', async () => {
  const { person, requests } = open('/series/new')
  await fillIn(person, await screen.findByLabelText(/^Repeat every/), 'x')
  await person.click(screen.getByRole('button', { name: 'Add a time' }))
  await person.click(screen.getByRole('button', { name: 'Create series' }))
  expect(await screen.findByText('Enter a whole number from 1 to 99.')).toBeTruthy()
  expect(screen.getByText('Choose at least one weekday.')).toBeTruthy()
  expect(screen.getByText('Enter a time, such as 09:00.')).toBeTruthy()
  expect(screen.getByText('Enter a name of at most 100 characters.')).toBeTruthy()
  await person.click(screen.getByRole('button', { name: 'Remove: Time 2' }))
  await fillIn(person, screen.getByLabelText(/^Repeat every/), '1')
  await person.selectOptions(screen.getByLabelText('Unit'), 'year')
  await fillIn(person, screen.getByLabelText(/^Day\b(?! of)/), '31')
  await person.selectOptions(screen.getByLabelText('Month'), '4')
  await person.click(screen.getByRole('button', { name: 'Create series' }))
  expect(await screen.findByText(/^This month never has such a day/)).toBeTruthy()
  expect(requests.some(({ name }) => name === 'POST /series')).toBe(false)
})

// R-1502
test('a change that meets somebody else’s shows what differs, and saves with the newest version', async () => {
  let version = 3
  const { person, requests } = open('/series/edit/4', {
    'GET /series/:id': () => ({ ...series, version, ...(version > 3 && { overlap: 'wait' as const }) }),
    'PUT /series/:id': ({ body }) =>
      (body as { version: number }).version === 4 ? series : refuse(409, 'stale_version'),
  })
  await fillIn(person, await screen.findByLabelText(/^Name/), 'Offers')
  version = 4
  await person.click(screen.getByRole('button', { name: 'Save' }))
  const dialog = within(await screen.findByRole('dialog'))
  expect(dialog.getByText('Send after the former run has ended')).toBeTruthy()
  await person.click(dialog.getByRole('button', { name: 'Overwrite with mine' }))
  await waitFor(() =>
    expect(requests.filter(({ name }) => name === 'PUT /series/:id').map(({ body }) => body)).toMatchObject([
      { name: 'Offers', version: 3 },
      { name: 'Offers', version: 4, overlap: 'skip', messageIds: [5, 6] },
    ]),
  )
})

// R-1503
test('the page of a series has its runs with state, reason and job, and moves and skips single ones', async () => {
  const { person, requests } = open('/series/4', {
    'POST /series/:id/runs/:runId/move': () => run,
    'POST /series/:id/runs/:runId/skip': () => run,
  })
  const past = within(await screen.findByRole('table', { name: 'Past runs' }))
  expect(past.getByText('Completed')).toBeTruthy()
  expect(past.getByText('Skipped, because of a quiet day or quiet hours.')).toBeTruthy()
  expect(past.getByRole('link', { name: 'Job #3' }).getAttribute('href')).toBe('/jobs/3')

  await person.click(screen.getByRole('button', { name: 'Move' }))
  const dialog = within(await screen.findByRole('dialog'))
  fireEvent.change(dialog.getByLabelText(/^New time/), { target: { value: '2099-12-01T07:15' } })
  await person.click(dialog.getByRole('button', { name: 'Move' }))
  await waitFor(() =>
    expect(requests.find(({ name }) => name.endsWith('/move'))).toMatchObject({
      params: { id: '4', runId: '70' },
      body: { dueAt: '2099-12-01T00:15:00.000Z' },
    }),
  )
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  await person.click(screen.getByRole('button', { name: 'Skip the next' }))
  await person.click(within(await screen.findByRole('dialog')).getByRole('button', { name: 'Skip' }))
  await waitFor(() => expect(requests.some(({ name }) => name.endsWith('/skip'))).toBe(true))
})

// R-1503
test('a paused series says why and is resumed; an ended one can only be deleted', async () => {
  let state: 'paused' | 'ended' = 'paused'
  const reason = { code: 'series_runs_failed', params: { count: 3 } } as const
  const { person, requests } = open('/series/4', {
    'GET /series/:id': () => ({ ...series, state, pausedReason: state === 'paused' ? reason : null }),
    'POST /series/:id/resume': () => series,
  })
  expect(await screen.findByText('The last 3 runs failed.')).toBeTruthy()
  state = 'ended'
  await person.click(screen.getByRole('button', { name: 'Resume' }))
  await waitFor(() => expect(requests.some(({ name }) => name === 'POST /series/:id/resume')).toBe(true))
  await screen.findAllByText('Ended')
  for (const name of ['Pause', 'Edit', 'End'])
    expect(isDisabled(screen.getByRole('button', { name })), name).toBe(true)
  expect(isDisabled(screen.getByRole('button', { name: 'Delete' }))).toBe(false)
})

// R-1512
test('somebody else reads all messages of a series and approves it, but not one that changed meanwhile', async () => {
  let approval: Series['approval'] = {
    ...{ isApproved: false, unapprovedRuns: 0, by: null, at: null, recipients: null, canApprove: true },
    changesAsked: null,
  }
  let version = 3
  const { person, requests } = open('/series/4', {
    'GET /series/:id': () => ({ ...series, approval, version }),
    'POST /series/:id/approve': ({ body }) => {
      if ((body as { version: number }).version !== version) return refuse(409, 'stale_version')
      const done = { by: 'lan', at: '2026-11-25T02:00:00.000Z', recipients: 120 }
      approval = { isApproved: true, unapprovedRuns: 0, canApprove: true, changesAsked: null, ...done }
      return { ...series, approval, version }
    },
  })
  const region = within(await screen.findByRole('region', { name: 'Approval' }))
  expect(region.getByText('No groups here')).toBeTruthy()
  await person.click(region.getByRole('button', { name: 'Approve series' }))
  expect(await region.findByText(/^Enter a whole number/)).toBeTruthy()
  await person.type(region.getByLabelText(/^Recipients of each run/), '120')
  version = 4
  await person.click(region.getByRole('button', { name: 'Approve series' }))
  expect(await screen.findByText(/^The series has changed meanwhile/)).toBeTruthy()
  await person.click(region.getByRole('button', { name: 'Approve series' }))
  expect(await region.findByText(/lan approved it at .* for 120 recipients/)).toBeTruthy()
  expect(requests.filter(({ name }) => name === 'POST /series/:id/approve').at(-1)?.body).toEqual({
    ...{ version: 4, recipients: 120 },
  })
})

// R-1515
test('a single run gets another message, with a word about its approval, and again after somebody else’s change', async () => {
  let version = 3
  const approval = {
    isApproved: true,
    unapprovedRuns: 0,
    by: 'lan',
    at: series.createdAt,
    recipients: 9,
    changesAsked: null,
  }
  const { person, requests } = open('/series/4', {
    'GET /series/:id': () => ({ ...series, version, approval: { ...approval, canApprove: false } }),
    'POST /series/:id/runs/:runId/message': ({ body }) =>
      (body as { version: number }).version === version ? run : refuse(409, 'stale_version'),
  })
  await person.click(await screen.findByRole('button', { name: 'Another message' }))
  const dialog = within(await screen.findByRole('dialog'))
  expect(
    dialog.getByText(/^Only the run of Mon, 11\/30\/2099, 09:00 .* approves the series again/),
  ).toBeTruthy()
  await choose(person, 'Message', '#6 No groups here')
  version = 4
  await person.click(dialog.getByRole('button', { name: 'Save' }))
  expect(await screen.findByText(/^Somebody else has changed this series meanwhile/)).toBeTruthy()
  await person.click(dialog.getByRole('button', { name: 'Save' }))
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  expect(requests.filter(({ name }) => name.endsWith('/message')).map(({ body }) => body)).toEqual([
    { messageId: 6, version: 3 },
    { messageId: 6, version: 4 },
  ])
})

// R-1515
test('the message of a run stands in the list, is taken away, and is read by whoever approves', async () => {
  const own = { ...run, message: { id: 9, textContent: 'Only today', imageUrl: null, content: null } }
  const approval = {
    isApproved: true,
    unapprovedRuns: 1,
    by: 'lan',
    at: series.createdAt,
    recipients: 9,
    changesAsked: null,
  }
  const { person, requests } = open('/series/4', {
    'GET /series/:id': () => ({
      ...series,
      changedRuns: [own],
      approval: { ...approval, canApprove: true },
    }),
    'GET /series/:id/runs': ({ query }) => pageOf(query.period === 'next' ? [own] : []),
    'POST /series/:id/runs/:runId/message': () => run,
    'POST /series/:id/approve': () => series,
  })
  const region = within(await screen.findByRole('region', { name: 'Approval' }))
  expect(region.getByText(/^The message of 1 run/)).toBeTruthy()
  expect(region.getByText('Only the run of Mon, 11/30/2099, 09:00')).toBeTruthy()
  expect(region.getByText('Only today')).toBeTruthy()
  const next = within(await screen.findByRole('table', { name: 'Next runs' }))
  expect(next.getByText('Only today')).toBeTruthy()
  await person.click(next.getByRole('button', { name: 'Another message' }))
  const dialog = within(await screen.findByRole('dialog'))
  await choose(person, 'Message', 'The message whose turn it is')
  await person.click(dialog.getByRole('button', { name: 'Save' }))
  await waitFor(() =>
    expect(requests.find(({ name }) => name.endsWith('/message'))?.body).toEqual({
      messageId: null,
      version: 3,
    }),
  )
})

// R-1518
test('an approver asks for changes in words, which stay when the dialog is closed, and everybody reads them', async () => {
  let approval: Series['approval'] = {
    ...{ isApproved: false, unapprovedRuns: 0, by: null, at: null, recipients: null, canApprove: true },
    changesAsked: null,
  }
  let version = 3
  const { person, requests } = open('/series/4', {
    'GET /series/:id': () => ({ ...series, approval, version }),
    'POST /series/:id/ask-changes': ({ body }) => {
      const asked = body as { version: number; words: string }
      if (asked.version !== version) return refuse(409, 'stale_version')
      approval = approval && {
        ...approval,
        changesAsked: { by: 'lan', at: '2026-11-25T02:00:00.000Z', words: asked.words },
      }
      return { ...series, approval, version }
    },
  })
  const region = within(await screen.findByRole('region', { name: 'Approval' }))
  const openDialog = async () => {
    await person.click(region.getByRole('button', { name: 'Ask for changes' }))
    return within(await screen.findByRole('dialog'))
  }
  const first = await openDialog()
  await person.type(first.getByLabelText(/^What should change/), 'Shorter')
  version = 4
  await person.click(first.getByRole('button', { name: 'Ask for changes' }))
  expect(await screen.findByText(/^The series has changed meanwhile/)).toBeTruthy()
  await person.click(first.getByRole('button', { name: 'Cancel' }))
  const second = await openDialog()
  await person.click(second.getByRole('button', { name: 'Ask for changes' }))
  expect(await region.findByText(/^lan asked for changes at /)).toBeTruthy()
  expect(region.getByText('Shorter')).toBeTruthy()
  expect(requests.filter(({ name }) => name.endsWith('/ask-changes')).map(({ body }) => body)).toEqual([
    { version: 3, words: 'Shorter' },
    { version: 4, words: 'Shorter' },
  ])
})
