import { expect, test } from 'vitest'
import { people, useEngineContext } from '../../../test/engine-context.ts'
import { findCountDifferences } from '../../platform/counts.ts'
import { sql } from '../../platform/database/sql.ts'
import { cancelJob, recipientCounts, restartJob, retryFailed } from '../index.ts'

const context = useEngineContext()

const countRows = (jobId: number) => context.db.run(sql`select from job_counts where job_id = ${jobId}`)

test('a command on a job adds one row of counts, however many recipients the job has', async () => {
  const { db } = context
  const { id } = await context.add.job({
    status: 'Pending',
    recipients: people(50),
    scheduledAt: '2999-01-01',
  })

  expect(await db.begin((tx) => cancelJob(tx, id, 'Ann'))).toBe('done')
  expect(await countRows(id)).toBe(1)
  expect(await recipientCounts(db, id)).toMatchObject({ total: 50, skipped: 50 })

  expect(await db.begin((tx) => retryFailed(tx, id, 'Ann', { includeUnknown: false }))).toBe('done')
  expect(await countRows(id)).toBe(2)
  expect(await recipientCounts(db, id)).toMatchObject({ waiting: 50, skipped: 0 })

  expect(await db.begin((tx) => cancelJob(tx, id, 'Ann'))).toBe('done')
  expect(await db.begin((tx) => restartJob(tx, id, 'Ann'))).toBe('done')
  expect(await countRows(id)).toBe(4)
})

test('one statement may change the outcomes of several jobs from anything to anything', async () => {
  const { db } = context
  await db.script(`
    create table states (id int, status text, reason jsonb, delivered_at timestamptz, read_at timestamptz);
    insert into states values
      (1, 'queued', null, null, null), (2, 'sending', null, null, null), (3, 'doubt', null, null, null),
      (4, 'skipped', null, null, null), (5, 'failed', '{"code": "interrupted"}', null, null),
      (6, 'failed', '{"code": "outcome_unknown"}', null, null), (7, 'failed', null, now(), now()),
      (8, 'sent', null, null, null), (9, 'sent', null, now(), null), (10, 'sent', null, now(), now())`)
  const pairs = await db.many<{ chat: string }>(
    sql`select a.id || '-' || b.id as chat from states a, states b`,
  )
  const recipients = pairs.map(({ chat }) => chat)
  const jobs = [await context.add.job({ recipients }), await context.add.job({ recipients })]
  const become = (place: number) =>
    db.run(sql`
      update deliveries d
      set status = s.status, reason = s.reason, delivered_at = s.delivered_at, read_at = s.read_at
      from states s where s.id = split_part(d.chat_id, '-', ${place})::int`)

  for (const place of [1, 2]) {
    await become(place)
    expect(await findCountDifferences(db)).toEqual([])
  }
  const before = await countRows(jobs[0]?.id ?? 0)
  await become(2)
  expect(await countRows(jobs[0]?.id ?? 0), 'nothing has changed').toBe(before)
})
