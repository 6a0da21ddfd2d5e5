import { type QuietHours, quietTimes } from '@sendroom/contract/quiet-hours'
import { expect, test } from 'vitest'
import { useEngineContext } from '../../../test/engine-context.ts'
import { sql } from '../../platform/database/sql.ts'
import { type InstancePace, lastSendAt, type Queue } from './forecast.ts'

const context = useEngineContext()

const time = (text: string) => Date.parse(text)
const hour = (text: string) => Math.floor(time(text) / 3_600_000)
const noon = time('2026-01-01T12:00:00Z')

const pace = (more: Partial<InstancePace> = {}): InstancePace => ({
  pauseMs: { g: 25_000, p: 75_000 },
  cap: { g: 0, p: 0 },
  usage: {},
  quiet: null,
  freeAt: noon,
  ...more,
})
const groups = (left: number, beginsAt = noon): Queue => ({ kind: 'g', left, beginsAt })
const people = (left: number, beginsAt = noon): Queue => ({ kind: 'p', left, beginsAt })
const capOf = (p: number) => ({ g: 0, p })
const night = { from: '22:00', to: '07:00', timeZone: 'Asia/Ho_Chi_Minh' }
const quiet = (from: string, to: string, timeZone = 'UTC') => ({ from, to, timeZone })

test.each<[string, Queue, Queue[], Partial<InstancePace>, string | null]>([
  ['nothing to send', groups(0), [], {}, null],
  ['one message now', groups(1), [], {}, '2026-01-01T12:00:00Z'],
  ['one message after the current pause', groups(1), [], { freeAt: noon + 9000 }, '2026-01-01T12:00:09Z'],
  ['one message later', groups(1, noon + 60_000), [], {}, '2026-01-01T12:01:00Z'],
  ['groups with a pause of 25 s', groups(101), [], {}, '2026-01-01T12:41:40Z'],
  ['people with a pause of 75 s', people(49), [], {}, '2026-01-01T13:00:00Z'],
  // R-2191
  ['without a pause', groups(322), [], { pauseMs: { g: 0, p: 0 } }, '2026-01-01T12:00:11.235Z'],
  ['two jobs take turns', groups(3), [groups(100)], {}, '2026-01-01T12:02:05Z'],
  ['another job that ends soon', groups(10), [groups(2)], {}, '2026-01-01T12:04:35Z'],
  ['groups and people take turns, each with its pause', groups(3), [people(9)], {}, '2026-01-01T12:04:35Z'],
  [
    'a job that begins later takes turns from then on',
    groups(4),
    [groups(9, noon + 50_000)],
    {},
    '2026-01-01T12:02:05Z',
  ],
  [
    'a job that begins after our end does not count',
    groups(3),
    [groups(9, noon + 60_000)],
    {},
    '2026-01-01T12:00:50Z',
  ],

  // 100 messages with pauses of 36 s take the first hour. The cap frees them from the 26th hour on.
  [
    'a cap that is not reached',
    people(100),
    [],
    { cap: capOf(100), pauseMs: { g: 0, p: 36_000 } },
    '2026-01-01T12:59:24Z',
  ],
  [
    'one more than the cap',
    people(101),
    [],
    { cap: capOf(100), pauseMs: { g: 0, p: 36_000 } },
    '2026-01-02T13:00:00Z',
  ],
  [
    'ten times the cap',
    people(1000),
    [],
    { cap: capOf(100), pauseMs: { g: 0, p: 36_000 } },
    '2026-01-10T21:59:24Z',
  ],
  [
    'a cap whose messages take two hours',
    people(110),
    [],
    { cap: capOf(100), pauseMs: { g: 0, p: 72_000 } },
    '2026-01-02T13:10:48Z',
  ],
  [
    'earlier messages count for the cap',
    people(3),
    [],
    { cap: capOf(4), usage: { [`p${hour('2026-01-01T02:00Z')}`]: 2 } },
    '2026-01-02T03:00:00Z',
  ],
  [
    'messages of the day before do not count',
    people(3),
    [],
    { cap: capOf(4), usage: { [`p${hour('2025-12-31T11:00Z')}`]: 4 } },
    '2026-01-01T12:02:30Z',
  ],
  [
    'messages to groups do not count for people',
    people(3),
    [],
    { cap: capOf(4), usage: { [`g${hour('2026-01-01T11:00Z')}`]: 9 } },
    '2026-01-01T12:02:30Z',
  ],
  [
    'groups continue while people have reached their cap',
    groups(5),
    [people(100)],
    { cap: capOf(2) },
    '2026-01-01T12:04:10Z',
  ],
  ['two jobs share a cap', people(10), [people(10)], { cap: capOf(10) }, '2026-01-02T13:11:15Z'],
  ['a cap of one message a day for ten years', people(100_000), [], { cap: capOf(1) }, null],

  ['quiet hours at the start', groups(1), [], { quiet: quiet('11:00', '13:00') }, '2026-01-01T13:00:00Z'],
  ['quiet hours in the middle', groups(145), [], { quiet: quiet('12:30', '13:00') }, '2026-01-01T13:30:00Z'],
  [
    'quiet hours over midnight, in Saigon',
    groups(1, time('2026-01-01T15:00:00Z')),
    [],
    { quiet: night },
    '2026-01-02T00:00:00Z',
  ],
  ['a night in the middle', groups(1 + 3 * 144 + 10), [], { quiet: night }, '2026-01-02T00:04:10Z'],
  [
    'a night that is an hour shorter',
    groups(1),
    [],
    { quiet: quiet('22:00', '07:00', 'America/New_York'), freeAt: time('2026-03-08T04:00:00Z') },
    '2026-03-08T11:00:00Z',
  ],
  [
    'quiet hours and a cap',
    people(30),
    [],
    { quiet: quiet('13:00', '12:00'), cap: capOf(20), pauseMs: { g: 0, p: 60_000 } },
    '2026-01-03T12:09:00Z',
  ],
])('%s', (_case, job, others, more, end) => {
  expect(lastSendAt(job, others, pace(more))).toBe(end && time(end))
})

