import type { CalendarDay, CalendarEntry } from '@sendroom/contract/calendar'
import { fireEvent, screen, waitFor, within } from '@testing-library/react'
import { afterEach, expect, test } from 'vitest'
import { row as jobRow } from '../../../test/job.ts'
import { answers as ofJobForm } from '../../../test/job-form.tsx'
import { member, renderApp } from '../../../test/render.tsx'
import { run as seriesRun } from '../../../test/series.ts'
import { type Answers, refuse } from '../../../test/server.ts'
import './calendar-page.tsx'
import './move-entry-dialog.tsx'

const job: CalendarEntry = {
  ...{ kind: 'job', id: 12, seriesId: null, name: 'Spring offer', instance: { id: 7, name: 'Shop' } },
  ...{
    jobType: 'SendToGroups',
    state: 'Pending',
    isPaused: false,
    review: null,
    startsAt: '2099-11-10T02:00:00.000Z',
  },
  ...{ endsAt: '2099-11-10T04:40:00.000Z', recipientCount: 120, competes: true, isMovable: true, version: 3 },
}
const run: CalendarEntry = {
  ...job,
  ...{ kind: 'run', id: 70, seriesId: 4, name: 'Weekly offer', state: 'planned', version: null },
}
const ended: CalendarEntry = {
  ...job,
  id: 11,
  name: 'Old',
  state: 'Completed',
  competes: false,
  isMovable: false,
}

const DAY_MS = 86_400_000
const daysFrom = (query: Record<string, string>, entriesOf: (day: string) => CalendarEntry[]) => ({
  days: Array.from({ length: Number(query.days) }, (_, place): CalendarDay => {
    const day = new Date(Date.parse(query.from ?? '') + place * DAY_MS).toISOString().slice(0, 10)
    const entries = entriesOf(day)
    return { day, entries, count: entries.length, isMore: false }
  }),
})
const answers: Answers = {
  ...ofJobForm,
  'GET /calendar': ({ query }) => daysFrom(query, (day) => (day === '2099-11-10' ? [job, run, ended] : [])),
  'PUT /jobs/:id': () => jobRow,
  'POST /series/:id/runs/:runId/move': () => seriesRun,
}
const open = (path = '/calendar?month=2099-11', more: Answers = {}, user = member) =>
  renderApp({ path, user, answers: { ...answers, ...more } })
/** The cell of a day in the month. */
const cell = async (day: string) => {
  const name = await screen.findByText(day)
  return name.closest('td') as HTMLElement // days are in cells
}

const isWide = window.matchMedia
afterEach(() => {
  window.matchMedia = isWide
})

// R-1505
test('a month has its jobs and runs, with state and competition in words, and its time in the address', async () => {
  const { person, router, requests } = open()
  const tuesday = within(await cell('Tuesday, November 10, 2099'))
  expect(
    tuesday.getByRole('link', { name: /Pending.*Competes for the account.*09:00 Spring offer/ }),
  ).toBeTruthy()
  expect(tuesday.getByRole('link', { name: /Planned.*Weekly offer/ }).getAttribute('href')).toBe('/series/4')
  expect(tuesday.getByRole('link', { name: /Completed.*Old/ }).getAttribute('href')).toBe('/jobs/11')
  expect(tuesday.queryByRole('button', { name: 'Move Old' })).toBeNull()
  await person.click(screen.getByRole('button', { name: 'Next month' }))
  await cell('Tuesday, December 1, 2099')
  expect(router.state.location.search).toEqual({ month: '2099-12' })
  await person.click(screen.getByRole('radio', { name: 'Agenda' }))
  expect(router.state.location.search).toEqual({ month: '2099-12', view: 'agenda' })
  const asked = requests
    .filter(({ name }) => name === 'GET /calendar')
    .map(({ query }) => [query.from, query.days])
  expect(asked.slice(0, 3)).toEqual([
    ['2099-10-26', '42'],
    ['2099-11-30', '35'],
    ['2099-12-01', '31'],
  ])
})

