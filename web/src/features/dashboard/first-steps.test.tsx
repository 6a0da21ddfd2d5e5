import type { DashboardStats } from '@sendroom/contract/dashboard'
import type { InstanceRow } from '@sendroom/contract/instances'
import type { Page } from '@sendroom/contract/paging'
import { screen, waitFor, within } from '@testing-library/react'
import { expect, test } from 'vitest'
import { instance } from '../../../test/instance.ts'
import { admin, member, renderApp } from '../../../test/render.tsx'
import { type Answers, pageOf, refuse } from '../../../test/server.ts'
import './dashboard-page.tsx'

const nothing: DashboardStats = {
  totalGroups: 0,
  totalMessages: 0,
  totalJobs: 0,
  pendingJobs: 0,
  runningJobs: 0,
  completedJobs: 0,
  failedJobs: 0,
  totalUniqueUsers: 0,
  totalSentMessages: 0,
  topGroups: [],
}

type Given = {
  user?: typeof admin
  stats?: Partial<DashboardStats>
  instances?: InstanceRow[]
  answers?: Answers
}
const open = ({ user = admin, stats = {}, instances = [], answers = {} }: Given) =>
  renderApp({
    path: '/dashboard',
    user,
    answers: {
      'GET /groups/stats': () => ({ ...nothing, ...stats }),
      'GET /instances': () => pageOf(instances),
      ...answers,
    },
  })

const guide = async () => within(await screen.findByRole('region', { name: /steps/ }))
/** For each step its name, whether it is done, and where its button leads. */
async function steps() {
  const items = (await guide()).getAllByRole('listitem')
  return items.map((item) => [
    item.querySelector('p')?.textContent,
    within(item).queryByRole('img', { name: 'Done' }) !== null,
    within(item).queryByRole('link')?.getAttribute('href') ?? null,
  ])
}

const needsLogin: InstanceRow = { ...instance, status: 'NeedsLogin' }

test.each([
  ['no instance', {}, 0, '/instances/new'],
  ['an instance that is not linked', { instances: [needsLogin] }, 0, '/instances'],
  ['a linked instance', { instances: [instance] }, 1, '/groups'],
  ['groups', { instances: [instance], stats: { totalGroups: 3 } }, 2, '/jobs/new'],
])('an Admin with %s is led to the next step', async (_, given, done, to) => {
  open(given)
  expect(await steps()).toEqual(
    ['Link an account', 'Sync groups', 'Send a message'].map((name, place) => [
      name,
      place < done,
      place === done ? to : null,
    ]),
  )
})

test('a Member sees only the steps that their rights allow', async () => {
  open({ user: { ...member, canSendMessages: false, canCreateJobs: false } })
  expect(await steps()).toEqual([
    ['Link an account', false, null],
    ['Sync groups', false, null],
  ])
  expect((await guide()).getByText('Ask an Admin to assign you an account.')).toBeTruthy()
})

test('a Member who may write messages but send none is led to the form for messages', async () => {
  open({
    user: { ...member, canCreateJobs: false },
    instances: [instance],
    stats: { totalGroups: 3 },
  })
  expect((await steps()).at(-1)).toEqual(['Write a message', false, '/messages/new'])
})

test('a Member who may not link the instance reads whom to ask', async () => {
  open({ user: { ...member, canLinkAccounts: false }, instances: [{ ...instance, status: 'NeedsLogin' }] })
  expect((await steps())[0]).toEqual(['Link an account', false, null])
  expect((await guide()).getByText(/You can’t link accounts/)).toBeTruthy()
})

test('the guide disappears when all steps are done', async () => {
  const { requests } = open({
    instances: [instance],
    stats: { totalGroups: 3, totalMessages: 1, totalJobs: 1 },
  })
  await screen.findByRole('heading', { name: 'Quick stats' })
  expect(screen.queryByRole('region', { name: /steps/ })).toBeNull()
  expect(requests.some(({ name }) => name === 'GET /instances')).toBe(false)
})

test('the content below the guide waits for it, so that nothing is pushed down', async () => {
  const { promise, resolve } = Promise.withResolvers<Page<InstanceRow>>()
  open({ answers: { 'GET /instances': () => promise } })
  await waitFor(() => expect(screen.getAllByText('0')).toHaveLength(4))
  expect(screen.getByText('Loading...')).toBeTruthy()
  expect(screen.queryByRole('heading', { name: 'Quick stats' })).toBeNull()
  resolve(pageOf([]))
  const below = await screen.findByRole('heading', { name: 'Quick stats' })
  const above = screen.getByRole('link', { name: /Total groups/ })
  const region = screen.getByRole('region', { name: /steps/ })
  expect(above.compareDocumentPosition(region)).toBe(Node.DOCUMENT_POSITION_FOLLOWING)
  expect(region.compareDocumentPosition(below)).toBe(Node.DOCUMENT_POSITION_FOLLOWING)
})

test('if the instances can’t be read, everything but the guide is shown', async () => {
  open({ answers: { 'GET /instances': () => refuse(500, 'internal') } })
  expect(await screen.findByRole('heading', { name: 'Quick stats' })).toBeTruthy()
  expect(screen.queryByRole('region', { name: /steps/ })).toBeNull()
})

//
test('a hidden guide stays hidden', async () => {
  const { person, router } = open({})
  await person.click((await guide()).getByRole('button', { name: 'Hide this guide' }))
  await waitFor(() => expect(screen.queryByRole('region', { name: /steps/ })).toBeNull())
  await router.navigate({ to: '/instances' })
  await screen.findByRole('heading', { name: 'Accounts' })
  await router.navigate({ to: '/dashboard' })
  await screen.findByText('Total groups')
  expect(screen.queryByRole('region', { name: /steps/ })).toBeNull()
})
