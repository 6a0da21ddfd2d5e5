import type { AuditEntry } from '@sendroom/contract/audit'
import { auditActions } from '@sendroom/contract/audit-actions'
import { fireEvent, screen, waitFor, within } from '@testing-library/react'
import { expect, test, vi } from 'vitest'
import { member, renderApp } from '../../../test/render.tsx'
import { type Answers, pageOf, refuse, textsOf } from '../../../test/server.ts'

const deleted: AuditEntry = {
  id: 9,
  at: '2026-01-02T20:04:05.000Z',
  userId: 2,
  userName: 'lan',
  address: '203.0.113.7',
  action: 'job.delete',
  objectType: 'job',
  objectId: 17,
  objectName: 'Xin chào',
  details: {
    text: 'Xin chào *cả nhà*',
    image: null,
    jobType: 'SendToUsers',
    recipients: 1234,
    instance: 'Shop',
    createdBy: 'lan',
    scheduledAt: '2026-01-02T20:00:00.000Z',
  },
}
const failed: AuditEntry = {
  ...deleted,
  id: 8,
  userId: null,
  userName: '',
  action: 'session.sign_in_failed',
  objectType: null,
  objectId: null,
  objectName: '',
  details: {},
}

const open = (more: Answers = {}, path = '/settings/audit') =>
  renderApp({ path, answers: { 'GET /audit': () => pageOf([deleted, failed]), ...more } })
const rowOf = (name: RegExp) => screen.findByRole('row', { name })
const openDetails = async (entry: AuditEntry) => {
  const { person } = open({ 'GET /audit': () => pageOf([entry]) })
  await person.click(await screen.findByRole('button', { name: 'Details' }))
  return within(await screen.findByRole('dialog'))
}
/** The facts of the dialog, by name. */
const factsIn = (dialog: HTMLElement) =>
  Object.fromEntries(
    [...dialog.querySelectorAll('dt')].map((name) => [name.textContent, name.nextSibling?.textContent]),
  )

test('a row shows time in Vietnam, user, action, object and address', async () => {
  open()
  const cells = async (name: RegExp) =>
    within(await rowOf(name))
      .getAllByRole('cell')
      .slice(0, -1)
      .map((cell) => cell.textContent)
  const at = '1/3/26, 3:04:05 AM'
  expect(await cells(/Job deleted/)).toEqual([at, 'lan', 'Job deleted', 'Job #17Xin chào', '203.0.113.7'])
  expect(await cells(/Sign-in failed/)).toEqual([at, '–', 'Sign-in failed', '–', '203.0.113.7'])
})

test.each(['en', 'vi', 'cn'])('every action has words in %s', (language) => {
  const words = textsOf(language).AUDIT
  const keys = auditActions.map((action) => `ACTION_${action.toUpperCase().replace('.', '_')}`)
  expect(keys.filter((key) => words[key] === undefined)).toEqual([])
  expect(new Set(keys.map((key) => words[key])).size).toBe(keys.length)
})

test('an action of another version is shown by its code', async () => {
  open({ 'GET /audit': () => pageOf([{ ...deleted, action: 'job.sing', objectType: 'song' }]) })
  expect((await rowOf(/job\.sing/)).textContent).toContain('song')
})

test('the details show the text as it was sent, and the rest in words', async () => {
  const dialog = await openDetails(deleted)
  expect(dialog.getByText('cả nhà').tagName).toBe('STRONG')
  expect(factsIn(screen.getByRole('dialog'))).toEqual({
    Time: '1/3/26, 3:04:05 AM',
    User: 'lan',
    Object: 'Job #17Xin chào',
    'IP address': '203.0.113.7',
    Type: 'Send to phone numbers',
    Recipients: '1,234',
    Account: 'Shop',
    'Created by': 'lan',
    'Scheduled at': '1/3/26, 3:00 AM',
  })
})

test('the details of a change show each field before and after', async () => {
  const changes = {
    role: ['Member', 'Admin'],
    isActive: [false, true],
    assignedInstances: [[], ['Shop', 'Depot']],
    groupPauseSeconds: [
      [20, 30],
      [0, 0],
    ],
    dailyCap: [
      { groups: 0, private: 200 },
      { groups: 0, private: 5000 },
    ],
    quietHours: [null, { from: '22:00', to: '07:00' }],
  }
  const dialog = await openDetails({ ...deleted, action: 'instance.update', details: { changes } })
  const rows = within(dialog.getByRole('table', { name: 'Changes' }))
    .getAllByRole('row')
    .slice(1)
  const cells = rows.map((row) =>
    within(row)
      .getAllByRole('cell')
      .map((cell) => cell.textContent),
  )
  expect(cells).toEqual([
    ['Role', 'Member', 'Admin'],
    ['Active', 'No', 'Yes'],
    ['Assigned accounts', '–', 'Shop, Depot'],
    ['Pause between groups (s)', '20–30', '0'],
    ['Limit in 24 hours (0: no limit)', 'Groups: 0, People: 200', 'Groups: 0, People: 5,000'],
    ['Quiet hours', '–', '22:00–07:00'],
  ])
})

//
test.each(['constructor', 'toString'])('the unknown detail %s has its own name', async (name) => {
  const dialog = await openDetails({ ...deleted, action: 'job.create', details: { [name]: 'red' } })
  expect(dialog.getByText(name)).toBeTruthy()
})

