import { contract } from '@sendroom/contract'
import { expect, test } from 'vitest'
import { callerOf } from '../../../test/caller.ts'
import { useContext } from '../../../test/context.ts'
import { countWaiting } from '../../../test/locks.ts'
import { contacts } from '../../engine/retention/contacts.ts'
import { groups } from '../../engine/retention/groups.ts'
import { lookForUnused } from '../../engine/retention/unused.ts'
import { lockListsForShare } from '../../platform/contacts/lists.ts'
import { sql } from '../../platform/database/sql.ts'

const context = useContext()

/** A list with a contact whom nobody has used for long, and one who was changed now. */
async function fixture() {
  const admin = await context.add.admin()
  const instance = await context.add.instance()
  const message = await context.add.message({
    ...{ instanceId: instance.id, textContent: 'Hello {{name}}', hasVariables: true },
  })
  const old = await context.add.contact({ name: 'Lan', changedAt: '2020-01-01T00:00:00Z' })
  const other = await context.add.contact({ name: 'Minh' })
  const list = await context.add.list({ contacts: [old, other] })
  await context.db.run(sql`update list_contacts set added_at = '2020-01-01'`)
  await context.db.run(sql`update retention set contact_days = 30`)
  const body = {
    jobType: 'SendToUsers' as const,
    messageId: message.id,
    instanceId: instance.id,
    listIds: [list.id],
  }
  return { admin, list, create: () => context.call(admin, contract.jobs.create, { body }) }
}

const look = () => context.db.begin((tx) => lookForUnused(tx, contacts, 100))

// R-2137
test('a job that is created while contacts go waits for that, and sends to the others', async () => {
  const { create } = await fixture()
  let created: ReturnType<typeof create> | undefined
  await context.db.begin(async (tx) => {
    expect(await lookForUnused(tx, contacts, 100)).toMatchObject({ count: 1 })
    created = create()
    await expect.poll(() => countWaiting(context.db)).toBe(1)
  })
  const job = await created
  expect([job?.status, job?.body]).toEqual([201, expect.objectContaining({ recipientCount: 1 })])
})

// R-2137
test('no contact goes while a job reads its people, nor after the job was created', async () => {
  const { admin, list, create } = await fixture()
  const caller = await callerOf(context.db, admin)
  await context.db.begin(async (tx) => {
    await lockListsForShare(tx, caller, [list.id])
    expect(await look()).toEqual({ count: 0, isThrough: false })
  })
  expect((await create()).body).toMatchObject({ recipientCount: 2 })
  expect(await look()).toEqual({ count: 0, isThrough: true })
})

// R-2147
test('an import of a group that goes in this moment waits for that, and says that it is gone', async () => {
  const { admin } = await fixture()
  const group = await context.add.group({ leftAt: '2020-01-01T00:00:00Z' })
  await context.db.run(sql`update retention set group_days = 30`)
  const { instanceId, id } = group
  const create = () =>
    context.call(admin, contract.imports.fromInstance, { body: { instanceId, groupIds: [id] } })
  let created: ReturnType<typeof create> | undefined
  await context.db.begin(async (tx) => {
    expect(await lookForUnused(tx, groups, 100)).toMatchObject({ count: 1 })
    created = create()
    await expect.poll(() => countWaiting(context.db)).toBe(1)
  })
  expect((await created)?.status).toBe(400)
})
