import { expect, test } from 'vitest'
import { useEngineWorld } from '../../test/engine-world.ts'
import { CHANGES, type Notice } from '../platform/changes.ts'

const world = useEngineWorld()

test('a job that runs tells of itself from time to time, not with every message', async () => {
  const heard: Notice[] = []
  const listening = world.db.listen(CHANGES, (payload) => heard.push(...JSON.parse(payload)))
  await listening.ready()
  const { id: instanceId } = await world.add.instance()
  const recipients = Array.from({ length: 200 }, (_, n) => `${n}@g.us`)
  const job = await world.add.job({ instanceId, recipients })

  world.worker(world.scripted().provider)
  await world.until(async () => (await world.jobStatus(job.id)) === 'Completed')

  const told = (feature: Notice['feature']) => heard.filter((notice) => notice.feature === feature)
  // What is told travels on its own: it may come after the row it tells of can be read.
  await world.until(() => told('deliveries').length > 0 && told('jobs').length >= 3)
  expect(told('deliveries')[0]).toEqual({ feature: 'deliveries', id: job.id, instanceId })
  expect(told('deliveries').length).toBeLessThan(50)
  // It came, it started, it ended.
  expect(told('jobs').map(({ id }) => id)).toEqual([null, job.id, job.id])
  // Made, and then each message wrote its status anew, without changing it.
  expect(told('instances')).toHaveLength(1)
  await listening.close()
})
