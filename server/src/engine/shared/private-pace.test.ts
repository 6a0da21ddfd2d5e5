import { expect, test } from 'vitest'
import { people, useEngineContext } from '../../../test/engine-context.ts'
import { scriptedProvider } from '../../../test/scripted-provider.ts'
import { until } from '../../../test/until.ts'
import { json, sql } from '../../platform/database/sql.ts'
import type { SendOutcome } from '../../providers/provider.ts'
import { stepUpWarmUps, warmUpToday } from '../health/warm-up.ts'
import { recordReplies } from '../incoming/replies.ts'
import { whyWaiting } from '../index.ts'
import { withdrawIntent } from '../sending/intent.ts'

const context = useEngineContext()

const busy: SendOutcome = {
  kind: 'busy',
  reason: { code: 'provider_busy', params: {} },
  retryAfterMs: null,
}
const refused: SendOutcome = { kind: 'rejected', reason: { code: 'refused', params: { detail: '' } } }
const peopleOf = (instanceId: number) =>
  context.db.many<{ phone: string; isFirst: boolean; times: number }>(sql`
    select phone, first_sent_at is not null as is_first, cardinality(last_sent_at) as times
    from instance_people where instance_id = ${instanceId} order by phone`)

// R-1208
test('a person who got as many messages as a limit allows is put off alone, and the job says why', async () => {
  const { provider, ledger } = scriptedProvider()
  const [first = '', second = ''] = people(2)
  const { id: instanceId } = await context.add.instance({ personCap: 1 })
  const earlier = await context.add.job({ instanceId, recipients: [first] })
  context.worker(provider)
  await context.untilStatus(earlier.id, 'Completed')
  await context.moveClock('10 hours')
  const job = await context.add.job({ instanceId, recipients: [first, second] })
  await context.untilStatuses(job.id, 'queued', 'sent')

  const waiting = await whyWaiting(context.db, job.id)
  expect(waiting.waiting?.code).toBe('person_limit')
  const { hours } = await context.db.one<{ hours: number }>(sql`
    select extract(epoch from ${waiting.nextSendAt}::timestamptz - clock_now())::float8 / 3600 as hours`)
  expect(hours).toBeGreaterThan(13.9)
  expect(hours).toBeLessThan(14)
  await context.moveClock('14 hours')
  await context.untilStatus(job.id, 'Completed')
  expect(ledger.map(({ to }) => to)).toEqual([first, second, first])
})

// R-1208
test('between two jobs a person has a rest of so many days', async () => {
  const { provider } = scriptedProvider()
  const { id: instanceId } = await context.add.instance({ personRestDays: 7 })
  const jobs = [await context.add.job({ instanceId, recipients: people(1) })]
  context.worker(provider)
  await context.untilStatus(jobs[0]?.id ?? 0, 'Completed')
  const job = await context.add.job({ instanceId, recipients: people(1) })
  await context.untilWaiting(job.id, 'person_limit')
  await context.moveClock('6 days 23 hours')
  expect((await whyWaiting(context.db, job.id)).waiting?.code).toBe('person_limit')
  await context.moveClock('1 hour')
  await context.untilStatus(job.id, 'Completed')
})

// R-1203
test('on a day of rest groups get their messages, and people do not', async () => {
  const { provider, ledger } = scriptedProvider()
  const { id: instanceId } = await context.add.instance({ privateDays: 1 })
  await context.db.run(sql`
    update instances set sent_by_day = jsonb_build_object('p' || local_day(clock_now(), time_zone) - 1, 20)`)
  const job = await context.add.job({ instanceId, recipients: people(1) })
  const toGroup = await context.add.job({ instanceId, recipients: ['1@g.us'] })
  context.worker(provider)
  await context.untilStatus(toGroup.id, 'Completed')
  await context.untilWaiting(job.id, 'rest_day')
  expect(ledger.map(({ to }) => to)).toEqual(['1@g.us'])
  await context.moveClock('1 day')
  await context.untilStatus(job.id, 'Completed')
})

