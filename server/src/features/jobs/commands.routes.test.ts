import { contract } from '@sendroom/contract'
import { expect, test } from 'vitest'
import { useSharedContext } from '../../../test/context.ts'
import { countWaiting } from '../../../test/locks.ts'
import { until } from '../../../test/until.ts'
import { sql } from '../../platform/database/sql.ts'

const context = useSharedContext()

/** Runs `work` while somebody has locked the instance. */
const whileLocked = <T>(instanceId: number, work: () => Promise<T>) =>
  context.db.begin(async (tx) => {
    await tx.run(sql`select from instances where id = ${instanceId} for update`)
    return work()
  })

const isWaiting = (count: number) => async () => (await countWaiting(context.db)) === count

//
test('commands on one job hold one connection, whoever gives them, and a repeated one gets the first answer', async () => {
  const [ann, bob] = [await context.add.admin(), await context.add.admin()]
  const job = await context.add.job({ status: 'Running' })
  const cancel = (user: typeof ann) => context.call(user, contract.jobs.cancel, { params: { id: job.id } })

  const calls = await whileLocked(job.instanceId, async () => {
    const first = [cancel(ann), cancel(ann), cancel(ann)]
    await until('the command waits for the lock', isWaiting(1))
    const other = cancel(bob)
    const list = await context.call(bob, contract.jobs.list, { query: {} })
    expect(list.status).toBe(200)
    expect(await countWaiting(context.db)).toBe(1)
    return { first, other }
  })

  expect((await Promise.all(calls.first)).map(({ status }) => status)).toEqual([200, 200, 200])
  expect(await calls.other).toMatchObject({ status: 409, body: { code: 'job_not_cancellable' } })
  const { entries } = await context.db.one<{ entries: number }>(sql`
    select count(*) as entries from audit_log where action = 'job.cancel' and object_id = ${job.id}`)
  expect(entries).toBe(1)
})

//
test('of each user two commands run and one waits; the next is refused at once', async () => {
  const ann = await context.add.admin()
  const { id: instanceId } = await context.add.instance()
  const jobs: { id: number }[] = []
  for (let nth = 0; nth < 4; nth++) jobs.push(await context.add.job({ instanceId, status: 'Running' }))
  const cancel = (id = 0) => context.call(ann, contract.jobs.cancel, { params: { id } })

  const { accepted } = await whileLocked(instanceId, async () => {
    const accepted = jobs.slice(0, 2).map(({ id }) => cancel(id))
    await until('two commands wait for the lock', isWaiting(2))
    const [third, fourth] = jobs.slice(2).map(({ id }) => cancel(id))
    const refused = await Promise.race([third, fourth])
    expect(refused).toMatchObject({
      status: 409,
      body: { code: 'job_busy' },
      headers: { 'retry-after': '2' },
    })
    return { accepted: [...accepted, third, fourth] }
  })

  const statuses = (await Promise.all(accepted)).map((answer) => answer?.status)
  expect(statuses.toSorted()).toEqual([200, 200, 200, 409])
})

//
test('a command that waits too long for a locked instance says so and changes nothing', async () => {
  const ann = await context.add.admin()
  const job = await context.add.job({ status: 'Running' })

  const answer = await whileLocked(job.instanceId, () =>
    context.call(ann, contract.jobs.cancel, { params: { id: job.id } }),
  )

  expect(answer).toMatchObject({ status: 409, body: { code: 'job_busy' }, headers: { 'retry-after': '2' } })
  expect(await context.db.one(sql`select status from jobs where id = ${job.id}`)).toEqual({
    status: 'Running',
  })
})

//
test('clearing and deleting an instance are commands, too', async () => {
  const [ann, bob] = [await context.add.admin(), await context.add.admin()]
  const { id: instanceId } = await context.add.instance()
  await context.add.job({ instanceId, status: 'Running' })
  const params = { params: { id: instanceId } }

  const calls = await whileLocked(instanceId, async () => {
    const clear = (user: typeof ann) => context.call(user, contract.instances.clearData, params)
    const clears = [clear(ann), clear(ann)]
    await until('the command waits for the lock', isWaiting(1))
    const other = clear(bob)
    const removal = context.call(bob, contract.instances.remove, params)
    expect((await context.call(bob, contract.instances.list, { query: {} })).status).toBe(200)
    // Bob's command that arrives first waits for Ann's.
    const refused = await Promise.race([removal, other])
    expect(refused).toMatchObject({ status: 409, body: { code: 'job_busy' } })
    expect(await countWaiting(context.db)).toBe(1)
    return [...clears, other, removal]
  })

  const statuses = (await Promise.all(calls)).map(({ status }) => status)
  expect(statuses.toSorted()).toEqual([204, 204, 204, 409])
})
