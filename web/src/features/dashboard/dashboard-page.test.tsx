import type { DashboardStats } from '@sendroom/contract/dashboard'
import { screen, waitFor, within } from '@testing-library/react'
import { expect, test, vi } from 'vitest'
import { stats } from '../../../test/dashboard.ts'
import { renderApp } from '../../../test/render.tsx'
import { type Answers, refuse } from '../../../test/server.ts'
import { currentToasts } from '../../ui/toasts.ts'
import { successRate } from './dashboard-page.tsx'

const open = (answer: NonNullable<Answers['GET /groups/stats']>, language = 'en') =>
  renderApp({ path: '/dashboard', language, answers: { 'GET /groups/stats': answer } })
/** The number beside or below this label. */
const numberBeside = (label: string) => screen.getByText(label).parentElement?.textContent?.replace(label, '')

//
test('the dashboard has a title and four numbers', async () => {
  const { requests } = open(() => stats)
  expect(await screen.findByRole('heading', { level: 1, name: 'Dashboard' })).toBeTruthy()
  await screen.findByText('1,234')
  expect(numberBeside('Total groups')).toBe('1,234')
  expect(numberBeside('Total messages')).toBe('5')
  expect(numberBeside('Total jobs')).toBe('9')
  expect(numberBeside('Pending jobs')).toBe('2')
  //
  const hrefOf = (label: string) => screen.getByText(label).closest('a')?.getAttribute('href')
  expect(['Total jobs', 'Pending jobs'].map(hrefOf)).toEqual(['/jobs', '/jobs?only=pending'])
  expect(requests.filter(({ name }) => name === 'GET /groups/stats')).toHaveLength(1)
})

//
test('the title is in the chosen language', async () => {
  open(() => stats, 'vi')
  expect(await screen.findByRole('heading', { level: 1, name: 'Tổng quan' })).toBeTruthy()
})

//
test('a loading indicator of 400 px is shown while the numbers load', async () => {
  let answer: (stats: DashboardStats) => void = () => {}
  open(
    () =>
      new Promise((resolve) => {
        answer = resolve
      }),
  )
  const indicator = await screen.findByText('Loading...')
  // The cards are rendered already, so that nothing jumps when the numbers arrive.
  expect(numberBeside('Total groups')).toBe('')
  expect(indicator.closest<HTMLElement>('[role=status]')?.style.height).toContain(`${400 / 16}rem`)
  await waitFor(() => answer(stats))
  await waitFor(() => expect(screen.queryByText('Loading...')).toBeNull())
  expect(await screen.findByText('1,234')).toBeTruthy()
})

//
test('a failed load is logged and can be repeated, without a toast', async () => {
  const logged = vi.spyOn(console, 'warn').mockReturnValue()
  let isUp = false
  const { person } = open(() => (isUp ? stats : refuse(500, 'internal')))
  expect(await screen.findByText('Loading failed.')).toBeTruthy()
  expect(screen.queryByText('Loading...')).toBeNull()
  expect(currentToasts()).toEqual([])
  expect(logged).toHaveBeenCalledWith(expect.objectContaining({ status: 500 }))
  isUp = true
  await person.click(screen.getByRole('button', { name: 'Try again' }))
  expect(await screen.findByText('1,234')).toBeTruthy()
})

//
test('the top groups are listed with their numbers', async () => {
  open(() => stats)
  const panel = within((await screen.findByText('Top active groups')).closest('section') as HTMLElement)
  const [first, second] = panel.getAllByRole('listitem').map((item) => item.textContent)
  expect(first).toMatch(/Family.*1,200 members.*8 messages sent/)
  expect(second).toMatch(/Work.*1 member\b.*1 message sent/)
  expect(panel.queryByText('No group found')).toBeNull()
})

//
test('without groups and jobs the panels say so', async () => {
  open(() => ({ ...stats, totalGroups: 0, totalJobs: 0, completedJobs: 0, failedJobs: 0, topGroups: [] }))
  expect(await screen.findByText('No group found')).toBeTruthy()
  expect(numberBeside('Success rate')).toBe('0%')
})

//
test('groups that have received nothing yet are not denied', async () => {
  open(() => ({ ...stats, topGroups: [] }))
  expect(await screen.findByText('No message has been sent to a group yet.')).toBeTruthy()
  expect(screen.queryByText('No group found')).toBeNull()
})

//
test('the dashboard shows the quick stats and the title of the chart', async () => {
  open(() => stats)
  expect(await screen.findByRole('heading', { name: 'Job status overview' })).toBeTruthy()
  const quickStats = await screen.findByRole('heading', { name: 'Quick stats' })
  const panel = quickStats.closest('section') as HTMLElement
  const facts = within(panel)
    .getAllByRole('term')
    .map((term) => [term.textContent, term.nextElementSibling?.textContent])
  expect(facts).toEqual([
    ['Unique users', '42'],
    ['Completed jobs', '4'],
    ['Total sent messages', '17'],
    ['Success rate', '67%'],
  ])
})

test.each([
  [0, 0, 0],
  [0, 3, 0],
  [3, 0, 100],
  [2, 1, 67],
  //
])('%i completed and %i failed jobs are a success rate of %i%%', (completedJobs, failedJobs, rate) => {
  expect(successRate({ completedJobs, failedJobs })).toBe(rate)
})
