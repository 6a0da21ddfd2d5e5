import { expect, test } from 'vitest'
import { useEngineContext } from '../../../test/engine-context.ts'
import { until } from '../../../test/until.ts'
import { sql } from '../../platform/database/sql.ts'
import { deleteJobs } from './delete.ts'

const context = useEngineContext()

const isLocked = async (instanceId: number) =>
  (await context.db.run(
    sql`select from instances where id = ${instanceId} for no key update skip locked`,
  )) === 0

test('a delete of jobs of several instances locks one instance at a time', async () => {
  const instances = [await context.add.instance(), await context.add.instance()]
  const jobs: { id: number }[] = []
  for (const { id } of instances) jobs.push(await context.add.job({ instanceId: id, status: 'Cancelled' }))
  const [first, second] = instances.map(({ id }) => id) as [number, number]

  const deleting = await context.db.begin(async (tx) => {
    await tx.run(sql`select from instances where id = ${second} for no key update`)
    const deleting = deleteJobs(
      context.db,
      jobs.map(({ id }) => id),
      'Ann',
      async () => {},
    )
    await until('the jobs of the first instance are deleted', async () => {
      const left = await context.db.run(sql`select from jobs where instance_id = ${first}`)
      return left === 0 && !(await isLocked(first))
    })
    return { deleting }
  })

  expect(await deleting.deleting).toBe('done')
  expect(await context.db.run(sql`select from jobs`)).toBe(0)
})

test('ended jobs of one instance are deleted in few transactions', async () => {
  const { id: instanceId } = await context.add.instance()
  const ids: number[] = []
  for (let nth = 0; nth < 50; nth++)
    ids.push((await context.add.job({ instanceId, status: 'Cancelled', deliveryStatus: 'skipped' })).id)
  const transactions: number[][] = []

  const answer = await deleteJobs(context.db, ids, 'Ann', async (_, slice) => transactions.push(slice), 0)

  expect(answer).toBe('done')
  expect(transactions).toEqual([ids])
})
