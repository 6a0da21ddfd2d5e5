import type { Job } from '@sendroom/contract/jobs'
import { act, screen, waitFor, within } from '@testing-library/react'
import { expect, test, vi } from 'vitest'
import { job, row } from '../../../../test/job.ts'
import { member, renderApp } from '../../../../test/render.tsx'
import { type Answers, pageOf, refuse } from '../../../../test/server.ts'
import { fillIn } from '../../../../test/steps.ts'

const asked = { at: '2026-01-02T03:04:05.000Z', what: 'asked' as const, by: 'an', words: '' }
const approval = {
  approveBy: '2099-05-06T07:08:00.000Z',
  canReview: false,
  approvers: { total: 12, first: ['lan', 'minh'] },
  history: [asked],
}
const inReview: Job = {
  ...job,
  status: 'Pending',
  review: 'in_review',
  scheduledAt: approval.approveBy,
  recipientCount: 1200,
  failedCount: 0,
  approval,
  waiting: { code: 'in_review', params: {} },
}
const toReview: Job = { ...inReview, approval: { ...approval, canReview: true } }
const afterwards = (
  review: Job['review'],
  what: 'approved' | 'changes_asked' | 'overridden',
  words = '',
): Job => ({
  ...inReview,
  review,
  version: 2,
  approval: {
    ...approval,
    history: [{ ...asked, what, by: 'lan', words }, asked],
  },
})
const approver = { ...member, canCreateJobs: false, canApproveJobs: true }
const maker = { ...member, canCreateJobs: true }

/** Opens the page of a job that the answers can replace. */
function open(user: typeof member, shown: Job, more: (show: (job: Job) => void) => Answers = () => ({})) {
  let present = shown
  const show = (next: Job) => {
    present = next
  }
  const app = renderApp({
    path: '/jobs/3',
    user,
    answers: { 'GET /jobs/:id': () => present, 'GET /jobs/:id/recipients': () => pageOf([]), ...more(show) },
  })
  return {
    ...app,
    show,
    press: async (name: string) => app.person.click(await screen.findByRole('button', { name })),
    sent: (name: string) => app.requests.filter((request) => request.name === name).map(({ body }) => body),
  }
}
const section = async () => within(await screen.findByRole('region', { name: 'Approval' }))
const buttons = async () => (await section()).queryAllByRole('button').map((button) => button.textContent)
const dialog = async () => within(await screen.findByRole('dialog'))

// R-1521, R-1522
test('an approver sees what would be sent, to how many, from where and when, and approves it', async () => {
  const app = open(approver, toReview, (show) => ({
    'POST /jobs/:id/approve': () => {
      show(afterwards('approved', 'approved'))
      return row
    },
  }))
  const shown = await section()
  for (const words of ['Hello', '1,200', 'Shop', '5/6/99, 2:08', 'lan, minh'])
    expect(shown.getAllByText(words, { exact: false }).length).toBeGreaterThan(0)
  expect(shown.getByText(/and 10 more/)).toBeTruthy()
  expect(screen.getByText('In review')).toBeTruthy()

  await app.press('Approve')
  const question = await dialog()
  expect(question.getByText(/1,200 recipients from the account “Shop” at 5\/6\/99, 2:08/)).toBeTruthy()
  await app.person.dblClick(question.getByRole('button', { name: 'Approve' }))
  expect(await screen.findByText('Job approved.')).toBeTruthy()
  expect(app.sent('POST /jobs/:id/approve')).toEqual([{ version: 1 }])
  expect(await screen.findByText('Approved by lan.')).toBeTruthy()
  expect(await buttons()).toEqual([])
})

// R-1523
test('of a text with variables the approver sees what each person gets', async () => {
  const people = ['An', 'Binh']
  const app = open(approver, { ...toReview, isPersonal: true, textContent: 'Hello {{name}}' }, () => ({
    'GET /jobs/:id/recipients': ({ query }) => {
      const name = people[Number(query.page) - 1] ?? ''
      const delivery = {
        ...job.sentMessages[0],
        recipientName: name,
        ownText: `Hello ${name}`,
        status: 'Waiting',
      }
      return pageOf([delivery as never], 2, { page: Number(query.page), pageSize: 1 })
    },
  }))
  const shown = await section()
  expect(await shown.findByText('Hello An')).toBeTruthy()
  await app.press('Next person')
  expect(await shown.findByText('Hello Binh')).toBeTruthy()
  expect(shown.getByText('Binh gets this text (2 of 2):')).toBeTruthy()
})

