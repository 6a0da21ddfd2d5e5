import { expect, test } from 'vitest'
import { sql } from '../src/platform/database/sql.ts'
import { useContext } from './context.ts'

const context = useContext()

async function fixture() {
  const instance = await context.add.instance()
  const users = [
    await context.add.user({ instances: [instance] }),
    await context.add.user({ instances: [instance] }),
  ]
  const message = await context.add.message({ instanceId: instance.id })
  return { instanceId: instance.id, messageId: message.id, userIds: users.map(({ id }) => id) }
}

/** Adds so many jobs of the users, made or changed by them, that wait, have ended or were cancelled. */
const addJobs = ({ instanceId, messageId, userIds }: Awaited<ReturnType<typeof fixture>>, count: number) =>
  context.db.run(sql`
    insert into jobs (job_type, text_content, instance_id, message_id, created_by_user_id, created_by_user_name,
      edited_by_user_id, recipient_count, scheduled_at, status, started_at, completed_at)
    select 'SendToUsers', 'Hi', ${instanceId}, ${messageId}, users[1 + n % 2], 'An',
      case when n % 5 = 0 then users[1 + n / 5 % 2] end, 1 + floor(random() * 9),
      case when n % 7 > 0 then clock_now() + (random() * 80 - 8) * interval '1 hour' end, status,
      case when status <> 'Pending' then clock_now() - interval '2 hours' * random() end,
      case when status <> 'Pending' then clock_now() end
    from generate_series(1, ${count}::int) n,
      lateral (select ${userIds}::bigint[] as users, (array['Pending', 'Pending', 'Completed', 'Cancelled'])[1 + n % 4] as status) c`)

// R-1395, R-1396
test('a rule that begins decides for all jobs as it does for each of them', async () => {
  const f = await fixture()
  await addJobs(f, 300)
  await context.db.run(sql`
    insert into recent_recipients (user_id, instance_id, at, recipients)
    select u, ${f.instanceId}, clock_now() - random() * interval '20 hours', 5
    from unnest(${f.userIds}::bigint[]) u, generate_series(1, 5)`)
  let partly = 0
  for (const above of [60, 100, 140, 180, 300, 500]) {
    await context.db.run(sql`update jobs set review = null, review_hash = null`)
    const expected = await context.db.many<{ id: number }>(sql`
      select j.id from jobs j
      where j.status = 'Pending' and (j.recipient_count > ${above} or exists (
        select from unnest(array[j.created_by_user_id, j.edited_by_user_id]) u
        where u is not null and recipients_within_a_day(j, u) > ${above}))
      order by j.id`)
    await context.db.run(sql`
      update instances set approval = 'above', approval_above = ${above} where id = ${f.instanceId}`)
    const waiting = await context.db.run(sql`select from jobs where status = 'Pending'`)
    if (expected.length > 0 && expected.length < waiting) partly += 1
    expect([
      above,
      await context.db.many(sql`select id from jobs where review = 'in_review' order by id`),
    ]).toEqual([above, expected])
  }
  expect(partly).toBeGreaterThan(1)
})

// R-1395
test('a rule that begins reads the jobs that wait once, not once for each of them', async () => {
  const f = await fixture()
  await addJobs(f, 4000)
  const begin = async (above: number) => {
    const start = performance.now()
    await context.db.run(sql`
      update instances set approval = 'above', approval_above = ${above} where id = ${f.instanceId}`)
    return performance.now() - start
  }
  // Takes 0.04 s. One query for each job took more than 13 s.
  expect(await begin(1_000_000)).toBeLessThan(5000)
  await begin(1)
  expect(await context.db.run(sql`select from jobs where review = 'in_review'`)).toBe(2000)
})
