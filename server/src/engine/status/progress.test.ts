import { expect, test } from 'vitest'
import { useEngineContext } from '../../../test/engine-context.ts'
import { scriptedProvider } from '../../../test/scripted-provider.ts'
import { until } from '../../../test/until.ts'
import { CHANGES, type Notification } from '../../platform/changes.ts'

const context = useEngineContext()

test('a running job is notified a few times a second, not with every message', async () => {
  const notifications: Notification[] = []
  const listening = context.db.listen(CHANGES, (payload) => notifications.push(...JSON.parse(payload)))
  await listening.ready()
  const { id: instanceId } = await context.add.instance()
  const recipients = Array.from({ length: 200 }, (_, n) => `${n}@g.us`)
  const job = await context.add.job({ instanceId, recipients })

  const begin = performance.now()
  context.worker(scriptedProvider().provider)
  await context.untilStatus(job.id, 'Completed')

  const notificationsOf = (feature: Notification['feature']) =>
    notifications.filter((notification) => notification.feature === feature)
  // A notification may arrive later than its row can be read.
  await until(
    'the notifications arrive',
    () => notificationsOf('deliveries').length > 0 && notificationsOf('jobs').length >= 3,
  )
  expect(notificationsOf('deliveries')[0]).toEqual({ feature: 'deliveries', id: job.id, instanceId })
  const seconds = (performance.now() - begin) / 1000
  expect(notificationsOf('deliveries').length).toBeLessThan(5 + 4 * seconds)
  // The job was created, started and completed.
  expect(notificationsOf('jobs').map(({ id }) => id)).toEqual([null, job.id, job.id])
  // The instance was created. Each message rewrote its status, but did not change the value.
  expect(notificationsOf('instances')).toHaveLength(1)
  await listening.close()
})