// R-1524
test('changes are asked for in words, which an error leaves in place', async () => {
  let answer: () => typeof row | ReturnType<typeof refuse> = () => refuse(500, 'internal')
  const app = open(approver, toReview, (show) => ({
    'POST /jobs/:id/ask-changes': () => {
      const given = answer()
      if (given === row) show(afterwards('changes_asked', 'changes_asked', 'Too long'))
      return given
    },
  }))
  await app.press('Ask for changes')
  let asked = await dialog()
  const send = () => app.person.click(asked.getByRole('button', { name: 'Ask for changes' }))
  await send()
  expect(await asked.findByText('Say it in words.')).toBeTruthy()
  await fillIn(app.person, asked.getByLabelText(/What should change/), 'Too long')
  await send()
  expect(await screen.findByText('Nothing was changed.')).toBeTruthy()
  await app.person.click(asked.getByRole('button', { name: 'Cancel' }))
  await app.press('Ask for changes')
  asked = await dialog()
  expect(asked.getByLabelText(/What should change/)).toHaveProperty('value', 'Too long')
  answer = () => row
  await send()
  expect(await screen.findByText('Changes asked for.')).toBeTruthy()
  expect(app.sent('POST /jobs/:id/ask-changes').at(-1)).toEqual({ version: 1, words: 'Too long' })
  expect((await (await section()).findAllByText('Too long')).length).toBe(2)
})

// R-1525
test('a job that has changed meanwhile is shown as it is now, and not approved', async () => {
  const app = open(approver, toReview, (show) => ({
    'POST /jobs/:id/approve': () => {
      show({ ...toReview, version: 2, textContent: 'Another text' })
      return refuse(409, 'stale_version')
    },
  }))
  await app.press('Approve')
  await app.person.click((await dialog()).getByRole('button', { name: 'Approve' }))
  expect(await screen.findByText(/has changed since you opened it/)).toBeTruthy()
  expect(await (await section()).findByText('Another text')).toBeTruthy()
  expect(app.sent('POST /jobs/:id/approve')).toHaveLength(1)
})

// R-1525
test('what another user does to the job shows by itself, with its text', async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true })
  const app = open(approver, toReview)
  await section()
  app.show({ ...afterwards('taken_back', 'changes_asked'), textContent: 'Another text' })
  await act(() => vi.advanceTimersByTimeAsync(2000))
  expect(await (await section()).findByText('Another text')).toBeTruthy()
  expect(await buttons()).toEqual([])
})

test.each([
  // R-1526
  ['a maker of jobs', maker, inReview, ['Take back']],
  ['a maker of jobs', maker, { ...inReview, review: 'changes_asked' as const }, ['Ask for approval again']],
  ['a maker of jobs', maker, { ...inReview, review: 'overdue' as const }, []],
  ['whoever only looks', { ...maker, canCreateJobs: false }, inReview, []],
  // R-1527
  [
    'an Admin',
    { ...maker, role: 'Admin' as const },
    toReview,
    ['Approve', 'Ask for changes', 'Take back', 'Send without approval'],
  ],
])('%s has the buttons that the state allows', async (_, user, shown, names) => {
  open(user, shown)
  expect(await buttons()).toEqual(names)
  const change = (await section()).queryByRole('link', { name: 'Change' })
  const needsChange = shown.review !== 'in_review' && user.canCreateJobs
  expect(change?.getAttribute('href') ?? null).toBe(needsChange ? '/jobs/edit/3' : null)
})

// R-1521
test('an approver who made the job is told why somebody else has to approve it', async () => {
  open({ ...approver, canCreateJobs: true }, inReview)
  expect(await screen.findByText(/Somebody else has to approve it/)).toBeTruthy()
})

// R-1526
test.each([
  ['Take back', 'POST /jobs/:id/take-back', 'in_review', 'Job taken back from review.'],
  ['Ask for approval again', 'POST /jobs/:id/ask-approval', 'taken_back', 'Approval asked for.'],
] as const)('%s', async (button, name, review, done) => {
  const app = open(maker, { ...inReview, review }, () => ({ [name]: () => row }))
  await app.press(button)
  expect(await screen.findByText(done)).toBeTruthy()
  expect(app.sent(name)).toEqual([{ version: 1 }])
})

// R-1527
test('an Admin sends a job without approval for a reason, and is told who reads it', async () => {
  const shown = { ...inReview, approval: { ...approval, approvers: { total: 0, first: [] } } }
  const app = open({ ...maker, role: 'Admin' }, shown, () => ({
    'POST /jobs/:id/override-approval': () => row,
  }))
  expect(await screen.findByText(/^Nobody\. Only an Admin/)).toBeTruthy()
  await app.press('Send without approval')
  const asked = await dialog()
  expect(asked.getByText(/Everybody who can approve is told/)).toBeTruthy()
  await fillIn(app.person, asked.getByLabelText(/Reason/), 'Lan is ill')
  await app.person.click(asked.getByRole('button', { name: 'Send without approval' }))
  expect(await screen.findByText('The job is sent without an approval.')).toBeTruthy()
  expect(app.sent('POST /jobs/:id/override-approval')).toEqual([{ version: 1, words: 'Lan is ill' }])
})

// R-1528
test('the list shows the state of the approval, and only the jobs in review', async () => {
  const { requests } = renderApp({
    path: '/jobs?only=in_review',
    answers: { 'GET /jobs': () => pageOf([{ ...row, status: 'Pending', review: 'in_review' }]) },
  })
  expect(await screen.findByText('In review')).toBeTruthy()
  expect(screen.getByText('Only jobs in review')).toBeTruthy()
  await waitFor(() =>
    expect(requests.find(({ name }) => name === 'GET /jobs')?.query).toMatchObject({ only: 'in_review' }),
  )
})
