import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { people, useEngineContext } from '../../../test/engine-context.ts'
import { scriptedProvider } from '../../../test/scripted-provider.ts'
import { until } from '../../../test/until.ts'
import { json, sql } from '../../platform/database/sql.ts'
import { whyWaiting } from '../index.ts'

const context = useEngineContext()

describe('quiet hours', () => {
  const saigon = 'Asia/Ho_Chi_Minh'
  const newYork = 'America/New_York'
  test.each<[string, string | null, string | null, string, string, string | null]>([
    ['not set', null, null, saigon, '2026-01-01T00:00:00Z', null],
    ['at noon, before their start', '12:00', '13:00', saigon, '2026-01-01T04:59:59Z', null],
    ['at noon, at their start', '12:00', '13:00', saigon, '2026-01-01T05:00:00Z', '2026-01-01T06:00:00.000Z'],
    ['at noon, at their end', '12:00', '13:00', saigon, '2026-01-01T06:00:00Z', null],
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
    ['over midnight, during the day', '22:00', '07:00', saigon, '2026-01-01T01:00:00Z', null],
    [
      'in the night that is an hour shorter',
      '22:00',
      '07:00',
      newYork,
      '2026-03-08T04:00:00Z',
      '2026-03-08T11:00:00.000Z',
    ],
    [
      'in the night that is an hour longer',
      '22:00',
      '07:00',
      newYork,
      '2026-11-01T03:00:00Z',
      '2026-11-01T12:00:00.000Z',
    ],
    [
      'with an end that the clock skips',
      '22:00',
      '02:30',
      newYork,
      '2026-03-08T06:00:00Z',
      '2026-03-08T07:30:00.000Z',
    ],
    ['after a skipped end', '22:00', '02:30', newYork, '2026-03-08T07:00:00Z', null],
  ])('%s', async (_name, from, to, zone, moment, until) => {
    const row = await context.db.maybeOne(
      sql`select quiet_until(${from}::time, ${to}::time, ${zone}, ${moment}) as until`,
    )
    expect(row?.until).toBe(until)
  })
})

describe('caps', () => {
  // The keys of the usage count the hours since 1970.
  const at = (hour: number, minute = 0) => new Date((hour * 60 + minute) * 60_000).toISOString()
  test.each<[string, Record<string, number>, number, string, string | null]>([
    ['not set', { p100: 999 }, 0, at(100), null],
    ['not reached', { p100: 4 }, 5, at(100, 30), null],
    ['reached this hour', { p100: 5 }, 5, at(100, 30), at(125)],
    ['reached 24 hours ago, but that hour may contain later messages', { p100: 5 }, 5, at(124, 59), at(125)],
    ['reached 25 hours ago', { p100: 5 }, 5, at(125), null],
    ['exceeded, until enough hours have passed', { p100: 2, p105: 3, p110: 2 }, 4, at(110), at(130)],
    ['reached only if groups counted for private chats', { g100: 5, p100: 4 }, 5, at(100), null],
  ])('%s', async (_name, usage, cap, moment, freeAt) => {
    const row = await context.db.maybeOne(sql`
      select cap_free_at(${json(usage)}, 'p', ${cap}, ${moment}) as free_at`)
    expect(row?.freeAt).toBe(freeAt)
  })

  test('usage is counted by the hour, old hours are removed, and a message can be subtracted', async () => {
    const row = await context.db.maybeOne(sql`
      select record_usage('{"p75": 1, "p76": 2, "g100": 1}', 'p', ${at(100)}, 1) as more,
        record_usage('{"p100": 1, "g100": 1}', 'p', ${at(100)}, -1) as less,
        record_usage('{}', 'g', ${at(100)}, -1) as none`)
    expect(row).toEqual({ more: { p76: 2, g100: 1, p100: 1 }, less: { g100: 1 }, none: {} })
  })
})

test('an unknown time zone cannot be stored', async () => {
  await expect(context.add.instance({ timeZone: 'Mars/Olympus' })).rejects.toThrow('Mars/Olympus')
})

