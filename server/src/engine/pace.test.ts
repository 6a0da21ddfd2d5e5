import { describe, expect, test } from 'vitest'
import { useEngineWorld } from '../../test/engine-world.ts'
import { json, sql } from '../platform/database/sql.ts'
import { whyWaiting } from './index.ts'

const world = useEngineWorld()

describe('quiet hours', () => {
  const saigon = 'Asia/Ho_Chi_Minh'
  const newYork = 'America/New_York'
  test.each<[string, string | null, string | null, string, string, string | null]>([
    ['none set', null, null, saigon, '2026-01-01T00:00:00Z', null],
    ['at noon, before', '12:00', '13:00', saigon, '2026-01-01T04:59:59Z', null],
    [
      'at noon, at its beginning',
      '12:00',
      '13:00',
      saigon,
      '2026-01-01T05:00:00Z',
      '2026-01-01T06:00:00.000Z',
    ],
    ['at noon, at its end', '12:00', '13:00', saigon, '2026-01-01T06:00:00Z', null],
    [
      'over midnight, in the evening',
      '22:00',
      '07:00',
      saigon,
      '2026-01-01T16:00:00Z',
      '2026-01-02T00:00:00.000Z',
    ],
    [
      'over midnight, in the morning',
      '22:00',
      '07:00',
      saigon,
      '2026-01-01T20:00:00Z',
      '2026-01-02T00:00:00.000Z',
    ],
    ['over midnight, by day', '22:00', '07:00', saigon, '2026-01-01T01:00:00Z', null],
    [
      'the night that is an hour shorter',
      '22:00',
      '07:00',
      newYork,
      '2026-03-08T04:00:00Z',
      '2026-03-08T11:00:00.000Z',
    ],
    [
      'the night that is an hour longer',
      '22:00',
      '07:00',
      newYork,
      '2026-11-01T03:00:00Z',
      '2026-11-01T12:00:00.000Z',
    ],
    [
      'an end that the clock leaps over',
      '22:00',
      '02:30',
      newYork,
      '2026-03-08T06:00:00Z',
      '2026-03-08T07:30:00.000Z',
    ],
    ['after the leap', '22:00', '02:30', newYork, '2026-03-08T07:00:00Z', null],
  ])('%s', async (_name, from, to, zone, moment, until) => {
    const row = await world.db.maybeOne(
      sql`select quiet_until(${from}::time, ${to}::time, ${zone}, ${moment}) as until`,
    )
    expect(row?.until).toBe(until)
  })
})

describe('caps', () => {
  // Hour 0 is the first of 1970: buckets are hours since then.
  const at = (hour: number, minute = 0) => new Date((hour * 60 + minute) * 60_000).toISOString()
  test.each<[string, Record<string, number>, number, string, string | null]>([
    ['none set', { p100: 999 }, 0, at(100), null],
    ['not reached', { p100: 4 }, 5, at(100, 30), null],
    ['reached this hour', { p100: 5 }, 5, at(100, 30), at(125)],
    ['reached 24 hours ago: the hour may hold younger ones', { p100: 5 }, 5, at(124, 59), at(125)],
    ['reached 25 hours ago', { p100: 5 }, 5, at(125), null],
    ['free when enough hours have passed', { p100: 2, p105: 3, p110: 2 }, 4, at(110), at(130)],
    ['groups do not count for private chats', { g100: 5, p100: 4 }, 5, at(100), null],
  ])('%s', async (_name, spent, cap, moment, freeAt) => {
    const row = await world.db.maybeOne(sql`
      select cap_free_at(${json(spent)}, 'p', ${cap}, ${moment}) as free_at`)
    expect(row?.freeAt).toBe(freeAt)
  })

  test('spending counts in the hour, forgets what is old, and gives back', async () => {
    const row = await world.db.maybeOne(sql`
      select spend('{"p75": 1, "p76": 2, "g100": 1}', 'p', ${at(100)}, 1) as more,
        spend('{"p100": 1, "g100": 1}', 'p', ${at(100)}, -1) as less,
        spend('{}', 'g', ${at(100)}, -1) as none`)
    expect(row).toEqual({ more: { p76: 2, g100: 1, p100: 1 }, less: { g100: 1 }, none: {} })
  })
})

test('a zone that the database does not know is refused before it can stop the engine', async () => {
  await expect(world.add.instance({ timeZone: 'Mars/Olympus' })).rejects.toThrow('Mars/Olympus')
})

/**
 * Two days in some seconds: the clock leaps from one possible send to the next, with three jobs on one number
 * and a new worker after every tenth leap.
 */
