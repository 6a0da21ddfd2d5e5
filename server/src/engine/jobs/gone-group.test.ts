import { expect, test } from 'vitest'
import { useEngineContext } from '../../../test/engine-context.ts'
import { sql } from '../../platform/database/sql.ts'
import { restartJob } from './lifecycle.ts'
import { retryFailed } from './retry.ts'

const context = useEngineContext()

// R-2149
test.each(['retry', 'restart'])('a %s finds the groups that were deleted and have come back', async (how) => {
  const { db } = context
  const { id: instanceId } = await context.add.instance()
  const add = (chatId: string) => context.add.group({ instanceId, chatId })
  const [back, gone, kept] = [await add('1@g.us'), await add('2@g.us'), await add('3@g.us')]
  const job = await context.add.job({
    ...{ jobType: 'SendToGroups', instanceId, recipients: [back, gone, kept].map(({ chatId }) => chatId) },
    ...{ status: 'Failed', deliveryStatus: 'skipped' },
  })
  await db.run(sql`
    update deliveries d set group_id = g.id from groups g where g.chat_id = d.chat_id and d.job_id = ${job.id}`)
  await db.run(sql`delete from groups where id in (${back.id}, ${gone.id})`)
  const again = await add('1@g.us')

  await db.begin((tx) =>
    how === 'retry'
      ? retryFailed(tx, job.id, 'lan', { includeUnknown: false })
      : restartJob(tx, job.id, 'lan'),
  )

  expect(await db.many(sql`select chat_id, group_id, status from deliveries order by id`)).toEqual([
    { chatId: '1@g.us', groupId: again.id, status: 'queued' },
    { chatId: '2@g.us', groupId: gone.id, status: 'queued' },
    { chatId: '3@g.us', groupId: kept.id, status: 'queued' },
  ])
  await db.script('delete from jobs; delete from instances')
})
