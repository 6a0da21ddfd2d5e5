import { expect, test } from 'vitest'
import { useEngineContext } from '../../../test/engine-context.ts'
import { sql } from '../../platform/database/sql.ts'
import { applyStoredReceipts } from './apply-stored.ts'
import { storeBatch } from './store.ts'

const context = useEngineContext()

// R-2149
test.each([
  { what: 'is gone', isBack: false, members: 0 },
  { what: 'was gone and has come back', isBack: true, members: 2 },
])('receipts of a message to a group that $what are applied, and none waits', async ({ isBack, members }) => {
  const { db } = context
  const group = await context.add.group()
  const { id, instanceId } = await context.add.job({
    ...{
      jobType: 'SendToGroups',
      instanceId: group.instanceId,
      recipients: [group.chatId],
      status: 'Completed',
    },
  })
  await db.run(sql`
    update deliveries set status = 'sent', intent = gen_random_uuid(), sent_at = clock_now(), group_id = ${group.id}
    where job_id = ${id}`)
  await context.match(id, 'm1')
  await db.run(sql`delete from groups where id = ${group.id}`)
  if (isBack) await context.add.group({ instanceId, chatId: group.chatId })
  await storeBatch(
    db,
    ['1@c.us', '2@c.us'].map((viewer) => ({
      ...{ instanceId, providerMessageId: 'm1', state: 'read' as const, viewer, at: null, detail: '' },
    })),
  )

  await applyStoredReceipts(db)

  expect(await db.run(sql`select from receipt_events`)).toBe(0)
  expect(
    await db.one(
      sql`select read_at is not null as is_read, read_members from deliveries where job_id = ${id}`,
    ),
  ).toEqual({ isRead: true, readMembers: members })
  await db.script('delete from deliveries; delete from instances')
})
