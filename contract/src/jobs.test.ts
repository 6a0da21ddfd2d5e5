import { expect, test } from 'vitest'
import { NewJob } from './jobs.ts'
import { limits } from './limits.ts'

const issuesOf = (groupIds: unknown) =>
  NewJob.safeParse({ messageId: 1, instanceId: 1, groupIds }).error?.issues.map(({ path, message }) => ({
    path: path.join('.'),
    message,
  })) ?? []

test('at most 20 wrong ids of a list are named', () => {
  const wrong = Array.from({ length: limits.recipients }, (_, n) => (n % 2 === 0 ? n + 1 : 'x'))
  const named = issuesOf(wrong).map(({ path }) => path)
  expect(named).toHaveLength(20)
  expect(named.slice(0, 2)).toEqual(['groupIds.1', 'groupIds.3'])
})

test.each([[0], [-1], [1.5], ['x'], [null], [{}]])('%j is no id', (item) => {
  expect(issuesOf([1, item, '2'])).toMatchObject([{ path: 'groupIds.1' }])
  expect(issuesOf(Array.from({ length: 30 }, () => item))).toHaveLength(20)
})

//
test('a list of ids is refused as a whole if it is too long or no list', () => {
  expect(issuesOf(Array.from({ length: limits.recipients }, (_, n) => n + 1))).toEqual([])
  expect(issuesOf(Array.from({ length: limits.recipients + 1 }, (_, n) => n + 1))).toEqual([
    { path: 'groupIds', message: 'JOB.RECIPIENTS_TOO_MANY' },
  ])
  expect(issuesOf('1')).toMatchObject([{ path: 'groupIds' }])
})