test('over two days no window of 24 hours is above the cap, no pause too short, nothing in quiet hours', async () => {
  const { provider, script, accept } = world.scripted()
  const { id: instanceId } = await world.add.instance({
    privatePauseFromMs: 600_000,
    privatePauseToMs: 900_000,
    groupPauseFromMs: 600_000,
    groupPauseToMs: 900_000,
    privateCap: 20,
    quietFrom: '22:00',
    quietTo: '07:00',
    timeZone: 'America/New_York',
  })
  const sentAt: { at: number; hour: number; isPrivate: boolean }[] = []
  script.onSend = async (send) => {
    const now = await world.db.one<{ at: string; hour: number }>(sql`
      select clock_now() as at, extract(hour from clock_now() at time zone 'America/New_York')::int as hour`)
    sentAt.push({ at: Date.parse(now.at), hour: now.hour, isPrivate: !send.to.endsWith('@g.us') })
    return accept(send)
  }
  const people = Array.from({ length: 60 }, (_, n) => `849${n}@s.whatsapp.net`)
  await world.add.job({ instanceId, recipients: people.slice(0, 30) })
  await world.add.job({ instanceId, recipients: people.slice(30) })
  await world.add.job({ instanceId, recipients: Array.from({ length: 100 }, (_, n) => `${n}@g.us`) })

  let engine = world.worker(provider)
  const { end } = await world.db.one<{ end: string }>(sql`select clock_now() + interval '2 days' as end`)
  for (let leap = 1; ; leap++) {
    const before = sentAt.length
    engine.wake()
    // Whatever may go now has gone when nothing is due any more.
    await world.until(async () => (await nextChange(instanceId)) !== null || sentAt.length > before)
    const next = await nextChange(instanceId)
    if (next === null) continue
    if (next >= end) break
    await world.db.run(
      sql`update test_clock set ahead = ahead + (${next}::timestamptz - clock_now()) + interval '1 ms'`,
    )
    if (leap % 10 === 0) {
      await engine.stop()
      engine = world.worker(provider)
    }
  }

  const day = 24 * 3600_000
  for (const { at } of sentAt)
    expect(
      sentAt.filter((other) => other.isPrivate && other.at >= at && other.at < at + day).length,
    ).toBeLessThanOrEqual(20)
  const pauses = sentAt.slice(1).map(({ at }, n) => at - (sentAt[n]?.at ?? 0))
  expect(Math.min(...pauses)).toBeGreaterThanOrEqual(600_000)
  expect(sentAt.filter(({ hour }) => hour >= 22 || hour < 7)).toEqual([])
  expect(sentAt.filter(({ isPrivate }) => isPrivate).length).toBeGreaterThanOrEqual(40)
}, 120_000)

/** When the account may go on, in SQL of this test's own; null while something is due or on its way. */
async function nextChange(instanceId: number): Promise<string | null> {
  const account = await world.db.maybeOne<{ inFlight: number | null; claim: string | null }>(sql`
    select in_flight, claim from instances where id = ${instanceId}`)
  if (account?.inFlight != null || account?.claim != null) return null
  const jobs = await world.db.many<{ id: number; status: string }>(sql`
    select id, status from jobs where instance_id = ${instanceId} and status in ('Pending', 'Running')`)
  const waits = await Promise.all(jobs.map(({ id }) => whyWaiting(world.db, id)))
  const times = waits.map(({ nextSendAt }) => nextSendAt)
  if (times.some((time) => time === null)) return null
  return times.filter((time) => time !== null).sort()[0] ?? '9999'
}

test('a slow send does not shorten the pause, and a crash does not either', async () => {
  const { provider, script, accept } = world.scripted()
  const { id: instanceId } = await world.add.instance({ groupPauseFromMs: 20_000, groupPauseToMs: 30_000 })
  script.onSend = async (send) => {
    await world.moveClock('15 seconds')
    return accept(send)
  }
  const job = await world.add.job({ instanceId })
  world.worker(provider)

  await world.until(async () => (await world.statuses(job.id))[0] === 'sent')

  const row = await world.db.maybeOne(sql`
    select extract(epoch from i.next_due_at - d.intent_at) as pause, i.claim
    from instances i join deliveries d on d.instance_id = i.id where i.id = ${instanceId} order by d.id limit 1`)
  expect(row?.pause).toBeGreaterThanOrEqual(35)
  expect(row?.pause).toBeLessThan(46)
  expect(row?.claim).toBeNull()
  expect((await whyWaiting(world.db, job.id)).waiting?.code).toBe('pause_between')
})
