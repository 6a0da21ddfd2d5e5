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

type Scene = {
  user?: typeof admin
  stats?: Partial<DashboardStats>
  accounts?: InstanceRow[]
  answers?: Answers
}
const open = ({ user = admin, stats = {}, accounts = [], answers = {} }: Scene) =>
  renderApp({
    path: '/dashboard',
    user,
    answers: {
      'GET /groups/stats': () => ({ ...nothing, ...stats }),
      'GET /instances': () => pageOf(accounts),
      ...answers,
    },
  })

const guide = async () => within(await screen.findByRole('region', { name: /steps/ }))
/** Name, whether it is done, and where its button leads. */
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
  ['no account', {}, 0, '/instances/new'],
  ['an account that is not linked', { accounts: [needsLogin] }, 0, '/instances'],
  ['a linked account', { accounts: [instance] }, 1, '/groups'],
  ['groups', { accounts: [instance], stats: { totalGroups: 3 } }, 2, '/messages/new'],
  ['a message', { accounts: [instance], stats: { totalGroups: 3, totalMessages: 1 } }, 3, '/jobs/new'],
])('an Admin with %s is led to the next step', async (_, scene, done, to) => {
  open(scene)
  expect(await steps()).toEqual(
    ['Link an account', 'Sync the groups', 'Write a message', 'Send it'].map((name, place) => [
      name,
      place < done,
      place === done ? to : null,
    ]),
  )
})

test('a Member sees only the steps that are theirs', async () => {
  open({ user: { ...member, canSendMessages: false, canCreateJobs: false } })
  expect(await steps()).toEqual([
    ['Link an account', false, null],
    ['Sync the groups', false, null],
  ])
  expect((await guide()).getByText('Ask an Admin to give you an account.')).toBeTruthy()
})

test('when all is done the guide is gone', async () => {
  const { seen } = open({
    accounts: [instance],
    stats: { totalGroups: 3, totalMessages: 1, totalJobs: 1 },
  })
  await screen.findByRole('heading', { name: 'Quick stats' })
  expect(screen.queryByRole('region', { name: /steps/ })).toBeNull()
  expect(seen.some(({ name }) => name === 'GET /instances')).toBe(false)
})

test('what stands below the guide comes with it, so that nothing is pushed down', async () => {
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

test('where the accounts cannot be read there is no guide, and everything else', async () => {
  open({ answers: { 'GET /instances': () => refuse(500, 'internal') } })
  expect(await screen.findByRole('heading', { name: 'Quick stats' })).toBeTruthy()
  expect(screen.queryByRole('region', { name: /steps/ })).toBeNull()
})

//
test('who hides the guide does not see it again', async () => {
  const { person, router } = open({})
  await person.click((await guide()).getByRole('button', { name: 'Hide this guide' }))
  await waitFor(() => expect(screen.queryByRole('region', { name: /steps/ })).toBeNull())
  await router.navigate({ to: '/instances' })
  await screen.findByRole('heading', { name: 'Accounts' })
  await router.navigate({ to: '/dashboard' })
  await screen.findByText('Total groups')
  expect(screen.queryByRole('region', { name: /steps/ })).toBeNull()
})