const settings = {
  privatePauseFromMs: 180_000,
  privatePauseToMs: 240_000,
  privateSlowAfter: 10,
  privateSlowPauseFromMs: 240_000,
  privateSlowPauseToMs: 300_000,
  groupPauseFromMs: 600_000,
  groupPauseToMs: 900_000,
  privateCap: 25,
  privatePerQuarter: 3,
  privateHours: 3,
  privateDays: 2,
  personCap: 1,
  newPeopleCap: 60,
  quietFrom: '22:00',
  quietTo: '07:00',
  timeZone: 'America/New_York',
}

/**
 * Simulates three weeks in half a minute: the clock skips from one possible send to the next. The instance has four
 * jobs, two of them to the same people, and two workers, one of which is replaced after every fortieth skip. The
 * provider is busy now and then, so messages are refunded and sent again.
 */
// R-1210
test('over three weeks, with several jobs, two workers and restarts, no limit is exceeded', async () => {
  const { provider, script, accept } = scriptedProvider()
  const { id: instanceId } = await context.add.instance(settings)
  const sentAt: Sent[] = []
  let tries = 0
  script.onSend = async (send) => {
    if (++tries % 17 === 0)
      return { kind: 'busy', reason: { code: 'provider_busy', params: {} }, retryAfterMs: 1000 }
    const intended = await context.db.one<Sent>(sql`
      select d.intent_at as at, local_day(d.intent_at, 'America/New_York') as day, d.chat_id as "to",
        extract(hour from d.intent_at at time zone 'America/New_York')::int as hour, d.chat_id not like '%@g.us' as is_private
      from instances i join deliveries d on d.id = i.in_flight where i.id = ${instanceId}`)
    sentAt.push(intended)
    return accept(send)
  }
  const known = people(300)
  await context.db.run(sql`
    insert into instance_people (instance_id, phone, replied_at)
    select ${instanceId}, split_part(chat, '@', 1), clock_now() from unnest(${known}::text[]) chat`)
  const strangers = people(400).slice(300)
  await context.add.job({ instanceId, recipients: strangers })
  await context.add.job({ instanceId, recipients: known })
  await context.add.job({ instanceId, recipients: known.slice(0, 40) })
  await context.add.job({ instanceId, recipients: Array.from({ length: 20 }, (_, n) => `${n}@g.us`) })

  const workers = [context.worker(provider), context.worker(provider)]
  const { end } = await context.db.one<{ end: string }>(sql`select clock_now() + interval '21 days' as end`)
  const readClock = () => context.db.one<{ now: string }>(sql`select clock_now() as now`)
  for (let skip = 1; ; skip++) {
    const before = tries
    for (const worker of workers) worker.wake()
    // Without a next time, something is still due or in flight.
    await until(
      'a message is sent, or nothing is due',
      async () => tries > before || (await nextSendAt(instanceId)) !== null,
    )
    const next = await nextSendAt(instanceId)
    if (next === null) continue
    const { now } = await readClock()
    if (next >= end) break
    if (Date.parse(next) - Date.parse(now) > LONGEST_PAUSE_MS) {
      // Somewhen in between the workers look for something to send. Otherwise only the forecast would be tested.
      await context.setClock(momentBetween(now, next))
      for (const worker of workers) worker.wake()
      await delay(30)
    }
    await context.setClock(new Date(Date.parse(next) + 1).toISOString())
    if (skip % 40 === 0) {
      await workers.shift()?.stop()
      workers.push(context.worker(provider))
    }
  }
  const toPeople = sentAt.filter(({ isPrivate }) => isPrivate)
  expect(violations(sentAt, toPeople, new Set(strangers))).toEqual([])
  // Most of what the limits allow is used, so that the test proves something.
  expect(toPeople.length).toBeGreaterThanOrEqual(250)
}, 180_000)

/** Longer waits are those of limits. */
const LONGEST_PAUSE_MS = settings.privateSlowPauseToMs

const momentBetween = (from: string, to: string) =>
  new Date(Date.parse(from) + Math.random() * (Date.parse(to) - Date.parse(from))).toISOString()

