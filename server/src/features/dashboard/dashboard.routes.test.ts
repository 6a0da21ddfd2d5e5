import { contract } from '@sendroom/contract'
import { expect, test } from 'vitest'
import { useContext } from '../../../test/context.ts'
import type { TestUser } from '../../../test/factories.ts'
import { foldCounts } from '../../platform/count-fold.ts'
import { findCountDifferences } from '../../platform/counts.ts'
import { sql } from '../../platform/database/sql.ts'

const context = useContext()

const stats = async (user: TestUser) => (await context.call(user, contract.dashboard.stats, {})).body

const addParticipants = (groupId: number, ...personIds: string[]) =>
  context.db.run(sql`
    insert into participants (group_id, person_id, rank)
    select ${groupId}, person_id, 'member' from unnest(${personIds}::text[]) person_id`)

/** Adds this many sent messages to the group, each in a job of its own. */
async function send(group: { id: number; instanceId: number }, count: number) {
  for (let n = 0; n < count; n++) {
    const job = await context.add.job({
      instanceId: group.instanceId,
      status: 'Completed',
      recipients: ['1@g.us', '2@g.us'],
    })
    await context.db.run(sql`
      update deliveries set status = 'sent', group_id = ${group.id}
      where job_id = ${job.id} and chat_id = '1@g.us'`)
    await context.db.run(sql`
      update deliveries set status = 'failed', group_id = ${group.id}
      where job_id = ${job.id} and chat_id = '2@g.us'`)
  }
}

test('all counts of an empty installation are zero', async () => {
  expect(await stats(await context.add.admin())).toEqual({
    totalGroups: 0,
    totalMessages: 0,
    totalJobs: 0,
    pendingJobs: 0,
    runningJobs: 0,
    completedJobs: 0,
    failedJobs: 0,
    totalUniqueUsers: 0,
    totalSentMessages: 0,
    topGroups: [],
  })
})

//
test('the counts include only what the caller may see', async () => {
  const [mine, other] = [await context.add.instance(), await context.add.instance()]
  const member = await context.add.user({ instances: [mine] })
  for (const { id: instanceId } of [mine, other]) {
    const group = await context.add.group({ instanceId, name: `Group of ${instanceId}`, participantCount: 7 })
    await addParticipants(group.id, '841', instanceId === mine.id ? '842' : '843')
    await context.add.message({ instanceId })
    await context.add.message()
    for (const status of ['Pending', 'Running', 'Completed', 'Failed', 'Cancelled'] as const)
      await context.add.job({ instanceId, status })
    await send(group, instanceId === mine.id ? 1 : 2)
  }
  await context.add.message({ createdByUserId: member.id })

  expect(await stats(member)).toEqual({
    totalGroups: 1,
    totalMessages: 2,
    totalJobs: 6,
    pendingJobs: 1,
    runningJobs: 1,
    completedJobs: 2,
    failedJobs: 1,
    totalUniqueUsers: 2,
    totalSentMessages: 1,
    topGroups: [{ groupName: `Group of ${mine.id}`, participantCount: 7, messagesSent: 1 }],
  })
  expect(await stats(await context.add.admin())).toMatchObject({
    totalGroups: 2,
    totalMessages: 5,
    totalJobs: 13,
    pendingJobs: 2,
    totalUniqueUsers: 3,
    totalSentMessages: 3,
    topGroups: [{ messagesSent: 2 }, { messagesSent: 1 }],
  })
  const outsider = await context.add.user()
  expect(await stats(outsider)).toMatchObject({ totalGroups: 0, totalJobs: 0, topGroups: [] })

  const seen = () => Promise.all([member, outsider].map(stats))
  const before = await seen()
  await foldCounts(context.db)
  expect(await seen()).toEqual(before)
})

test('a Member of a thousand instances has numbers, too', async () => {
  const member = await context.add.user()
  await context.db.run(sql`
    with added as (
      insert into instances (name, token_cipher, token_hash, is_test)
      select 'Account ' || n, '', sha256(n::text::bytea), true from generate_series(1, 1000) n returning id
    )
    insert into user_instances (user_id, instance_id) select ${member.id}, id from added`)
  expect(await stats(member)).toMatchObject({ totalGroups: 0, totalUniqueUsers: 0 })
})

//
test('the top groups are the five with the most sent messages, without groups that were left', async () => {
  const instance = await context.add.instance()
  for (const [name, count] of Object.entries({ A: 1, B: 3, C: 2, D: 4, E: 5, F: 6 }))
    await send(await context.add.group({ instanceId: instance.id, name }), count)
  const admin = await context.add.admin()
  const names = async () => (await stats(admin)).topGroups.map(({ groupName }) => groupName)

  expect(await names()).toEqual(['F', 'E', 'D', 'B', 'C'])
  await foldCounts(context.db)
  expect(await names()).toEqual(['F', 'E', 'D', 'B', 'C'])
  await context.db.run(sql`update groups set left_at = clock_now() where name = 'F'`)

  expect(await names()).toEqual(['E', 'D', 'B', 'C', 'A'])
  expect(await stats(admin)).toMatchObject({ totalGroups: 5, totalSentMessages: 21 })
})

//
test('a sync updates the number of participants, a restart the number of sent messages', async () => {
  const group = await context.add.group()
  const admin = await context.add.admin()
  await addParticipants(group.id, '841')
  await send(group, 2)
  expect(await stats(admin)).toMatchObject({ totalUniqueUsers: 1, totalSentMessages: 2 })

  await addParticipants(group.id, '842')
  await context.db.run(sql`update groups set last_sync_at = clock_now()`)
  const job = await context.db.maybeOne<{ id: number }>(sql`select id from jobs limit 1`)
  await context.call(admin, contract.jobs.restart, { params: { id: job?.id ?? 0 } })
  expect(await stats(admin)).toMatchObject({
    totalUniqueUsers: 2,
    totalSentMessages: 1,
    topGroups: [{ messagesSent: 1 }],
  })

  await context.call(admin, contract.jobs.bulkDelete, {
    body: { jobIds: (await context.db.many<{ id: number }>(sql`select id from jobs`)).map(({ id }) => id) },
  })
  expect(await stats(admin)).toMatchObject({ totalSentMessages: 0, topGroups: [] })
})

//
test('the counts of sent messages agree with the deliveries, before and after they are added up', async () => {
  const [group, other] = [await context.add.group(), await context.add.group()]
  const admin = await context.add.admin()
  await send(group, 3)
  await send(other, 1)
  const people = await context.add.job({ recipients: ['84901@s.whatsapp.net', '84902@s.whatsapp.net'] })
  await context.db.run(sql`update deliveries set status = 'sent' where job_id = ${people.id}`)
  // A receipt reports a failure after all.
  await context.db.run(sql`update deliveries set status = 'failed' where chat_id = '84902@s.whatsapp.net'`)
  await context.call(admin, contract.instances.remove, { params: { id: other.instanceId } })
  const before = await stats(admin)
  expect(before).toMatchObject({ totalSentMessages: 4, topGroups: [{ messagesSent: 3 }] })

  await Promise.all([foldCounts(context.db), foldCounts(context.db)])

  expect(await stats(admin)).toEqual(before)
  expect(await findCountDifferences(context.db)).toEqual([])
})
