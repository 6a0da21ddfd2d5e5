import type { DashboardStats } from '@sendroom/contract/dashboard'
import { screen, waitFor, within } from '@testing-library/react'
import { afterEach, expect, test, vi } from 'vitest'
import { renderApp } from '../../../test/render.tsx'
import { type Answers, refuse } from '../../../test/server.ts'
import { currentToasts, removeToast } from '../../ui/toasts.ts'
import './dashboard-page.tsx'

const stats: DashboardStats = {
  totalGroups: 1234,
  totalMessages: 5,
  totalJobs: 9,
  pendingJobs: 2,
  runningJobs: 1,
  completedJobs: 4,
  failedJobs: 2,
  totalUniqueUsers: 42,
  totalSentMessages: 17,
  topGroups: [
    { groupName: 'Family', participantCount: 1200, messagesSent: 8 },
    { groupName: 'Work', participantCount: 1, messagesSent: 1 },
  ],
}

afterEach(() => {
  for (const { id } of currentToasts()) removeToast(id)
})

const open = (answer: NonNullable<Answers['GET /groups/stats']>, language = 'en') =>
  renderApp({ path: '/dashboard', language, answers: { 'GET /groups/stats': answer } })
/** What stands beside or below these words. */
const numberBeside = (words: string) => screen.getByText(words).parentElement?.textContent?.replace(words, '')

//
test('the dashboard has a title and four numbers', async () => {
  const { seen } = open(() => stats)
  expect(await screen.findByRole('heading', { level: 1, name: 'Dashboard' })).toBeTruthy()
  await screen.findByText('1,234')
  expect(numberBeside('Total groups')).toBe('1,234')
  expect(numberBeside('Total messages')).toBe('5')
  expect(numberBeside('Total jobs')).toBe('9')
  expect(numberBeside('Pending jobs')).toBe('2')
  expect(seen.filter(({ name }) => name === 'GET /groups/stats')).toHaveLength(1)
})

//
test('its title is of the language', async () => {
  open(() => stats, 'vi')
  expect(await screen.findByRole('heading', { level: 1, name: 'Tổng quan' })).toBeTruthy()
})

//
test('while the numbers load, and only then, an indicator of 400 px is there', async () => {
  let answer: (stats: DashboardStats) => void = () => {}
  open(
    () =>
      new Promise((resolve) => {
        answer = resolve
      }),
  )
  const indicator = await screen.findByText('Loading...')
  // Their places stand already, so that nothing jumps when they come.
  expect(numberBeside('Total groups')).toBe('')
  expect(indicator.closest<HTMLElement>('[role=status]')?.style.height).toContain(`${400 / 16}rem`)
  await waitFor(() => answer(stats))
  await waitFor(() => expect(screen.queryByText('Loading...')).toBeNull())
  expect(await screen.findByText('1,234')).toBeTruthy()
})

//
test('when the numbers can’t be loaded there is no toast, it is logged, and one can try again', async () => {
  const logged = vi.spyOn(console, 'warn').mockReturnValue()
  let isUp = false
  const { person } = open(() => (isUp ? stats : refuse(500, 'internal')))
  expect(await screen.findByText('This could not be loaded.')).toBeTruthy()
  expect(screen.queryByText('Loading...')).toBeNull()
  expect(currentToasts()).toEqual([])
  expect(logged).toHaveBeenCalledWith(expect.objectContaining({ status: 500 }))
  isUp = true
  await person.click(screen.getByRole('button', { name: 'Try again' }))
  expect(await screen.findByText('1,234')).toBeTruthy()
})

//
test('the top groups', async () => {
  open(() => stats)
  const panel = within((await screen.findByText('Top active groups')).closest('section') as HTMLElement)
  const [first, second] = panel.getAllByRole('listitem').map((item) => item.textContent)
  expect(first).toMatch(/Family.*1,200 participants.*8 messages sent/)
  expect(second).toMatch(/Work.*1 participant\b.*1 message sent/)
  expect(panel.queryByText('No group found')).toBeNull()
})

//
test('without groups and jobs it says so', async () => {
  open(() => ({ ...stats, totalJobs: 0, completedJobs: 0, failedJobs: 0, topGroups: [] }))
  expect(await screen.findByText('No group found')).toBeTruthy()
  expect(numberBeside('Success rate')).toBe('0%')
})

//
test('the quick stats and the title of the chart', async () => {
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
