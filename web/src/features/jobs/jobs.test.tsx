import { act, screen, waitFor, within } from '@testing-library/react'
import { afterEach, expect, test, vi } from 'vitest'
import { done, job, log, row } from '../../../test/job.ts'
import { member, renderApp } from '../../../test/render.tsx'
import { pageOf, refuse } from '../../../test/server.ts'
import { currentToasts, removeToast } from '../../ui/toasts.ts'

afterEach(() => {
  vi.useRealTimers()
  for (const { id } of currentToasts()) removeToast(id)
})

const isDisabled = (name: string) => screen.getByRole<HTMLButtonElement>('button', { name }).disabled

test('a row of the list tells its job, and what can be done with it', async () => {
  renderApp({ path: '/jobs', answers: { 'GET /jobs': () => pageOf([row]) } })
  const cells = within(await screen.findByRole('row', { name: /Shop/ }))
  for (const text of ['Send to groups', `${'x'.repeat(50)}...`, 'Running', '1/2/26, 10:04 AM'])
    expect(cells.getByText(text)).toBeTruthy()
  expect(isDisabled('Restart')).toBe(true)
  expect(screen.getByRole('button', { name: 'Restart' }).title).toBe(
    'A job can be restarted only after it has ended.',
  )
  expect(isDisabled('Cancel job')).toBe(false)
})

test('a Member who may not create jobs can only look at them', async () => {
  const user = { ...member, canCreateJobs: false }
  renderApp({ path: '/jobs', user, answers: { 'GET /jobs': () => pageOf([row]) } })
  await screen.findByRole('row', { name: /Shop/ })
  for (const name of ['Restart', 'Cancel job', 'Delete', 'Add job']) expect(isDisabled(name)).toBe(true)
  expect(isDisabled('View details')).toBe(false)
})

test('the selected jobs are deleted once it is confirmed', async () => {
  const { person, seen } = renderApp({
    path: '/jobs',
    answers: {
      'GET /jobs': () => pageOf([row, { ...row, id: 4 }]),
      'POST /jobs/bulk-delete': () => undefined,
    },
  })
  await person.click(await screen.findByLabelText('Select all'))
  await person.click(screen.getByRole('button', { name: 'Delete selected (2)' }))
  const dialog = within(await screen.findByRole('dialog'))
  expect(dialog.getByText('Are you sure you want to delete 2 selected jobs?')).toBeTruthy()
  await person.click(dialog.getByRole('button', { name: 'Delete' }))
  expect(await screen.findByText('Jobs deleted successfully!')).toBeTruthy()
  expect(seen.find(({ name }) => name === 'POST /jobs/bulk-delete')?.body).toEqual({ jobIds: [3, 4] })
})

test('a job’s page tells how far it is, why it waits and who got it', async () => {
  renderApp({ path: '/jobs/3', answers: { 'GET /jobs/:id': () => job } })
  const bar = await screen.findByRole('progressbar', { name: 'Progress' })
  expect(bar.getAttribute('aria-valuenow')).toBe('33.33')
  for (const text of ['33.33%', 'Family', 'Work']) expect(screen.getAllByText(text).length).toBeGreaterThan(0)
  expect(screen.getByText(/The account pauses between two messages.*10:05:00 AM/)).toBeTruthy()
  const table = within(screen.getByRole('table', { name: 'Sent messages' }))
  const ofFamily = within(table.getByRole('row', { name: /Family/ }))
  expect(ofFamily.getByText('1/2/26, 10:04:06 AM')).toBeTruthy()
  expect(table.getByText('This chat does not exist, or the account has left it.')).toBeTruthy()
  const logs = within(screen.getByRole('table', { name: 'Logs' }))
  expect(logs.getByText('Cancelled by minh: 2 recipients skipped.')).toBeTruthy()
  expect(logs.getByText('Warning')).toBeTruthy()
})

test('the next message and the end of a job come nearer by the second', async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true, now: new Date('2026-01-02T03:03:30.000Z') })
  renderApp({
    path: '/jobs/3',
    answers: { 'GET /jobs/:id': () => ({ ...job, endsAt: '2026-01-02T05:05:00.000Z' }) },
  })
  expect(await screen.findByText('1 min 30 sec')).toBeTruthy()
  expect(screen.getByText('about 2 hr 1 min')).toBeTruthy()
  expect(screen.getByText('1/2/26, 12:05 PM')).toBeTruthy()

  await act(() => vi.advanceTimersByTimeAsync(60_000))
  expect(screen.getByText('30 sec')).toBeTruthy()
  await act(() => vi.advanceTimersByTimeAsync(60_000))
  expect(screen.getByText('Any moment')).toBeTruthy()
})

test('a job’s page follows the job until it ends, and then rests', async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true })
  let reads = 0
  renderApp({
    path: '/jobs/3',
    answers: {
      'GET /jobs/:id': () => {
        reads += 1
        return reads < 3 ? job : done
      },
    },
  })
  await screen.findByText('33.33%')
  await vi.advanceTimersByTimeAsync(2000)
  expect(reads).toBe(2)
  await vi.advanceTimersByTimeAsync(2000)
  expect(await screen.findByText('66.67%')).toBeTruthy()
  expect(isDisabled('Restart')).toBe(false)
  await vi.advanceTimersByTimeAsync(30_000)
  expect(reads).toBe(3)
})

test.each(['/jobs/0', '/jobs/12'])('%s leads back to the list', async (path) => {
  const { router } = renderApp({ path, answers: { 'GET /jobs': () => pageOf([]) } })
  expect(await screen.findByText('Failed to load job details.')).toBeTruthy()
  await waitFor(() => expect(router.state.location.pathname).toBe('/jobs'))
})

test('a deleted job’s page gives way to the list, without a word of failure', async () => {
  let isThere = true
  const { person, router } = renderApp({
    path: '/jobs/3',
    answers: {
      'GET /jobs/:id': () => (isThere ? job : refuse(404, 'not_found')),
      'DELETE /jobs/:id': () => {
        isThere = false
        return undefined
      },
      'GET /jobs': () => pageOf([]),
    },
  })
  await person.click(await screen.findByRole('button', { name: 'Delete' }))
  const dialog = within(await screen.findByRole('dialog'))
  await person.click(dialog.getByRole('button', { name: 'Delete' }))
  expect(await screen.findByText('Job deleted successfully!')).toBeTruthy()
  await waitFor(() => expect(router.state.location.pathname).toBe('/jobs'))
  expect(screen.queryByText('Failed to load job details.')).toBeNull()
})

test('many rows are paged through on demand', async () => {
  const many = Array.from({ length: 200 }, (_, i) => ({ ...log, id: 500 - i }))
  const { person, seen } = renderApp({
    path: '/jobs/3',
    answers: {
      'GET /jobs/:id': () => ({ ...done, logs: many }),
      'GET /jobs/:id/logs': () => pageOf(many.slice(0, 100), 500, { page: 1, pageSize: 100 }),
    },
  })
  await person.click(await screen.findByRole('button', { name: 'Page through all' }))
  expect(await screen.findByText('Showing 1 to 100 of 500 entries')).toBeTruthy()
  expect(seen.at(-1)?.query).toEqual({ page: '1', pageSize: '100' })
})
