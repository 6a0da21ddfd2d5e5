import { contract } from '@sendroom/contract'
import { expect, test } from 'vitest'
import { useContext } from '../../../test/context.ts'
import { findCountDifferences } from '../../platform/counts.ts'
import { sql } from '../../platform/database/sql.ts'

const context = useContext()
const { groups, dashboard, imports } = contract

/** An account with a group, and with two channels: to one of them it may no longer post. */
async function fixture() {
  const instance = await context.add.instance()
  const member = await context.add.user({ instances: [instance], canManageContacts: true })
  const add = (chatId: string, columns: object = {}) =>
    context.add.group({ instanceId: instance.id, chatId, name: chatId, participantCount: 7, ...columns })
  const group = await add('1@g.us')
  const channel = await add('2@newsletter', { canSend: true })
  const former = await add('3@newsletter', { leftAt: '2026-01-01T00:00:00Z' })
  return { instance, member, group, channel, former }
}

// R-1802
test('groups and channels are in one list, each with its kind, and a filter limits it to one', async () => {
  const { member } = await fixture()
  await context.add.group({ chatId: '9@newsletter' })
  const list = async (query: object) => {
    const { body } = await context.call(member, groups.list, { query })
    return [body.pagination.totalCount, ...body.data.map(({ name, kind }) => `${name} ${kind}`)]
  }
  const [group, channel, former] = ['1@g.us group', '2@newsletter channel', '3@newsletter channel']
  expect(await list({})).toEqual([3, group, channel, former])
  expect(await list({ kind: 'group' })).toEqual([1, group])
  expect(await list({ kind: 'channel' })).toEqual([2, channel, former])
  expect(await list({ kind: 'channel', search: '3@' })).toEqual([1, former])

  const found = await context.call(member, groups.search, { body: { kind: 'channel' } })
  expect(found.body.data.map(({ name, hasLeft }) => [name, hasLeft])).toEqual([
    ['2@newsletter', false],
    ['3@newsletter', true],
  ])
})

// R-1803
test('totals of groups leave channels out, also after one has come, gone and was deleted', async () => {
  const { member, channel, former } = await fixture()
  const total = async () => (await context.call(member, dashboard.stats, {})).body.totalGroups
  expect(await total()).toBe(1)
  await context.db.run(sql`update groups set left_at = null where id = ${former.id}`)
  expect(await total()).toBe(1)
  await context.db.run(sql`delete from groups where id = ${channel.id}`)
  expect(await total()).toBe(1)
  expect(await findCountDifferences(context.db)).toEqual([])
})

// R-1803
test('the groups with the most messages are groups', async () => {
  const { member, instance, group, channel } = await fixture()
  const { id } = await context.add.job({ instanceId: instance.id, recipients: [] })
  await context.db.run(sql`
    insert into deliveries (job_id, instance_id, chat_id, recipient_name, status, group_id, sent_at)
    select ${id}, instance_id, chat_id, name, 'sent', id, clock_now() from groups
    where id in (${group.id}, ${channel.id})`)

  const { body } = await context.call(member, dashboard.stats, {})

  expect(body.topGroups.map(({ groupName }) => groupName)).toEqual(['1@g.us'])
  expect(body.totalSentMessages).toBe(2)
})

// R-1804
test('a channel has no members to export or to import', async () => {
  const { member, instance, channel } = await fixture()
  const exported = await context.call(member, groups.exportParticipants, { params: channel })
  expect([exported.status, exported.body.code]).toEqual([409, 'channel_without_members'])
  expect(await context.db.run(sql`select from audit_log where action = 'group.export'`)).toBe(0)

  const body = { instanceId: instance.id, groupIds: [channel.id] }
  const imported = await context.call(member, imports.fromInstance, { body })
  expect([imported.status, imported.body.fields]).toEqual([400, { groupIds: 'MESSAGE.GROUP_INVALID' }])
})