type Sent = { at: string; day: number; hour: number; to: string; isPrivate: boolean }

/** Finds what exceeds a limit, without our SQL. */
function violations(all: Sent[], toPeople: Sent[], strangers: Set<string>): string[] {
  const time = ({ at }: Sent) => Date.parse(at)
  const within = (of: Sent[], ms: number) => (one: Sent) =>
    of.filter((other) => time(other) >= time(one) && time(other) < time(one) + ms).length
  const found = (rule: string, is: boolean) => (is ? [rule] : [])
  const byDay = Map.groupBy(toPeople, ({ day }) => day)
  const isBusy = (day: number) => (byDay.get(day)?.length ?? 0) >= 20
  const countOfDay = (one: Sent) => toPeople.filter(({ day, at }) => day === one.day && at <= one.at).length
  const pauseOf = (one: Sent) => (one.isPrivate ? (countOfDay(one) >= 10 ? 240_000 : 180_000) : 600_000)
  const quarter = within(toPeople, 15 * 60_000)
  const day = within(toPeople, 24 * 3_600_000)
  return [
    ...found(
      '15 minutes',
      toPeople.some((one) => quarter(one) > 3),
    ),
    ...found(
      '24 hours',
      toPeople.some((one) => day(one) > 25),
    ),
    ...found(
      'hours',
      [...byDay.values()].some((sent) => new Set(sent.map(({ hour }) => hour)).size > 3),
    ),
    ...found(
      'day of rest',
      [...byDay.keys()].some((on) => isBusy(on - 1) && isBusy(on - 2)),
    ),
    ...found(
      'quiet hours',
      all.some(({ hour }) => hour >= 22 || hour < 7),
    ),
    ...found('new people', toPeople.filter(({ to }) => strangers.has(to)).length > 60),
    ...found(
      'pauses',
      all.slice(1).some((one, n) => all[n] && time(one) - time(all[n]) < pauseOf(all[n])),
    ),
    ...found(
      'one person',
      toPeople.some(
        (one) =>
          within(
            toPeople.filter(({ to }) => to === one.to),
            24 * 3_600_000,
          )(one) > 1,
      ),
    ),
  ]
}

/** When the instance may send again. Null while something is due or in flight. */
async function nextSendAt(instanceId: number): Promise<string | null> {
  const instance = await context.db.maybeOne<{ inFlight: number | null; claim: string | null }>(sql`
    select in_flight, claim from instances where id = ${instanceId}`)
  if (instance?.inFlight != null || instance?.claim != null) return null
  const jobs = await context.db.many<{ id: number; status: string }>(sql`
    select id, status from jobs where instance_id = ${instanceId} and status in ('Pending', 'Running')`)
  const waits = await Promise.all(jobs.map(({ id }) => whyWaiting(context.db, id)))
  const times = waits.map(({ nextSendAt }) => nextSendAt)
  if (times.some((time) => time === null)) return null
  return times.filter((time) => time !== null).sort()[0] ?? '9999'
}

test('a slow send does not shorten the pause after it', async () => {
  const { provider, script, accept } = scriptedProvider()
  const { id: instanceId } = await context.add.instance({ groupPauseFromMs: 20_000, groupPauseToMs: 30_000 })
  script.onSend = async (send) => {
    await context.moveClock('15 seconds')
    return accept(send)
  }
  const job = await context.add.job({ instanceId })
  context.worker(provider)

  await context.untilStatuses(job.id, 'sent', 'queued', 'queued')

  const row = await context.db.maybeOne(sql`
    select extract(epoch from i.next_due_at - d.intent_at) as pause, i.claim
    from instances i join deliveries d on d.instance_id = i.id where i.id = ${instanceId} order by d.id limit 1`)
  expect(row?.pause).toBeGreaterThanOrEqual(35)
  expect(row?.pause).toBeLessThan(55)
  expect(row?.claim).toBeNull()
  expect((await whyWaiting(context.db, job.id)).waiting?.code).toBe('pause_between')
})
