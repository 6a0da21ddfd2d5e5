import { expect, test } from 'vitest'
import { successRate } from './success-rate.ts'

test.each([
  [0, 0, 0],
  [0, 3, 0],
  [3, 0, 100],
  [2, 1, 67],
  //
])('%i completed and %i failed jobs make %i%%', (completedJobs, failedJobs, rate) => {
  expect(successRate({ completedJobs, failedJobs })).toBe(rate)
})
