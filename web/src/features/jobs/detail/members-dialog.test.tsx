import type { JobMember, JobRecipient } from '@sendroom/contract/job-rows'
import type { User } from '@sendroom/contract/users'
import { screen, waitFor, within } from '@testing-library/react'
import { expect, test } from 'vitest'
import { done } from '../../../../test/job.ts'
import { admin, member, renderApp } from '../../../../test/render.tsx'
import { type Answers, pageOf, refuse } from '../../../../test/server.ts'

const DAY_MS = 86_400_000
const daysAgo = (days: number) => new Date(Date.now() - days * DAY_MS).toISOString()
const words = 'Delivered to 2, read by 1 of 3 members'

const group: JobRecipient = {
  ...{
    id: 11,
    recipientName: 'Family',
    recipientId: '1@g.us',
    ownText: null,
    status: 'Sent',
    errorMessage: null,
    reason: null,
  },
  ...{
    sentAt: daysAgo(1),
    deliveredAt: daysAgo(1),
    readAt: daysAgo(1),
    deliveredTo: 2,
    readBy: 1,
    members: 3,
    areMembersKept: true,
    mentions: null,
    votes: null,
  },
}
const people: JobMember[] = [
  { personId: '84901', name: 'An', state: 'None' },
  { personId: '84902', name: null, state: 'None' },
  { personId: '99@lid', name: 'Chi', state: 'Delivered' },
  { personId: '98@lid', name: null, state: 'Read' },
]

const MEMBERS = 'GET /jobs/:id/recipients/:recipientId/members'
const membersByState: Answers[typeof MEMBERS] = ({ query }) =>
  pageOf(people.filter(({ state }) => !query.state || state === query.state))

function show(change: Partial<JobRecipient> = {}, answer = membersByState, user: User = admin) {
  return renderApp({
    path: '/jobs/3',
    user,
    answers: {
      'GET /jobs/:id': () => done,
      'GET /jobs/:id/recipients': () => pageOf([{ ...group, ...change }]),
      [MEMBERS]: answer,
    },
  })
}

async function open(answer = membersByState) {
  const app = show({}, answer)
  await app.person.click(await screen.findByRole('button', { name: words }))
  const dialog = within(await screen.findByRole('dialog', { name: 'Members: Family' }))
  const rows = () => dialog.queryAllByRole('listitem').map(({ textContent }) => textContent)
  return { ...app, dialog, rows }
}

//
test('the members of a group are listed with what they did, and by that', async () => {
  const { person, dialog, rows, requests } = await open()

  await waitFor(() =>
    expect(rows()).toEqual([
      'An+84901Not delivered',
      '+84902Not delivered',
      'ChiHidden numberDelivered, not read',
      'Hidden numberRead',
    ]),
  )
  await person.click(dialog.getByRole('button', { name: 'Delivered, not read' }))

  await waitFor(() => expect(rows()).toEqual(['ChiHidden numberDelivered, not read']))
  const [all, chosen] = requests.filter(({ name }) => name === MEMBERS)
  expect(all).toMatchObject({ params: { id: '3', recipientId: '11' }, query: { page: '1' } })
  expect(all?.query.state).toBeUndefined()
  expect(chosen?.query).toMatchObject({ state: 'Delivered', page: '1' })
})

test('the list is paged, and a filter begins with its first page', async () => {
  const { person, dialog, rows } = await open(({ query }) => {
    const paging = { page: Number(query.page), pageSize: Number(query.pageSize) }
    const personId = `${query.state ?? 'All'} ${query.page}`
    return pageOf([{ personId, name: personId, state: 'None' }], 60, paging)
  })
  await waitFor(() => expect(rows()[0]).toContain('All 1'))

  await person.click(dialog.getByRole('button', { name: 'Page 2' }))
  await waitFor(() => expect(rows()[0]).toContain('All 2'))
  await person.click(dialog.getByRole('button', { name: 'Read' }))

  await waitFor(() => expect(rows()[0]).toContain('Read 1'))
})

test('without members the dialog says so', async () => {
  const { person, dialog } = await open(() => pageOf([]))
  await dialog.findByText('No data on who received this message.')

  await person.click(dialog.getByRole('button', { name: 'Not delivered' }))

  await dialog.findByText('No member has this status.')
})

test('a list that could not be loaded can be tried again', async () => {
  let hasFailed = false
  const { person, dialog, rows } = await open((request) => {
    if (hasFailed) return membersByState(request)
    hasFailed = true
    return refuse(404, 'not_found')
  })

  await person.click(await dialog.findByRole('button', { name: 'Try again' }))

  await waitFor(() => expect(rows()).toHaveLength(4))
})

test.each<[string, Partial<JobRecipient>, User, boolean]>([
  ['is offered to a Member with the right', {}, member, true],
  ['is not offered to a Member without the right', {}, { ...member, canExportParticipants: false }, false],
  ['is not offered once the members are deleted', { areMembersKept: false }, admin, false],
])('the list of members %s', async (_, change, user, isOffered) => {
  show(change, membersByState, user)

  await screen.findByText(words)

  expect(screen.queryByRole('button', { name: words }) !== null).toBe(isOffered)
})

test('the receipt of a person offers no members', async () => {
  show({ deliveredTo: null, readBy: null, members: null })

  const table = within(await screen.findByRole('table', { name: 'Result for each recipient' }))

  expect(table.getByText('Read')).toBeTruthy()
  expect(table.queryByRole('button')).toBeNull()
})