// R-1506
test('a job in review says so, and cannot be moved', async () => {
  const inReview: CalendarEntry = { ...job, review: 'in_review', isMovable: false }
  open('/calendar?month=2099-11', {
    'GET /calendar': ({ query }) => daysFrom(query, (day) => (day === '2099-11-10' ? [inReview] : [])),
  })
  const tuesday = within(await cell('Tuesday, November 10, 2099'))
  expect(tuesday.getByRole('link', { name: /Pending.*In review.*Spring offer/ })).toBeTruthy()
  expect(tuesday.queryByRole('button', { name: /^Move/ })).toBeNull()
})

// R-1506
test('a phone gets the agenda, with account, recipients and end', async () => {
  window.matchMedia = (query) => ({ ...isWide(query), matches: query === '(max-width: 48em)' })
  open()
  const day = within(await screen.findByRole('region', { name: 'Tuesday, November 10, 2099' }))
  expect(day.getAllByText(/Shop/)[0]?.closest('li')?.textContent).toContain(
    '120 recipients · until about 11:40',
  )
  expect(screen.queryByRole('table')).toBeNull()
})

// R-1507
test('a waiting job is dragged to another day and keeps its time', async () => {
  const { requests } = open()
  const entry = within(await cell('Tuesday, November 10, 2099'))
    .getByText('Spring offer')
    .closest('li')
  fireEvent.dragStart(entry as HTMLElement, { dataTransfer: {} })
  fireEvent.drop(await cell('Friday, November 13, 2099'))
  await screen.findByText('Moved.')
  expect(requests.find(({ name }) => name === 'PUT /jobs/:id')?.body).toEqual({
    version: 3,
    scheduledAt: '2099-11-13T02:00:00.000Z',
  })
})

// R-1507
test('nothing is dragged into the past', async () => {
  const { requests } = open('/calendar?month=2020-11', {
    'GET /calendar': ({ query }) => daysFrom(query, (day) => (day === '2020-11-10' ? [job] : [])),
  })
  const entry = within(await cell('Tuesday, November 10, 2020'))
    .getByText('Spring offer')
    .closest('li')
  fireEvent.dragStart(entry as HTMLElement, { dataTransfer: {} })
  fireEvent.drop(await cell('Friday, November 13, 2020'))
  expect(await screen.findByText('This time has passed. Choose a later one.')).toBeTruthy()
  expect(requests.some(({ name }) => name === 'PUT /jobs/:id')).toBe(false)
})

// R-1508
test('a single run is moved with the keyboard', async () => {
  const { person, requests } = open()
  const button = within(await cell('Tuesday, November 10, 2099')).getByRole('button', {
    name: 'Move Weekly offer',
  })
  button.focus()
  await person.keyboard('{Enter}')
  const dialog = within(await screen.findByRole('dialog'))
  const time = dialog.getByLabelText(/^New time/)
  fireEvent.change(time, { target: { value: '2020-01-01T09:00' } })
  await person.click(dialog.getByRole('button', { name: 'Move' }))
  expect(dialog.getByText('This time has passed. Choose a later one.')).toBeTruthy()
  fireEvent.change(time, { target: { value: '2099-11-12T10:30' } })
  await person.click(dialog.getByRole('button', { name: 'Move' }))
  await screen.findByText('Moved.')
  const sent = requests.find(({ name }) => name === 'POST /series/:id/runs/:runId/move')
  expect(sent).toMatchObject({
    params: { id: '4', runId: '70' },
    body: { dueAt: '2099-11-12T03:30:00.000Z' },
  })
})

// R-1509
test('a job that somebody else has changed is not moved, and the calendar is read again', async () => {
  const { person, requests } = open(undefined, {
    'PUT /jobs/:id': () => refuse(409, 'stale_version'),
  })
  const tuesday = within(await cell('Tuesday, November 10, 2099'))
  await person.click(tuesday.getByRole('button', { name: 'Move Spring offer' }))
  const read = () => requests.filter(({ name }) => name === 'GET /calendar').length
  const before = read()
  await person.click(within(await screen.findByRole('dialog')).getByRole('button', { name: 'Move' }))
  expect(await screen.findByText(/Somebody else has changed this job meanwhile/)).toBeTruthy()
  expect(read()).toBeGreaterThan(before)
})