// R-1207
test('a job whose next recipient is new waits for the budget, and another one with a known recipient goes on', async () => {
  const { provider, ledger } = scriptedProvider()
  const [known = '', ...strangers] = people(4)
  const { id: instanceId } = await context.add.instance({ newPeopleCap: 2 })
  await context.db.run(sql`
    insert into instance_people (instance_id, phone, replied_at)
    values (${instanceId}, split_part(${known}, '@', 1), clock_now())`)
  const job = await context.add.job({ instanceId, recipients: strangers })
  context.worker(provider)
  await context.untilWaiting(job.id, 'new_people')
  const other = await context.add.job({ instanceId, recipients: [known] })
  await context.untilStatus(other.id, 'Completed')
  expect(await context.statuses(job.id)).toEqual(['sent', 'sent', 'queued'])
  expect(ledger).toHaveLength(3)

  await context.moveClock('30 days')
  expect((await whyWaiting(context.db, job.id)).waiting?.code).toBe('new_people')
  await context.moveClock('1 day')
  await context.untilStatus(job.id, 'Completed')
})

// R-1207
test('while a job waits for new people, those who become known get their messages', async () => {
  const { provider, ledger } = scriptedProvider()
  const { id: instanceId } = await context.add.instance({ newPeopleCap: 1 })
  const job = await context.add.job({ instanceId, recipients: people(6) })
  context.worker(provider)
  await context.untilWaiting(job.id, 'new_people')
  // Two are to be tried again, and the first of them is new.
  const [, second, , , , sixth] = await context.deliveries(job.id)
  await context.db.run(sql`
    update deliveries d set not_before = clock_now() - interval '1 minute' + (d.id - ${second?.id}) * interval '1 second'
    where id in (${second?.id}, ${sixth?.id})`)
  await context.db.run(sql`update jobs set cursor = cursor + 1 where id = ${job.id}`)
  // Two more become known: by an answer, and by a message of another job.
  await context.db.run(sql`
    insert into instance_people (instance_id, phone, replied_at, first_sent_at)
    values (${instanceId}, '8495', clock_now(), null), (${instanceId}, '8493', clock_now(), null),
      (${instanceId}, '8494', null, null)`)
  await context.db.run(sql`update instance_people set first_sent_at = clock_now() where phone = '8494'`)

  await context.untilStatuses(job.id, 'sent', 'queued', 'queued', 'sent', 'sent', 'sent')
  await context.untilWaiting(job.id, 'new_people')
  expect(ledger).toHaveLength(4)
})

// R-1211
test.each(['a reply', 'a refund'])(
  'after a change of the time zone %s gives back its new person',
  async (how) => {
    const { id: instanceId } = await context.add.instance({
      newPeopleCap: 9,
      timeZone: 'Pacific/Kiritimati',
    })
    await context.add.job({ instanceId, recipients: people(1), status: 'Running' })
    const { message } = await context.beginSend()
    await context.db.run(sql`update instances set time_zone = 'Pacific/Pago_Pago' where id = ${instanceId}`)
    if (how === 'a refund') await context.settle(message, busy)
    else
      await context.db.begin((tx) =>
        recordReplies(tx, [{ instanceId, phone: '8490', saidAt: new Date().toISOString() }]),
      )
    const { sentByDay } = (await context.instance(instanceId)) as { sentByDay: object }
    expect(Object.keys(sentByDay).map((key) => key[0])).toEqual(how === 'a refund' ? [] : ['p'])
  },
)

// R-1211
test('a message of a day ahead deletes no count that still holds', async () => {
  const { kept } = await context.db.one<{ kept: Record<string, number> }>(sql`
    select record_day(jsonb_build_object('n' || today - 30, 5, 'n' || today - 40, 7), 'n', today + 90, 1) as kept
    from (select local_day(clock_now(), 'UTC') as today) t`)
  expect(Object.values(kept).sort()).toEqual([1, 5])
})

