import { contract } from '@sendroom/contract'
import { expect, test } from 'vitest'
import type { TestUser } from '../../../test/factories.ts'
import { useWorld } from '../../../test/world.ts'
import { sql } from '../../platform/database/sql.ts'

// Pausing, resuming and sending to the rest, as the API answers them; what the engine makes of it: its own tests.

const world = useWorld()
const { jobs } = contract

const of = (id: number) => ({ params: { id } })
const pause = (user: TestUser, id: number) => world.call(user, jobs.pause, of(id))
const resume = (user: TestUser, id: number) => world.call(user, jobs.resume, of(id))
const retry = (user: TestUser, id: number, body = {}) =>
  world.call(user, jobs.retryFailed, { ...of(id), body })
const get = async (user: TestUser, id: number) => (await world.call(user, jobs.get, of(id))).body

const refused = (code: string) => ({ status: 409, body: { code } })

async function desk() {
  const instance = await world.add.instance()
  return {
    instanceId: instance.id,
    member: await world.add.user({ instances: [instance] }),
    stranger: await world.add.user(),
    reader: await world.add.user({ instances: [instance], canCreateJobs: false }),
  }
}

//
test('a job is paused and resumed, and says by whom', async () => {
  const { instanceId, member } = await desk()
  const { id } = await world.add.job({ instanceId })

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
test('only what can be paused is paused, only what is paused is resumed', async () => {
  const { instanceId, member } = await desk()
  const job = await world.add.job({ instanceId, status: 'Running' })
  const ended = await world.add.job({ instanceId, status: 'Completed' })

  expect(await resume(member, job.id)).toMatchObject(refused('job_not_resumable'))
  await pause(member, job.id)
  expect(await pause(member, job.id)).toMatchObject(refused('job_not_pausable'))
  expect(await pause(member, ended.id)).toMatchObject(refused('job_not_pausable'))
  expect(await resume(member, ended.id)).toMatchObject(refused('job_not_resumable'))
})

//
test('the rest of an ended job is sent to; the counts tell who gets it again and who is unknown', async () => {
  const { instanceId, member } = await desk()
  const { id } = await world.add.job({
    instanceId,
    status: 'Completed',
    recipients: ['1@g.us', '2@g.us', '3@g.us', '4@g.us'],
  })
  await world.db.run(sql`
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
    logs: [{ message: `Sending to the rest, by ${member.username}. Recipients: 2.` }],
  })
})

//
test('unknown outcomes are sent to only when that is said', async () => {
  const { instanceId, member } = await desk()
  const { id } = await world.add.job({ instanceId, status: 'Failed', deliveryStatus: 'failed' })
  await world.db.run(sql`update deliveries set reason = '{"code": "outcome_unknown", "params": {}}'`)

  expect(await retry(member, id)).toMatchObject(refused('job_nothing_to_retry'))
  expect(await retry(member, id, { includeUnknown: 'yes' })).toMatchObject({
    status: 400,
    body: { code: 'invalid_input' },
  })
  expect((await retry(member, id, { includeUnknown: true })).status).toBe(200)
})

test('a job that has not ended or not settled is not sent to the rest', async () => {
  const { instanceId, member } = await desk()
  const running = await world.add.job({ instanceId, status: 'Running' })
  const settling = await world.add.job({ instanceId, status: 'Cancelled', settling: true })

  expect(await retry(member, running.id)).toMatchObject(refused('job_not_retryable'))
  expect(await retry(member, settling.id)).toMatchObject(refused('job_settling'))
})

test.each([
  ['pause', {}],
  ['resume', { pausedAt: '2026-01-01T00:00:00Z' }],
  ['retryFailed', { status: 'Failed', deliveryStatus: 'failed' }],
] as const)('%s is for those who may create jobs, on jobs they see', async (name, state) => {
  const { instanceId, stranger, reader } = await desk()
  const { id } = await world.add.job({ instanceId, ...state })
  const call = (user: TestUser) => ({ pause, resume, retryFailed: retry })[name](user, id)

  expect(await call(stranger)).toMatchObject({ status: 404, body: { code: 'not_found' } })
  expect(await call(reader)).toMatchObject({ status: 403, body: { code: 'forbidden' } })
  expect(await world.db.many(sql`select from job_logs`)).toHaveLength(0)
})