/** A slow reference: applies the rules to one message after another. */
function lastSendOneByOne(job: Queue, others: Queue[], instance: InstancePace): number {
  const ours = { ...job }
  let queues = [...others.map((other) => ({ ...other })), ours]
  const usage: Record<string, number> = { ...instance.usage }
  const quietAt = instance.quiet && quietTimes(instance.quiet)
  const used = (kind: string, at: number) =>
    Object.entries(usage).reduce(
      (sum, [key, n]) =>
        sum + (key[0] === kind && Number(key.slice(1)) >= Math.floor(at / 3_600_000) - 24 ? n : 0),
      0,
    )
  for (let at = instance.freeAt; ; ) {
    const isQuiet = quietAt && quietAt(at).from <= at
    const next = isQuiet
      ? undefined
      : queues.find(
          (queue) =>
            queue.left > 0 &&
            queue.beginsAt <= at &&
            (instance.cap[queue.kind] === 0 || used(queue.kind, at) < instance.cap[queue.kind]),
        )
    if (!next) {
      at += 1000
      continue
    }
    if (next === ours && ours.left === 1) return at
    next.left--
    const key = next.kind + Math.floor(at / 3_600_000)
    usage[key] = (usage[key] ?? 0) + 1
    at += instance.pauseMs[next.kind]
    queues = [...queues.filter((queue) => queue !== next), next]
  }
}

test('the forecast equals the slow reference', () => {
  let seed = 7
  const draw = (most: number) => {
    seed = (seed * 48_271) % 2_147_483_647
    return seed % most
  }
  const queue = (): Queue => ({
    kind: draw(2) ? 'g' : 'p',
    left: 1 + draw(150),
    beginsAt: noon + draw(3) * 1000 * draw(20_000),
  })
  for (let n = 0; n < 40; n++) {
    const [job, others] = [queue(), Array.from({ length: draw(4) }, queue)]
    const instance = pace({
      pauseMs: { g: 1000 * (1 + draw(60)), p: 1000 * (1 + draw(200)) },
      cap: { g: draw(3) ? 0 : 20 + draw(100), p: draw(2) * (20 + draw(100)) },
      quiet: draw(2) ? night : null,
    })
    expect({ n, end: lastSendAt(job, others, instance) }).toEqual({
      n,
      end: lastSendOneByOne(job, others, instance),
    })
  }
})

test('a forecast of 300,000 messages stays within the limits of the computation', () => {
  const instance = pace({ cap: capOf(200), quiet: night })
  const end = lastSendAt(people(100_000), [groups(100_000), people(100_000)], instance)
  expect(end).toBeGreaterThan(noon + 900 * 86_400_000)
})

test.each<QuietHours>([
  night,
  quiet('12:00', '13:00', 'Europe/Berlin'),
  quiet('22:00', '07:00', 'America/New_York'),
  quiet('22:00', '03:30', 'America/New_York'),
  quiet('00:00', '23:59', 'Asia/Kathmandu'),
])('the forecast and the engine agree on the quiet hours $from to $to in $timeZone', async (hours) => {
  const rows = await context.db.many<{ moment: string; until: string | null }>(sql`
    select moment, quiet_until(${hours.from}::time, ${hours.to}::time, ${hours.timeZone}, moment) as until
    from unnest(array['2026-01-01', '2026-03-07', '2026-03-28', '2026-10-24', '2026-10-31']::timestamptz[]) as start,
      generate_series(start, start + interval '3 days', interval '23 minutes') as moment
    order by moment`)
  const quietAt = quietTimes(hours)
  for (const { moment, until } of rows) {
    const { from, to } = quietAt(time(moment))
    expect({ moment, until: from <= time(moment) ? to : null }).toEqual({
      moment,
      until: until && time(until),
    })
  }
})