// R-1211
test('what was certainly not sent counts for no limit, and everything else does', async () => {
  const { id: instanceId } = await context.add.instance({
    privatePerQuarter: 9,
    newPeopleLeft: 9,
    personCap: 3,
  })
  await context.add.job({ instanceId, recipients: people(3), status: 'Running' })
  const limits = async () => {
    const instance = await context.instance(instanceId)
    const days = Object.entries(instance?.sentByDay as Record<string, number>).map(
      ([key, n]) => `${key[0]}${n}`,
    )
    return {
      days: days.sort().join(),
      times: (instance?.lastPrivateAt as string[] | undefined)?.length,
      left: instance?.newPeopleLeft,
    }
  }
  const nothing = { days: '', times: 0, left: 9 }
  const one = { days: 'n1,p1', times: 1, left: 8 }

  const { message } = await context.beginSend()
  expect(await limits()).toEqual(one)
  await context.settle(message, busy)
  expect(await limits()).toEqual(nothing)
  expect(await peopleOf(instanceId)).toEqual([{ phone: '8490', isFirst: false, times: 0 }])

  // The lease and the rest of the instance end.
  await context.moveClock('1 minute')
  const { message: withdrawn } = await context.beginSend()
  expect(await limits()).toEqual(one)
  await withdrawIntent(context.db, instanceId, withdrawn.intent)
  expect(await limits()).toEqual(nothing)

  await context.moveClock('1 minute')
  const { message: sent } = await context.beginSend()
  await context.settle(sent, refused)
  expect(await limits()).toEqual(one)
})

// R-1211
test('somebody who has answered is not given back twice', async () => {
  const { id: instanceId } = await context.add.instance({ newPeopleCap: 9 })
  await context.add.job({ instanceId, recipients: people(1), status: 'Running' })
  const { message } = await context.beginSend()
  // As an answer that arrives meanwhile does.
  await context.db.run(
    sql`update instance_people set replied_at = clock_now() where instance_id = ${instanceId}`,
  )
  await context.db.run(sql`
    update instances i set sent_by_day = record_day(sent_by_day, 'n', local_day(clock_now(), time_zone), -1)
    where id = ${instanceId}`)
  await context.db.run(sql`
    update instances set sent_by_day = record_day(sent_by_day, 'n', local_day(clock_now(), time_zone), 5)
    where id = ${instanceId}`)
  await context.settle(message, busy)
  const { n } = await context.db.one<{ n: number }>(sql`
    select (sent_by_day->>('n' || local_day(clock_now(), time_zone)))::int as n from instances where id = ${instanceId}`)
  expect(n).toBe(5)
})

// R-1209
test.each<[string, number, Record<string, number>, number, number | null]>([
  ['a day that used 80 %', 20, { p1: 16 }, 0, 50],
  ['a day that used less', 20, { p1: 15 }, 0, 20],
  ['a day with a refusal', 20, { p1: 20, r1: 1 }, 0, 20],
  ['one opt-out', 20, { p1: 20 }, 1, 50],
  ['two opt-outs of 20', 20, { p1: 20 }, 2, 20],
  ['two opt-outs of 200', 200, { p1: 200 }, 2, null],
  ['four opt-outs of 200', 200, { p1: 200 }, 4, 200],
  ['the last step', 200, { p1: 160 }, 0, null],
  ['a day before the last look', 50, { p3: 50 }, 0, 50],
  ['two days since the last look', 50, { p1: 40, p2: 50 }, 0, 100],
])('a warm-up after %s', async (_name, step, ago, optOuts, next) => {
  const today = (
    await context.db.one<{ day: number }>(sql`select local_day(clock_now(), 'Asia/Ho_Chi_Minh') as day`)
  ).day
  const byDay = Object.fromEntries(
    Object.entries(ago).map(([key, n]) => [`${key[0]}${today - Number(key.slice(1))}`, n]),
  )
  const { id: instanceId } = await context.add.instance({
    warmUpStep: step,
    warmUpDay: today - 2,
    timeZone: 'Asia/Ho_Chi_Minh',
  })
  await context.db.run(sql`update instances set sent_by_day = ${json(byDay)} where id = ${instanceId}`)
  await context.db.run(sql`
    insert into opt_outs (instance_id, is_for_all, source, said_at)
    select ${instanceId}, true, 'message', clock_now() - interval '1 day' from generate_series(1, ${optOuts}::int)`)
  await stepUpWarmUps(context.db)
  await stepUpWarmUps(context.db)
  expect(await context.instance(instanceId)).toMatchObject({ warmUpStep: next, warmUpDay: today })
})

