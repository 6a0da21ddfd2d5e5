import { contract } from '@sendroom/contract'
import { expect, test } from 'vitest'
import { useContext } from '../../../test/context.ts'
import type { TestUser } from '../../../test/factories.ts'
import { applyStoredReceipts } from '../../engine/receipts/apply-stored.ts'
import { storeBatch } from '../../engine/receipts/store.ts'
import { deleteOldRows } from '../../engine/retention/delete-old.ts'
import { sql, values } from '../../platform/database/sql.ts'

const context = useContext()
const { jobs } = contract

const OWN_NUMBER = '84901234567'
const people = [
  { personId: OWN_NUMBER, name: 'Shop' },
  { personId: '841', name: 'An' },
  { personId: '842', name: 'Bình' },
  { personId: '843', name: 'Chi' },
  { personId: '844', name: 'Dung' },
  { personId: '845', name: 'Em' },
  { personId: '99@lid', name: null },
]

type Group = { id: number; instanceId: number; chatId: string }

const join = ({ id }: Group, person: { personId: string; name: string | null }) =>
  context.db.run(sql`insert into participants ${values({ groupId: id, rank: 'member', ...person })}`)

/** As a sync does: the slot stays with the group. */
const leave = ({ id }: Group, personId: string) =>
  context.db.run(sql`
    with gone as (
      delete from participants where group_id = ${id} and person_id = ${personId} returning group_id, person_id, slot
    )
    insert into other_viewers (group_id, person_id, slot) select * from gone`)

/** Sends a message to the group. */
async function send(group: Group, messageId = 'm1') {
  const job = await context.add.job({
    instanceId: group.instanceId,
    recipients: [group.chatId],
    status: 'Completed',
  })
  const { id: recipientId } = await context.db.one<{ id: number }>(sql`
    update deliveries
    set status = 'sent', intent = gen_random_uuid(), sent_at = clock_now(), group_id = ${group.id}
    where job_id = ${job.id} returning id`)
  await context.match(job.id, messageId)
  return { id: job.id, recipientId }
}

async function report(
  { instanceId }: Group,
  state: 'delivered' | 'read',
  viewers: string[],
  messageId = 'm1',
) {
  await storeBatch(
    context.db,
    viewers.map((viewer) => ({
      instanceId,
      providerMessageId: messageId,
      state,
      viewer,
      at: null,
      detail: '',
    })),
  )
  await applyStoredReceipts(context.db)
}

/** A message to a group of six people and the instance itself. */
async function fixture() {
  const { instance, member } = await context.add.memberWithInstance({ whatsAppNumber: `+${OWN_NUMBER}` })
  const group = await context.add.group({ instanceId: instance.id })
  for (const person of people) await join(group, person)
  return { instance, member, group, message: await send(group) }
}

const call = (user: TestUser, params: { id: number; recipientId: number }, query = {}) =>
  context.call(user, jobs.members, { params, query })

async function read(...of: Parameters<typeof call>) {
  const { status, body } = await call(...of)
  expect(status).toBe(200)
  return body.data.map(({ name, personId, state }) => `${name ?? personId} ${state}`)
}

//
test('the members of a group are listed by their receipts, without the own number', async () => {
  const { member, group, message } = await fixture()
  const nobodyYet = ['An', 'Bình', 'Chi', 'Dung', 'Em', '99@lid'].map((name) => `${name} None`)
  expect(await read(member, message)).toEqual(nobodyYet)

  await report(group, 'delivered', ['845', '844', OWN_NUMBER])
  await report(group, 'read', ['841', 'somebody else'])

  const expected = ['Bình None', 'Chi None', '99@lid None', 'Dung Delivered', 'Em Delivered', 'An Read']
  expect(await read(member, message)).toEqual(expected)
  expect(await read(member, message, { state: '' })).toEqual(expected)
  expect(await read(member, message, { state: 'None' })).toEqual(expected.slice(0, 3))
  expect(await read(member, message, { state: 'Delivered' })).toEqual(expected.slice(3, 5))
  expect(await read(member, message, { state: 'Read' })).toEqual(['An Read'])
  expect(await read(member, message, { page: 2, pageSize: 4 })).toEqual(expected.slice(4))
  const { body } = await call(member, message, { pageSize: 2 })
  expect(body.pagination.totalCount).toBe(6)
  expect(body.data[0]).toEqual({ personId: '842', name: 'Bình', state: 'None' })
})

test('whoever has left is not listed, and has the same receipts after coming back', async () => {
  const { member, group, message } = await fixture()
  await report(group, 'read', ['841'])

  await leave(group, '841')
  expect(await read(member, message, { state: 'Read' })).toEqual([])
  await join(group, { personId: '841', name: 'An' })

  expect(await read(member, message, { state: 'Read' })).toEqual(['An Read'])
})

test('a member with a slot beyond the end of a bitmap has no receipt', async () => {
  const { member, group, message } = await fixture()
  const strangers = Array.from({ length: 20 }, (_, n) => `stranger ${n}`)
  await report(group, 'delivered', ['841'])
  const second = await send(group, 'm2')
  await report(group, 'read', strangers, 'm2')
  await report(group, 'read', ['842'], 'm2')

  expect(await read(member, message, { state: 'None' })).toContain('Bình None')
  expect(await read(member, message, { state: 'Delivered' })).toEqual(['An Delivered'])
  expect(await read(member, second, { state: 'Read' })).toEqual(['Bình Read'])
})

test('the members are listed for seven days, and never with receipts that are gone', async () => {
  const { member, group, message } = await fixture()
  await report(group, 'delivered', ['841'])

  await context.moveClock('6 days 23 hours')
  await deleteOldRows(context.db, new AbortController().signal)
  expect(await read(member, message)).toHaveLength(6)
  await context.moveClock('2 hours')
  expect(await read(member, message)).toEqual([])

  const counted = await send(group, 'm2')
  await context.db.run(sql`update deliveries set delivered_members = 3 where id = ${counted.recipientId}`)
  expect(await read(member, counted)).toEqual([])
})

test('a message that was not sent has no members yet', async () => {
  const { member, message } = await fixture()
  await context.db.run(sql`update deliveries set status = 'queued' where id = ${message.recipientId}`)

  expect(await read(member, message)).toEqual([])
})

test('only a group of this job has members', async () => {
  const { member, instance, group, message } = await fixture()
  const other = await send(group, 'm2')
  const toPeople = await context.add.job({ instanceId: instance.id, recipients: ['841@s.whatsapp.net'] })
  const person = await context.db.one<{ id: number }>(
    sql`select id from deliveries where job_id = ${toPeople.id}`,
  )

  for (const params of [
    { id: message.id, recipientId: other.recipientId },
    { id: message.id, recipientId: 987_654 },
    { id: toPeople.id, recipientId: person.id },
  ])
    expect(await call(member, params)).toMatchObject({ status: 404, body: { code: 'not_found' } })
})

test('the audit log names the group once, however often the page is turned', async () => {
  const { member, group, message } = await fixture()

  await call(member, message)
  await call(member, message, { page: 2 })

  expect(
    await context.db.many(sql`select action, object_type, object_id, object_name, user_name from audit_log`),
  ).toEqual([
    {
      ...{ action: 'group.view_members', objectType: 'group', objectId: group.id, objectName: group.name },
      userName: member.username,
    },
  ])
})
