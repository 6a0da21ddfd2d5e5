import { screen } from '@testing-library/react'
import { expect, test } from 'vitest'
import { renderApp } from '../../../test/render.tsx'

test('the dashboard shows its numbers; without groups and jobs it says so', async () => {
  renderApp({
    path: '/dashboard',
    answers: {
      'GET /groups/stats': () => ({
        totalGroups: 1234,
        totalMessages: 5,
        totalJobs: 0,
        pendingJobs: 0,
        runningJobs: 0,
        completedJobs: 0,
        failedJobs: 0,
        totalUniqueUsers: 42,
        totalSentMessages: 17,
        topGroups: [],
      }),
    },
  })
  expect(await screen.findByText('1,234')).toBeTruthy()
  expect(screen.getByText('No group found')).toBeTruthy()
  expect(screen.getByText('42')).toBeTruthy()
  expect(screen.getByText('0%')).toBeTruthy()
})
