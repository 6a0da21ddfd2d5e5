import type { Group } from '@sendroom/contract/groups'
import { screen, waitFor, within } from '@testing-library/react'
import { expect, test, vi } from 'vitest'
import { group as anyGroup } from '../../../test/group.ts'
import { instance } from '../../../test/instance.ts'
import { admin, member, renderApp } from '../../../test/render.tsx'
import { type Answers, pageOf, refuse } from '../../../test/server.ts'
import { isDisabled, reasonOf } from '../../../test/steps.ts'
import { currentToasts } from '../../ui/toasts.ts'

const group = { ...anyGroup, id: 2, participantCount: 1200, lastSyncAt: '2026-01-02T20:04:05.000Z' }
const answers: Answers = {
  'GET /groups': () => pageOf([group]),
  'GET /instances': () => pageOf([instance]),
}
const open = (more: Answers = {}, { path = '/groups', user = admin } = {}) =>
  renderApp({ path, user, answers: { ...answers, ...more } })
const row = () => screen.findByRole('row', { name: /Family/ })
const timeoutOf = (words: string) => currentToasts().find(({ msg }) => msg === words)?.timeout

//
test('a row shows name, members, last sync in Vietnam time and instance, and has an export button', async () => {
  open()
  const cells = within(await row())
  expect(screen.getAllByRole('columnheader').map(({ textContent }) => textContent)).toEqual([
    'Name',
    'Members',
    'Last sync',
    'Account',
    'Actions',
  ])
  const texts = cells.getAllByRole('cell').map(({ textContent }) => textContent)
  expect(texts.slice(0, 4)).toEqual(['Family', '1,200', '1/3/26, 3:04 AM', 'Shop'])
  expect(cells.getByRole('button', { name: 'Export members' })).toBeTruthy()
})

//
test('the groups are sorted by name, ascending, by default', async () => {
  const { requests } = open()
  await row()
  expect(requests.find(({ name }) => name === 'GET /groups')?.query).toEqual({
    page: '1',
    pageSize: '10',
    sortBy: 'name',
    sortDirection: 'asc',
  })
})

//
test('a Member can search the groups by name', async () => {
  const { person, requests } = open(
    { 'POST /groups/search': () => pageOf([group]) },
    { path: '/groups', user: member },
  )
  await row()
  await person.type(screen.getByLabelText('Search'), 'fam{Enter}')
  await waitFor(() =>
    expect(requests.find(({ name }) => name === 'POST /groups/search')?.body).toEqual({
      page: 1,
      pageSize: 10,
      sortBy: 'name',
      sortDirection: 'asc',
      search: 'fam',
      instanceIds: [],
    }),
  )
})

//
test('the list has pages', async () => {
  const { person, requests } = open({
    'GET /groups': ({ query }) => pageOf([group], 4200, { page: Number(query.page), pageSize: 10 }),
  })
  await row()
  expect(screen.getByText('Showing 1 to 10 of 4,200 entries')).toBeTruthy()
  await person.click(screen.getByRole('button', { name: 'Next page' }))
  await waitFor(() =>
    expect(requests.filter(({ name }) => name === 'GET /groups').at(-1)?.query).toMatchObject({ page: '2' }),
  )
})

//
test('a list that could not be loaded can be loaded again', async () => {
  let isDown = true
  const { person } = open({
    'GET /groups': () => (isDown ? refuse(500, 'internal') : pageOf([group])),
  })
  const retry = await screen.findByRole('button', { name: 'Try again' })
  isDown = false
  await person.click(retry)
  expect(await row()).toBeTruthy()
})

test.each([
  [
    //
    'without an instance, an Admin is led to add one',
    [],
    admin,
    /Add an account and link/,
    'Add account',
    '/instances/new',
  ],
  [
    //
    'without a linked instance, the page leads to the instances',
    [{ ...instance, status: 'NeedsLogin' as const }],
    admin,
    /Link an account to WhatsApp;/,
    'Open accounts',
    '/instances',
  ],
])('%s', async (_, instances, user, words, link, path) => {
  const { person, router } = open(
    { 'GET /groups': () => pageOf([]), 'GET /instances': () => pageOf(instances) },
    { path: '/groups', user },
  )
  expect(await screen.findByText(words)).toBeTruthy()
  await person.click(screen.getByRole('link', { name: link }))
  await waitFor(() => expect(router.state.location.pathname).toBe(path))
})

//
test('without an instance, a Member reads whom to ask', async () => {
  open(
    { 'GET /groups': () => pageOf([]), 'GET /instances': () => pageOf([]) },
    { path: '/groups', user: member },
  )
  expect(await screen.findByText('No groups yet. Ask an Admin to assign you an account.')).toBeTruthy()
  expect(isDisabled(screen.getByRole('button', { name: 'Sync groups' }))).toBe(true)
})

//
test('with a linked instance, the page offers a sync', async () => {
  open({ 'GET /groups': () => pageOf([]) })
  expect(await screen.findByText('No groups yet. Sync an account to get its groups.')).toBeTruthy()
})

