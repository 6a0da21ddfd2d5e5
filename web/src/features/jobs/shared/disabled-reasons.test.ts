import { jobStatuses } from '@sendroom/contract/job-life'
import { expect, test } from 'vitest'
import { jobDisabledReasons } from './disabled-reasons.ts'

const availableActions = (isAllowed: boolean, isPaused = false, areRecipientsDeleted = false) =>
  Object.fromEntries(
    jobStatuses.map((status) => {
      const disabledReasons = Object.entries(
        jobDisabledReasons({ status, isPaused, hasRemaining: true, areRecipientsDeleted }, isAllowed),
      )
      return [
        status,
        disabledReasons.flatMap(([action, disabledReason]) => (disabledReason === undefined ? [action] : [])),
      ]
    }),
  )

const ended = ['restart', 'retry', 'remove']

//
test('an ended job can be restarted or retried, an unfinished one cancelled or paused, and any job deleted', () => {
  const unfinished = ['cancel', 'pause', 'remove']
  expect(availableActions(true)).toEqual({
    Pending: unfinished,
    Running: unfinished,
    Completed: ended,
    Failed: ended,
    Cancelled: ended,
  })
})

//
test('a job whose recipients were deleted can only be deleted', () => {
  const { Completed, Failed, Cancelled } = availableActions(true, false, true)
  expect({ Completed, Failed, Cancelled }).toEqual({
    Completed: ['remove'],
    Failed: ['remove'],
    Cancelled: ['remove'],
  })
})

test('a paused job can be resumed but not paused again', () => {
  const unfinished = ['cancel', 'resume', 'remove']
  expect(availableActions(true, true)).toEqual({
    Pending: unfinished,
    Running: unfinished,
    Completed: ended,
    Failed: ended,
    Cancelled: ended,
  })
})

test('without the right to create jobs every action is unavailable', () => {
  expect(Object.values(availableActions(false)).flat()).toEqual([])
})
