import { contract } from '@sendroom/contract'
import type { JobStatus } from '@sendroom/contract/job-life'
import { expect, test } from 'vitest'
import { useSharedContext } from '../../../test/context.ts'
import type { TestUser } from '../../../test/factories.ts'
import { sql } from '../../platform/database/sql.ts'

// Tests how the API pauses, resumes and retries jobs. The engine's own tests cover what these do to deliveries.

const context = useSharedContext()
const { jobs } = contract

const of = (id: number) => ({ params: { id } })
const pause = (user: TestUser, id: number) => context.call(user, jobs.pause, of(id))
const resume = (user: TestUser, id: number) => context.call(user, jobs.resume, of(id))
const retry = (user: TestUser, id: number, body = {}) =>
  context.call(user, jobs.retryFailed, { ...of(id), body })
const get = async (user: TestUser, id: number) => (await context.call(user, jobs.get, of(id))).body

const refused = (code: string) => ({ status: 409, body: { code } })

//
test('a job is paused and resumed, and its log names the users', async () => {
  const { instanceId, member } = await context.add.memberWithInstance()
  const { id } = await context.add.job({ instanceId })

  expect(await pause(member, id)).toMatchObject({ status: 200, body: { status: 'Pending', isPaused: true } })
  expect(await get(member, id)).toMatchObject({
    isPaused: true,
    waiting: { code: 'paused' },
    logs: [{ message: `Paused by ${member.username}.`, logLevel: 'Info' }],
  })
  expect(await resume(member, id)).toMatchObject({ status: 200, body: { isPaused: false } })
  expect((await get(member, id)).logs[0]?.message).toBe(`Resumed by ${member.username}.`)
})

//
test('a retry sends to the remaining recipients, except those with an unknown outcome', async () => {
  const { instanceId, member } = await context.add.memberWithInstance()
  const { id } = await context.add.job({
    instanceId,
    status: 'Completed',
    recipients: ['1@g.us', '2@g.us', '3@g.us', '4@g.us'],
  })
  await context.db.run(sql`
    update deliveries d set status = (array['sent', 'failed', 'failed', 'skipped'])[n],
      reason = case n when 2 then '{"code": "not_allowed", "params": {}}'::jsonb
        when 3 then '{"code": "outcome_unknown", "params": {}}'::jsonb end
    from (select id, row_number() over (order by id) as n from deliveries where job_id = ${id}) o where o.id = d.id`)
  expect((await get(member, id)).recipients).toMatchObject({ sent: 1, failed: 2, skipped: 1, unknown: 1 })

  expect(await retry(member, id)).toMatchObject({
    status: 200,
    body: { status: 'Pending', completedAt: null },
  })

  expect(await get(member, id)).toMatchObject({
    progress: 25,
    recipients: { total: 4, waiting: 2, sent: 1, failed: 1, skipped: 0, unknown: 1 },
    logs: [{ message: `${member.username} started sending to remaining. Recipients: 2.` }],
  })
})

//
test('a retry includes unknown outcomes only on request', async () => {
  const { instanceId, member } = await context.add.memberWithInstance()
  const { id } = await context.add.job({ instanceId, status: 'Failed', deliveryStatus: 'failed' })
  await context.db.run(sql`
    update deliveries set reason = '{"code": "outcome_unknown", "params": {}}' where job_id = ${id}`)

  expect(await retry(member, id)).toMatchObject(refused('job_nothing_to_retry'))
  expect(await retry(member, id, { includeUnknown: 'yes' })).toMatchObject({
    status: 400,
    body: { code: 'invalid_input' },
  })
  expect((await retry(member, id, { includeUnknown: true })).status).toBe(200)
})

const whileRunning = { Pending: true, Running: true, Completed: false, Failed: false, Cancelled: false }
const afterwards = { Pending: false, Running: false, Completed: true, Failed: true, Cancelled: true }
const never = { Pending: false, Running: false, Completed: false, Failed: false, Cancelled: false }

test.each([
  //
  [
    'restart',
    {},
    afterwards,
    'job_not_restartable',
    { status: 'Pending', startedAt: null, completedAt: null },
  ],
  //
  [
    'cancel',
    {},
    whileRunning,
    'job_not_cancellable',
    { status: 'Cancelled', completedAt: expect.any(String) },
  ],
  //
  ['pause', {}, whileRunning, 'job_not_pausable', { isPaused: true }],
  //
  ['pause', { pausedAt: '2026-01-01T00:00:00Z' }, never, 'job_not_pausable', {}],
  //
  ['resume', { pausedAt: '2026-01-01T00:00:00Z' }, whileRunning, 'job_not_resumable', { isPaused: false }],
  //
  ['resume', {}, never, 'job_not_resumable', {}],
  //
  ['retryFailed', { deliveryStatus: 'failed' }, afterwards, 'job_not_retryable', { status: 'Pending' }],
] as const)(
  '%s of a job with %o is possible in these states: %o',
  async (name, columns, states, code, body) => {
    const admin = await context.add.admin()
    for (const [status, isPossible] of Object.entries(states)) {
      const { id } = await context.add.job({ ...columns, status: status as JobStatus })
      const answer = await context.call(admin, jobs[name], { ...of(id), body: {} } as never)
      expect(answer).toMatchObject(isPossible ? { status: 200, body } : refused(code))
    }
  },
)
