import { jobStatuses } from '@sendroom/contract/job-life'
import { expect, test } from 'vitest'
import { jobBarriers } from './job-barriers.ts'

const can = (isAllowed: boolean, isPaused = false) =>
  Object.fromEntries(
    jobStatuses.map((status) => {
      const barriers = Object.entries(jobBarriers({ status, isPaused }, isAllowed))
      return [status, barriers.flatMap(([action, barrier]) => (barrier === undefined ? [action] : []))]
    }),
  )

const ended = ['restart', 'retry', 'remove']

//
test('a job that has ended can go on or start over, one that has not can be stopped, any can be deleted', () => {
  const live = ['cancel', 'pause', 'remove']
  expect(can(true)).toEqual({
    Pending: live,
    Running: live,
    Completed: ended,
    Failed: ended,
    Cancelled: ended,
  })
})

test('a paused job can be resumed, and is not paused again', () => {
  const live = ['cancel', 'resume', 'remove']
  expect(can(true, true)).toEqual({
    Pending: live,
    Running: live,
    Completed: ended,
    Failed: ended,
    Cancelled: ended,
  })
})

test('who may not create jobs can do nothing with them', () => {
  expect(Object.values(can(false)).flat()).toEqual([])
})
