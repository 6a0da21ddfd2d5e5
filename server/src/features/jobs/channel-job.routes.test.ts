import { contract } from '@sendroom/contract'
import { expect, test } from 'vitest'
import { useContext } from '../../../test/context.ts'
import { sql } from '../../platform/database/sql.ts'

const context = useContext()
const { jobs, groupSets } = contract

/** An account with a group and a channel, and a Member who sees it. */
async function fixture() {
  const { instance, member } = await context.add.memberWithInstance()
  const add = (chatId: string, name: string) =>
    context.add.group({ instanceId: instance.id, chatId, name, participantCount: 7 })
  return { instance, member, group: await add('1@g.us', 'Aunts'), channel: await add('2@newsletter', 'News') }
}

// R-1805
test('a job goes to channels that are chosen by hand and in a set of groups', async () => {
  const { instance, member, group, channel } = await fixture()
  const set = await context.call(member, groupSets.create, {
    body: { name: 'Mixed', instanceId: instance.id, groupIds: [group.id, channel.id] },
  })
  const { id: messageId } = await context.add.message({ instanceId: instance.id })
  const create = async (choice: object) => {
    const body = { jobType: 'SendToGroups' as const, messageId, instanceId: instance.id, ...choice }
    const { body: row } = await context.call(member, jobs.create, { body })
    const { body: job } = await context.call(member, jobs.get, { params: row })
    return job.assignedGroups.map(({ name }) => name)
  }

  expect(await create({ groupIds: [channel.id] })).toEqual(['News'])
  expect(await create({ groupSetIds: [set.body.id] })).toEqual(['Aunts', 'News'])
})

/** A job that was sent to a group and a channel. */
async function sentJob() {
  const { instance, member, group, channel } = await fixture()
  const { id } = await context.add.job({ instanceId: instance.id, recipients: [], status: 'Completed' })
  await context.db.run(sql`
    insert into deliveries (job_id, instance_id, chat_id, recipient_name, status, group_id, sent_at)
    select ${id}, instance_id, chat_id, name, 'sent', id, '2026-01-01T18:00:05Z' from groups
    where id in (${group.id}, ${channel.id}) order by id`)
  return { id, member }
}

// R-1810
test('a channel has no counts of who got and read a post, and no list of them', async () => {
  const { id, member } = await sentJob()

  const { body } = await context.call(member, jobs.recipients, { params: { id } })

  const [toGroup, toChannel] = body.data
  const counts = { deliveredTo: 0, readBy: 0, members: 6 }
  expect(toGroup).toMatchObject(counts)
  expect(toChannel).toMatchObject({
    ...{ recipientId: '2@newsletter', status: 'Sent', deliveredTo: null, readBy: null, members: null },
    areMembersKept: false,
  })
  const params = { id, recipientId: toChannel?.id ?? 0 }
  expect((await context.call(member, jobs.members, { params })).status).toBe(404)
})

// R-1811
test('the export of a job has no counts for a channel', async () => {
  const { id, member } = await sentJob()
  const { raw } = await context.call(member, jobs.exportCsv, { params: { id } })
  expect(raw.toString().split('\r\n').at(-2)).toBe(
    '"News","2@newsletter","Sent","2026-01-02 01:00:05","","","","","",""',
  )
})
