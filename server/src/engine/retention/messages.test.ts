import { beforeEach, expect, test } from 'vitest'
import { people, useEngineContext } from '../../../test/engine-context.ts'
import { countWaiting } from '../../../test/locks.ts'
import { sql } from '../../platform/database/sql.ts'
import { deleteOldRows } from '../index.ts'
import { messages } from './messages.ts'
import { lookForUnused } from './unused.ts'

const context = useEngineContext()
const run = () => deleteOldRows(context.db, new AbortController().signal)
const ago = (days: number) => new Date(Date.now() - days * 86_400_000)
const keep = (days: number | null) =>
  context.db.run(sql`update retention set message_days = ${days}, message_cursor = 0`)

beforeEach(async () => {
  await context.db.script('delete from series; delete from messages')
  await keep(40)
})

const addOld = (columns: Parameters<typeof context.add.message>[0] = {}) =>
  context.add.message({ changedAt: ago(41), ...columns })

const left = async () =>
  (await context.db.many<{ id: number }>(sql`select id from messages order by id`)).map(({ id }) => id)

type Job = Parameters<typeof context.add.job>[0]

/** A message that a job has sent. */
async function sentBy(job: Job, completedDaysAgo: number | null) {
  const message = await addOld()
  const { id } = await context.add.job({ messageId: message.id, ...job })
  if (completedDaysAgo !== null)
    await context.db.run(sql`update jobs set completed_at = ${ago(completedDaysAgo)} where id = ${id}`)
  return message
}

async function inSeries(state: 'active' | 'paused' | 'ended') {
  const message = await addOld()
  const pausedReason = state === 'paused' ? '{"code": "series_paused_by", "params": {}}' : null
  await context.add.series({ messages: [message], state, pausedReason })
  return message
}

/** A message of its own for a single run, which is to come. */
async function ofRun() {
  const message = await addOld()
  const { runs } = await context.add.series()
  await context.db.run(sql`update series_runs set message_id = ${message.id} where id = ${runs[0]?.id}`)
  return message
}

const ended = { status: 'Completed', deliveryStatus: 'sent' } as const

// R-2134
test.each<{ what: string; goes: boolean; add: () => Promise<{ id: number }> }>([
  { what: 'nobody has used or changed', goes: true, add: addOld },
  { what: 'somebody has changed 39 days ago', goes: false, add: () => addOld({ changedAt: ago(39) }) },
  { what: 'everybody may use', goes: true, add: () => addOld({ createdByAdmin: true }) },
  { what: 'a job had sent that ended 41 days ago', goes: true, add: () => sentBy(ended, 41) },
  { what: 'a job had sent that ended 39 days ago', goes: false, add: () => sentBy(ended, 39) },
  { what: 'a job is to send', goes: false, add: () => sentBy({ status: 'Pending' }, null) },
  { what: 'a job sends', goes: false, add: () => sentBy({ status: 'Running' }, null) },
  {
    what: 'a job has that waits for its approval',
    goes: false,
    add: () => sentBy({ status: 'Pending', review: 'in_review' }, null),
  },
  {
    what: 'a cancelled job still settles',
    goes: false,
    add: () => sentBy({ status: 'Cancelled', settling: true }, 41),
  },
  { what: 'an active series sends', goes: false, add: () => inSeries('active') },
  { what: 'a paused series may send again', goes: false, add: () => inSeries('paused') },
  { what: 'a series had that has ended', goes: true, add: () => inSeries('ended') },
  { what: 'a single run to come has', goes: false, add: ofRun },
])('a message that $what goes: $goes', async ({ goes, add }) => {
  const { id } = await add()
  await keep(null)
  await run()
  expect(await left()).toContain(id)

  await keep(40)
  await run()

  expect((await left()).includes(id)).toBe(!goes)
})