// R-1740
test('the details show a poll as it was saved', async () => {
  const content = { kind: 'poll', options: ['Yes', 'No'], allowsSeveral: false }
  const dialog = await openDetails({
    ...deleted,
    action: 'message.create',
    details: { text: 'Tea?', content },
  })
  expect(dialog.getByText('Select one')).toBeTruthy()
  expect(dialog.getAllByRole('listitem').map((item) => item.textContent)).toEqual(['Yes', 'No'])
})

test('the details of a changed text show both texts', async () => {
  const details = { text: 'new words', formerText: 'old words' }
  const dialog = await openDetails({ ...deleted, action: 'message.update', details })
  expect(dialog.getByText('After').nextSibling?.textContent).toBe('new words')
  expect(dialog.getByText('Before').nextSibling?.textContent).toBe('old words')
})

test('the filters stand in the address and are sent as instants, the last day included', async () => {
  const { requests, person, router } = open({}, '/settings/audit?page=2&search=lan')
  await rowOf(/Job deleted/)
  await person.selectOptions(screen.getByLabelText('Action'), 'Job deleted')
  fireEvent.change(screen.getByLabelText('From'), { target: { value: '2026-01-02' } })
  await waitFor(() => expect(router.state.location.search).toMatchObject({ from: '2026-01-02' }))
  fireEvent.change(screen.getByLabelText('To'), { target: { value: '2026-01-03' } })
  await waitFor(() =>
    expect(router.state.location.search).toEqual({
      search: 'lan',
      action: 'job.delete',
      from: '2026-01-02',
      to: '2026-01-03',
    }),
  )
  await waitFor(() =>
    expect(requests.at(-1)?.query).toEqual({
      page: '1',
      pageSize: '10',
      search: 'lan',
      sortBy: 'at',
      sortDirection: 'desc',
      action: 'job.delete',
      from: '2026-01-01T17:00:00.000Z',
      to: '2026-01-03T17:00:00.000Z',
    }),
  )
  fireEvent.change(screen.getByLabelText('To'), { target: { value: '' } })
  await waitFor(() => expect(router.state.location.search).not.toHaveProperty('to'))
  await person.selectOptions(screen.getByLabelText('Action'), 'All actions')
  await waitFor(() => expect(router.state.location.href).toBe('/settings/audit?search=lan&from=2026-01-02'))
})

test('the filters stay when the order changes, and a half-typed year filters nothing', async () => {
  const { requests, person, router } = open(
    {},
    '/settings/audit?action=job.delete&from=0002-01-01&to=tomorrow',
  )
  await rowOf(/Job deleted/)
  fireEvent.change(screen.getByLabelText('From'), { target: { value: '0202-01-02' } })
  await person.click(screen.getByRole('button', { name: 'Time' }))
  await waitFor(() => expect(requests.at(-1)?.query).toMatchObject({ sortDirection: 'asc' }))
  expect(router.state.location.search).toMatchObject({ action: 'job.delete', sortBy: 'at' })
  expect(requests.at(-1)?.query).not.toHaveProperty('from')
  expect(requests.at(-1)?.query).not.toHaveProperty('to')
  expect(screen.getByLabelText<HTMLInputElement>('From').value).toBe('0202-01-02')
})

test('the export has the filters of the list', async () => {
  const links: HTMLAnchorElement[] = []
  vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(function (this: HTMLAnchorElement) {
    links.push(this)
  })
  const disposition = 'attachment; filename="Audit_log_2026-02-04.csv"'
  const csv = () => new Response('"Time"', { headers: { 'content-disposition': disposition } })
  const { requests, person } = open(
    { 'GET /audit/export': csv },
    '/settings/audit?search=lan&action=job.delete&from=2026-01-02&page=3',
  )
  await person.click(await screen.findByRole('button', { name: 'Export CSV' }))
  expect(await screen.findByText('Audit log exported.')).toBeTruthy()
  expect(requests.find(({ name }) => name === 'GET /audit/export')?.query).toEqual({
    search: 'lan',
    action: 'job.delete',
    from: '2026-01-01T17:00:00.000Z',
  })
  expect(links.map(({ download }) => download)).toEqual(['Audit_log_2026-02-04.csv'])
})

test('an export that fails says so', async () => {
  const { person } = open({ 'GET /audit/export': () => refuse(500, 'internal') })
  await person.click(await screen.findByRole('button', { name: 'Export CSV' }))
  expect(await screen.findByText('Failed to export the audit log.')).toBeTruthy()
})

test.each([
  ['/settings/audit', 'No data'],
  ['/settings/audit?action=job.delete', 'No data found'],
  ['/settings/audit?search=x', 'No data found'],
])('an empty log at %s says: %s', async (path, words) => {
  open({ 'GET /audit': () => pageOf([]) }, path)
  expect(await screen.findByText(words)).toBeTruthy()
})

test('a log that could not be loaded can be loaded again', async () => {
  let isUp = false
  const { person } = open({ 'GET /audit': () => (isUp ? pageOf([deleted]) : refuse(500, 'internal')) })
  await screen.findByText('Loading failed.')
  isUp = true
  await person.click(screen.getByRole('button', { name: 'Try again' }))
  expect(await rowOf(/Job deleted/)).toBeTruthy()
})

test('a Member is led to the dashboard', async () => {
  const { router, requests } = renderApp({ path: '/settings/audit', user: member })
  await waitFor(() => expect(router.state.location.pathname).toBe('/dashboard'))
  expect(requests.some(({ name }) => name === 'GET /audit')).toBe(false)
})