test.each([
  ['has left', { hasLeft: true, isClosed: true }, 'Left'],
  ['may not write to', { isClosed: true }, 'Admins only'],
  //
])('a group that the instance %s stays in the list with a badge', async (_, change, words) => {
  open({ 'GET /groups': () => pageOf([{ ...group, ...change }]) })
  const cells = within(await row())
  expect(cells.getByText(words)).toBeTruthy()
  for (const other of ['Left', 'Admins only'].filter((text) => text !== words))
    expect(cells.queryByText(other)).toBeNull()
})

test('a name in a right-to-left script is isolated from the text around it', async () => {
  const name = 'مجموعة العائلة 🌸'
  open({ 'GET /groups': () => pageOf([{ ...group, name }]) })
  expect((await screen.findByText(name)).tagName).toBe('BDI')
})

//
test('an export is saved under the server’s file name, with a toast', async () => {
  const links: HTMLAnchorElement[] = []
  vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(function (this: HTMLAnchorElement) {
    links.push(this)
  })
  URL.createObjectURL = () => 'blob:it'
  URL.revokeObjectURL = () => {}
  const disposition = `attachment; filename="x.xlsx"; filename*=UTF-8''Participants_Fam%C3%ADlia_2026-11-21.xlsx`
  const { person, requests } = open({
    'GET /groups/:id/participants/export': () =>
      new Response('PK', { headers: { 'content-disposition': disposition } }),
  })
  const button = within(await row()).getByRole('button', { name: 'Export members' })
  await person.click(button)
  const words = 'Group participants exported successfully!'
  expect(await screen.findByText(words)).toBeTruthy()
  expect(timeoutOf(words)).toBe(3000)
  expect(requests.find(({ name }) => name.endsWith('export'))?.params).toEqual({ id: '2' })
  expect(links.map(({ download, href }) => [download, href])).toEqual([
    ['Participants_Família_2026-11-21.xlsx', 'blob:it'],
  ])
})

test('a running export shows a loader and can’t be started twice', async () => {
  let answer = (_: ReturnType<typeof refuse>) => {}
  const { person, requests } = open({
    'GET /groups/:id/participants/export': () => new Promise((resolve) => (answer = resolve)),
  })
  const button = within(await row()).getByRole<HTMLButtonElement>('button', {
    name: 'Export members',
  })
  await person.click(button)
  await waitFor(() => expect(button.getAttribute('aria-busy')).toBe('true'))
  await person.click(button)
  answer(refuse(404, 'not_found'))
  await waitFor(() => expect(button.getAttribute('aria-busy')).toBeNull())
  expect(requests.filter(({ name }) => name.endsWith('export'))).toHaveLength(1)
})

//
//
test('a Member without the right to export sees why the button is disabled', async () => {
  open({}, { user: { ...member, canExportParticipants: false } })
  const button = within(await row()).getByRole('button', { name: 'Export members' })
  expect(isDisabled(button)).toBe(true)
  expect(reasonOf(button)).toBe('You can’t export group members. Ask an Admin.')
})

test('a failed export shows a toast', async () => {
  const { person } = open()
  await person.click(await screen.findByRole('button', { name: 'Export members' }))
  const words = 'Failed to export group participants.'
  expect(await screen.findByText(words)).toBeTruthy()
  expect(timeoutOf(words)).toBe(5000)
})

const channel: Group = { ...group, id: 3, name: 'Daily deals', kind: 'channel', participantCount: 1284 }

// R-1802, R-1804
test('a channel is marked, shows its followers, and its members can’t be exported', async () => {
  open({
    'GET /groups': () =>
      pageOf([
        group,
        channel,
        { ...channel, id: 4, name: 'Former news', participantCount: 1, hasLeft: true },
      ]),
  })
  const deals = within(await screen.findByRole('row', { name: /Daily deals/ }))
  expect(deals.getByText('Channel')).toBeTruthy()
  expect(deals.getByText('1,284 followers')).toBeTruthy()
  const button = deals.getByRole('button', { name: 'Export members' })
  expect(isDisabled(button)).toBe(true)
  expect(reasonOf(button)).toMatch(/^WhatsApp tells nobody who follows a channel/)

  const former = within(screen.getByRole('row', { name: /Former news/ }))
  expect(former.getByText('1 follower')).toBeTruthy()
  expect(former.getByTitle(/no longer an admin of this channel/).textContent).toBe('Can’t post')
  expect(within(await row()).queryByText('Channel')).toBeNull()
})

// R-1802
test('the list is limited to channels, in its address too, and a search stays limited', async () => {
  const { person, requests, router } = open({ 'POST /groups/search': () => pageOf([channel]) })
  await row()
  await person.selectOptions(screen.getByLabelText('Kind'), 'Channels only')
  await waitFor(() => expect(router.state.location.search).toEqual({ only: 'channel' }))
  await waitFor(() =>
    expect(requests.filter(({ name }) => name === 'GET /groups').at(-1)?.query).toMatchObject({
      kind: 'channel',
    }),
  )
  await person.type(screen.getByLabelText('Search'), 'deals{Enter}')
  await waitFor(() =>
    expect(requests.find(({ name }) => name === 'POST /groups/search')?.body).toMatchObject({
      ...{ kind: 'channel', search: 'deals' },
    }),
  )
  expect(router.state.location.search).toEqual({ only: 'channel', search: 'deals' })
})
