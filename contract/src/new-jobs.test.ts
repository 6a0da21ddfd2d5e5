import { expect, test } from 'vitest'
import { AuditListQuery } from './audit.ts'
import { NewInstance } from './instances.ts'
import { limits } from './limits.ts'
import { NewJob } from './new-jobs.ts'

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

//
test('the instants of all forms and filters are bounded in length', () => {
  const wrong = `2026-01-01T00:00:00.${'9'.repeat(200)}Z`
  const fields = [NewJob.shape.scheduledAt, NewInstance.shape.expiredTime, AuditListQuery.shape.from]
  const messages = fields.map((field) => field.safeParse(wrong).error?.issues[0]?.message)
  expect(messages.slice(0, 2)).toEqual(['JOB.SCHEDULED_AT_INVALID', 'ACCOUNT_FORM.EXPIRY_INVALID'])
  expect(messages[2]).toBeDefined()
})
