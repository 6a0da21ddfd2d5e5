import { expect, test } from 'vitest'
import { useEngineContext } from '../../../test/engine-context.ts'
import { countWaiting } from '../../../test/locks.ts'
import { scriptedProvider } from '../../../test/scripted-provider.ts'
import { until } from '../../../test/until.ts'
import { CHANGES, type Notification } from '../../platform/changes.ts'
import { sql } from '../../platform/database/sql.ts'
import { storeBatch } from '../receipts/store.ts'

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

test('open pages learn of the receipts that a worker applies while it stops', async () => {
  const notifications: Notification[] = []
  const listening = context.db.listen(CHANGES, (payload) => notifications.push(...JSON.parse(payload)))
  await listening.ready()
  const job = await context.add.job({
    status: 'Completed',
    deliveryStatus: 'sent',
    recipients: ['84901@s.whatsapp.net'],
  })
  await context.db.run(sql`update deliveries set sent_at = clock_now() where job_id = ${job.id}`)
  await context.match(job.id, 'm1')
  const worker = context.worker(scriptedProvider().provider)

  const stopping = await context.db.begin(async (tx) => {
    await tx.script('lock table matched_messages in access exclusive mode')
    const receipt = {
      providerMessageId: 'm1',
      viewer: null,
      state: 'delivered',
      at: null,
      detail: '',
    } as const
    await storeBatch(context.db, [{ instanceId: job.instanceId, ...receipt }])
    await until('the receipts are being applied', async () => (await countWaiting(context.db)) === 1)
    const ended = worker.stop()
    await until('the engine has stopped', () =>
      context.db.maybeOne(sql`
        select from pg_stat_activity where datname = current_database() and query like 'unlisten%'`),
    )
    return { ended }
  })
  await stopping.ended

  const change = { feature: 'deliveries', id: job.id, instanceId: job.instanceId }
  await until('open pages are notified', () =>
    notifications.some((one) => one.id === job.id && one.feature === 'deliveries'),
  )
  expect(notifications).toContainEqual(change)
  await listening.close()
})