// R-2134
test('a message whose job somebody has deleted stays as long as if the job were there', async () => {
  const recent = await sentBy(ended, 39)
  await sentBy(ended, 41)
  await context.db.run(sql`delete from jobs`)
  await run()
  expect(await left()).toEqual([recent.id])
})

// R-2135
test('a job whose message went shows what it has sent, and the audit log has one entry for all', async () => {
  const { db } = context
  await db.run(sql`delete from audit_log`)
  const message = await sentBy({ ...ended, recipients: people(2) }, 41)
  await addOld()
  const before = await db.one<object>(sql`select * from jobs where message_id = ${message.id}`)

  expect(await run()).toBe(2)

  expect(await db.one(sql`select * from jobs`)).toEqual({ ...before, messageId: null })
  expect(await db.many(sql`select user_name, action, details from audit_log`)).toEqual([
    { userName: '', action: 'retention.delete', details: { messages: 2 } },
  ])
})

// R-2136
test('a look begins where the last one ended, also after a stop, and the jobs of a message are freed in slices', async () => {
  const { db } = context
  const look = () => db.begin((tx) => lookForUnused(tx, messages, 2))
  const first = await addOld()
  const jobs = [await context.add.job(ended), await context.add.job(ended), await context.add.job(ended)]
  await db.run(sql`update jobs set message_id = ${first.id}, completed_at = ${ago(50)}`)
  const [used, third] = [await addOld({ changedAt: ago(1) }), await addOld()]
  const freed = async () =>
    (await db.one<{ count: number }>(sql`select count(*) from jobs where message_id is null`)).count

  expect([await look(), await freed(), await left()]).toEqual([
    { count: 0, isThrough: false },
    2,
    [first.id, used.id, third.id],
  ])
  const stopped = new AbortController()
  stopped.abort()
  expect(await deleteOldRows(db, stopped.signal)).toBe(0)
  expect([await look(), await freed(), await left()]).toEqual([
    { count: 1, isThrough: false },
    jobs.length,
    [used.id, third.id],
  ])
  // A look that fails leaves nothing behind, and the next one does the same.
  const failing = db.begin(async (tx) => {
    await lookForUnused(tx, messages, 2)
    throw new Error('the worker is killed')
  })
  await expect(failing).rejects.toThrow('killed')
  expect(await left()).toEqual([used.id, third.id])
  expect([await look(), await left()]).toEqual([{ count: 1, isThrough: true }, [used.id]])
})

// R-2137
test('a job or a series that is saved at the same moment keeps its message', async () => {
  const { db } = context
  const [ofJob, ofSeries, unused] = [await addOld(), await addOld(), await addOld()]
  const { id: instanceId } = await context.add.instance()
  const { id: seriesId } = await context.add.series()
  await db.begin(async (tx) => {
    // As a new job and a new series do. Nothing of them is committed yet.
    await tx.run(sql`select from messages where id = any(${[ofJob.id, ofSeries.id]}) for key share`)
    await tx.run(sql`
      insert into jobs (job_type, text_content, instance_id, recipient_count, created_by_user_name, message_id)
      values ('SendToUsers', '', ${instanceId}, 0, '', ${ofJob.id})`)
    await tx.run(sql`insert into series_messages values (${seriesId}, 7, ${ofSeries.id})`)
    expect(await run()).toBe(1)
  })
  expect(await run()).toBe(0)
  expect(await left()).not.toContain(unused.id)
  expect(await left()).toEqual(expect.arrayContaining([ofJob.id, ofSeries.id]))
})

// R-2137
test('a job that comes while a message goes waits for that, and finds it gone', async () => {
  const { db } = context
  const { id } = await addOld()
  let locked: Promise<unknown[]> | undefined
  await db.begin(async (tx) => {
    await lookForUnused(tx, messages, 10)
    locked = db.many(sql`select id from messages where id = ${id} for key share`)
    await expect.poll(() => countWaiting(db)).toBe(1)
  })
  expect(await locked).toEqual([])
})