// R-1215
test.each([
  ['less than 80 %', { p: 15 }, 0, null],
  ['80 %', { p: 16 }, 1, null],
  ['a refusal', { p: 16, r: 1 }, 0, 'refusal'],
  ['many opt-outs', { p: 16 }, 2, 'opt_outs'],
])(
  'an account that warms up says of a day with %s what it is good for',
  async (_name, counts, optOuts, spoiltBy) => {
    const { id: instanceId } = await context.add.instance({ warmUpStep: 20 })
    await context.db.run(sql`
    update instances set sent_by_day = (
      select jsonb_object_agg(key || local_day(clock_now(), time_zone), value) from jsonb_each(${json(counts)}))
    where id = ${instanceId}`)
    await context.db.run(sql`
    insert into opt_outs (instance_id, is_for_all, source, said_at)
    select ${instanceId}, true, 'message', clock_now() from generate_series(1, ${optOuts}::int)`)
    const { warmUp } = await context.db.one<{ warmUp: unknown }>(
      sql`select ${warmUpToday} as warm_up from instances i where i.id = ${instanceId}`,
    )
    expect(warmUp).toEqual({ step: 20, nextStep: 50, sentToday: counts.p, neededToday: 16, spoiltBy })
  },
)

test('an older program gets no turn for people of an account that has limits', async () => {
  const { id: instanceId } = await context.add.instance({ privatePerQuarter: 10 })
  const job = await context.add.job({ instanceId, recipients: people(1), status: 'Running' })
  const takeTurn = () =>
    context.db.run(sql`update jobs set cursor = cursor + 1, last_turn_at = clock_now() where id = ${job.id}`)
  expect(await takeTurn()).toBe(0)
  await context.db.run(sql`update instances set private_per_quarter = 0 where id = ${instanceId}`)
  expect(await takeTurn()).toBe(1)
})

// R-1211
test('messages that are found in the history count for the limits', async () => {
  const { provider, ledger, script } = scriptedProvider()
  const { id: instanceId } = await context.add.instance({ privatePerQuarter: 2, newPeopleCap: 9 })
  const job = await context.add.job({ instanceId, recipients: people(3), textContent: 'Hello' })
  const worker = context.worker(provider)
  await context.untilStatuses(job.id, 'sent', 'sent', 'queued')
  await worker.stop()
  // The database is set back to before the job.
  await context.db.run(sql`delete from matched_messages`)
  await context.db.run(sql`delete from instance_people where instance_id = ${instanceId}`)
  await context.db.run(sql`
    update deliveries set status = 'queued', intent = null, intent_at = null, sent_at = null, provider_message_id = null
    where job_id = ${job.id}`)
  await context.db.run(sql`update jobs set cursor = 0 where id = ${job.id}`)
  await context.db.run(sql`
    update instances set sent_by_day = '{}', sent_by_hour = '{}', last_private_at = '{}', checked_era = null
    where id = ${instanceId}`)
  script.onSend = () => Promise.reject(new Error('Nothing more may be sent.'))
  context.worker(provider)
  await until(
    'the messages are found',
    async () => (await context.statuses(job.id)).join() === 'sent,sent,queued',
  )
  await context.untilWaiting(job.id, 'quarter_hour')
  const instance = await context.instance(instanceId)
  expect(Object.values(instance?.sentByDay as Record<string, number>)).toEqual([2, 2])
  expect(await peopleOf(instanceId)).toEqual([
    { phone: '8490', isFirst: true, times: 1 },
    { phone: '8491', isFirst: true, times: 1 },
  ])
  expect(ledger).toHaveLength(2)
})