// R-1510
test('each day ahead leads to the form for a new job on it', async () => {
  open('/calendar?month=2099-11&instance=7')
  const link = within(await cell('Friday, November 13, 2099')).getByRole('link', { name: /New job on/ })
  expect(decodeURIComponent(link.getAttribute('href') ?? '')).toBe(
    '/jobs/new?start=2099-11-13T09:00&instance=7',
  )
})

// R-1511
test('a full day leads to its agenda, and a reader changes nothing', async () => {
  const full = ({ query }: { query: Record<string, string> }) => ({
    days: daysFrom(query, (day) =>
      day === '2099-11-10' ? Array.from({ length: 20 }, (_, id) => ({ ...job, id: id + 1 })) : [],
    ).days.map((day) => (day.entries.length > 0 ? { ...day, count: 200, isMore: true } : day)),
  })
  const { person } = open(undefined, { 'GET /calendar': full }, { ...member, canCreateJobs: false })
  const tuesday = within(await cell('Tuesday, November 10, 2099'))
  expect(tuesday.queryByRole('button')).toBeNull()
  expect(screen.queryByRole('link', { name: /New job on/ })).toBeNull()
  await person.click(tuesday.getByRole('link', { name: 'Show all: more than 200' }))
  const day = within(await screen.findByRole('region', { name: 'Tuesday, November 10, 2099' }))
  expect(day.getAllByRole('listitem')).toHaveLength(20)
  expect(day.getByText(/Only the first 20 of more than 200/)).toBeTruthy()
})

test('what cannot be loaded is tried again', async () => {
  const { person } = open(undefined, { 'GET /calendar': () => refuse(500, 'internal') })
  await person.click(await screen.findByRole('button', { name: 'Try again' }))
  expect(await screen.findByRole('button', { name: 'Try again' })).toBeTruthy()
})

const day = async (number: number, month = 'November') => {
  const name = await screen.findByText(new RegExp(`, ${month} ${number}, 2099`))
  return name.closest('td') as HTMLElement // days are in cells
}
const hasFocus = async (cell: Promise<HTMLElement>) => {
  const element = await cell
  await waitFor(() => expect(document.activeElement).toBe(element))
}

// R-1516
test('arrows, Home and End lead from day to day, and the Tab key stops at one day and what is in it', async () => {
  const { person } = open()
  await day(1)
  const stops = () => [...document.querySelectorAll('td')].filter(({ tabIndex }) => tabIndex === 0)
  expect(stops()).toEqual([await day(1)])
  ;(await day(1)).focus()
  await person.keyboard('{ArrowDown}{ArrowRight}')
  await hasFocus(day(9))
  await person.keyboard('{End}')
  await hasFocus(day(15))
  await person.keyboard('{Home}{ArrowRight}')
  await hasFocus(day(10))
  expect(stops()).toEqual([await day(10)])
  await person.keyboard('{Enter}{Tab}')
  expect(document.activeElement?.textContent).toContain('Spring offer')
  await person.keyboard('{Escape}')
  await hasFocus(day(10))
  await person.keyboard('{ArrowUp}{ArrowLeft}')
  await hasFocus(day(2))
  const other = within(await day(10)).getByRole('button', { name: 'Move Weekly offer' })
  expect(other.tabIndex).toBe(-1)
})

// R-1516
test('Page Up and Page Down, and arrows over the edge, lead to other months with the focus', async () => {
  const { person, router } = open('/calendar?month=2099-10')
  ;(await day(1, 'October')).focus()
  await person.keyboard('{End}{ArrowDown}{ArrowDown}{ArrowDown}{ArrowDown}{ArrowLeft}')
  await hasFocus(day(31, 'October'))
  await person.keyboard('{PageDown}')
  await hasFocus(day(30))
  expect(router.state.location.search).toEqual({ month: '2099-11' })
  await person.keyboard('{PageUp}{ArrowUp}')
  await hasFocus(day(23, 'October'))
  await person.keyboard('{ArrowUp}{ArrowUp}{ArrowUp}{ArrowUp}')
  await hasFocus(day(25, 'September'))
  expect(router.state.location.search).toEqual({ month: '2099-09' })
})
