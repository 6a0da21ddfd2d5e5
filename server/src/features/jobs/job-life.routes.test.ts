import { contract } from '@sendroom/contract'
import { expect, test } from 'vitest'
import { useContext } from '../../../test/context.ts'
import type { TestUser } from '../../../test/factories.ts'
import { sql } from '../../platform/database/sql.ts'

// Tests how the API pauses, resumes and retries jobs. The engine's own tests cover what these do to deliveries.

const context = useContext()
const { jobs } = contract

const of = (id: number) => ({ params: { id } })
const pause = (user: TestUser, id: number) => context.call(user, jobs.pause, of(id))
const resume = (user: TestUser, id: number) => context.call(user, jobs.resume, of(id))
const retry = (user: TestUser, id: number, body = {}) =>
  context.call(user, jobs.retryFailed, { ...of(id), body })
const get = async (user: TestUser, id: number) => (await context.call(user, jobs.get, of(id))).body

const refused = (code: string) => ({ status: 409, body: { code } })

async function fixture() {
  const instance = await context.add.instance()
  return {
    instanceId: instance.id,
    member: await context.add.user({ instances: [instance] }),
    stranger: await context.add.user(),
    reader: await context.add.user({ instances: [instance], canCreateJobs: false }),
  }
}

//
test('a job is paused and resumed, and its log names the users', async () => {
  const { instanceId, member } = await fixture()
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
test('an ended or paused job is not paused, and only a paused job is resumed', async () => {
  const { instanceId, member } = await fixture()
  const job = await context.add.job({ instanceId, status: 'Running' })
  const ended = await context.add.job({ instanceId, status: 'Completed' })

  expect(await resume(member, job.id)).toMatchObject(refused('job_not_resumable'))
  await pause(member, job.id)
  expect(await pause(member, job.id)).toMatchObject(refused('job_not_pausable'))
  expect(await pause(member, ended.id)).toMatchObject(refused('job_not_pausable'))
  expect(await resume(member, ended.id)).toMatchObject(refused('job_not_resumable'))
})

//
test('a retry sends to the remaining recipients, except those with an unknown outcome', async () => {
  const { instanceId, member } = await fixture()
  const { id } = await context.add.job({
    instanceId,
    status: 'Completed',
    recipients: ['1@g.us', '2@g.us', '3@g.us', '4@g.us'],
  })
  await context.db.run(sql`
    update deliveries d set status = (array['sent', 'failed', 'failed', 'skipped'])[n],
      reason = case n when 2 then '{"code": "not_allowed", "params": {}}'::jsonb
        when 3 then '{"code": "outcome_unknown", "params": {}}'::jsonb end
    from (select id, row_number() over (order by id) as n from deliveries) o where o.id = d.id`)
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
  const { instanceId, member } = await fixture()
  const { id } = await context.add.job({ instanceId, status: 'Failed', deliveryStatus: 'failed' })
  await context.db.run(sql`update deliveries set reason = '{"code": "outcome_unknown", "params": {}}'`)

  expect(await retry(member, id)).toMatchObject(refused('job_nothing_to_retry'))
  expect(await retry(member, id, { includeUnknown: 'yes' })).toMatchObject({
    status: 400,
    body: { code: 'invalid_input' },
  })
  expect((await retry(member, id, { includeUnknown: true })).status).toBe(200)
})

test('a job that has not ended or not settled is not retried', async () => {
  const { instanceId, member } = await fixture()
  const running = await context.add.job({ instanceId, status: 'Running' })
  const settling = await context.add.job({ instanceId, status: 'Cancelled', settling: true })

  expect(await retry(member, running.id)).toMatchObject(refused('job_not_retryable'))
  expect(await retry(member, settling.id)).toMatchObject(refused('job_settling'))
})

test.each([
  ['pause', {}],
  ['resume', { pausedAt: '2026-01-01T00:00:00Z' }],
  ['retryFailed', { status: 'Failed', deliveryStatus: 'failed' }],
] as const)('%s needs the right to create jobs, and a job that the caller sees', async (name, state) => {
  const { instanceId, stranger, reader } = await fixture()
  const { id } = await context.add.job({ instanceId, ...state })
  const call = (user: TestUser) => ({ pause, resume, retryFailed: retry })[name](user, id)

  expect(await call(stranger)).toMatchObject({ status: 404, body: { code: 'not_found' } })
  expect(await call(reader)).toMatchObject({ status: 403, body: { code: 'forbidden' } })
  expect(await context.db.many(sql`select from job_logs`)).toHaveLength(0)
})
