import { expect, test } from 'vitest'
import { people, useEngineContext } from '../../../test/engine-context.ts'
import { sql } from '../../platform/database/sql.ts'
import { stepUpWarmUps } from '../health/warm-up.ts'
import { claimInstances } from '../sending/claim.ts'
import { expectEnd } from './estimate.ts'
import { whyAllWait } from './trouble.ts'

const context = useEngineContext()

const SAIGON = 'Asia/Ho_Chi_Minh'
/** 10 o'clock in Saigon. */
const MORNING = '2026-01-01T03:00:00.000Z'

type Settings = Record<string, unknown>

/** An instance that pauses a minute after each message to a person, with jobs that run since the morning. */
async function fixture(settings: Settings, jobs: number[], groups = 0) {
  await context.freezeClock()
  await context.setClock(MORNING)
  const { id: instanceId } = await context.add.instance({
    ...{ privatePauseFromMs: 60_000, privatePauseToMs: 60_000, timeZone: SAIGON },
    ...{ privateSlowPauseFromMs: 300_000, privateSlowPauseToMs: 300_000 },
    ...{ groupPauseFromMs: 20_000, groupPauseToMs: 20_000 },
    ...settings,
  })
  const all = people(jobs.reduce((sum, count) => sum + count, 0))
  const ids: number[] = []
  if (groups > 0) {
    const recipients = Array.from({ length: groups }, (_, n) => `${n}@g.us`)
    ids.push((await context.add.job({ instanceId, recipients, status: 'Running' })).id)
  }
  for (const count of jobs) {
    const recipients = all.splice(0, count)
    const { id } = await context.add.job({ instanceId, recipients, status: 'Running', newPeopleCount: count })
    ids.push(id)
  }
  await context.db.run(sql`update jobs set started_at = clock_now() where instance_id = ${instanceId}`)
  await context.db.run(sql`update instances set limits_read_at = clock_now(), next_due_at = clock_now()
    where id = ${instanceId}`)
  return { instanceId, ids }
}

/** Writes one intent after another as the rules in SQL allow, in the database's time. Returns when each job ended. */
async function playThrough(ids: readonly number[]): Promise<Map<number, string>> {
  const { instanceId } = await context.db.one<{ instanceId: number }>(sql`
    select instance_id from jobs where id = ${ids[0]}`)
  const endedAt = new Map<number, string>()
  for (;;) {
    const { now } = await context.db.one<{ now: string }>(sql`select clock_now() as now`)
    const [claim] = await claimInstances(context.db, 1)
    if (claim) {
      const step = await context.writeIntent(claim)
      if (step.kind !== 'send') continue
      await context.settle(step, { kind: 'sent', providerMessageId: `sent ${step.id}` })
      endedAt.set(step.jobId, now)
      continue
    }
    const waits = [...(await whyAllWait(context.db, ids)).values()]
    const next = waits.flatMap(({ nextSendAt }) => nextSendAt ?? []).sort()[0]
    if (!next) return endedAt
    // The warm-up is looked at when a day begins.
    const { at } = await context.db.one<{ at: string }>(sql`
      select least(${next}::timestamptz, case when i.warm_up_step is not null
        then day_begins(local_day(clock_now(), i.time_zone) + 1, i.time_zone) end) as at
      from instances i where i.id = ${instanceId}`)
    await context.setClock(at)
    await stepUpWarmUps(context.db)
  }
}

// R-1201, R-1202, R-1203, R-1204, R-1212
test.each<[string, Settings, number, string]>([
  // Each line has the end of a job to that many people that begins at 10:00, in Saigon's time.
  ['no limit', {}, 30, '2026-01-01 10:29'],
  ['10 in 15 minutes', { privatePerQuarter: 10 }, 25, '2026-01-01 10:34'],
  ['2 in 15 minutes', { privatePerQuarter: 2 }, 5, '2026-01-01 10:30'],
  ['2 hours a day', { privateHours: 2, privatePerQuarter: 3 }, 30, '2026-01-02 00:17'],
  ['a slower pause from the fifth on', { privateSlowAfter: 5 }, 8, '2026-01-01 10:19'],
  ['a slower pause from the first on', { privateSlowAfter: 1 }, 3, '2026-01-01 10:10'],
  ['a day of rest after a day with 20', { privateDays: 1, privateCap: 20 }, 41, '2026-01-05 00:00'],
  ['a warm-up', { warmUpStep: 20 }, 60, '2026-01-02 11:09'],
  ['5 new people in 30 days', { newPeopleCap: 5 }, 7, '2026-02-01 00:01'],
  [
    'a quota of WhatsApp before our own',
    { newPeopleCap: 5, newPeopleLeft: 6, newPeopleUntil: '2026-01-03T03:00:00Z' },
    7,
    '2026-02-01 00:00',
  ],
  ['a warning until 10:03', { warnedUntil: '2026-01-01T03:03:00Z' }, 5, '2026-01-01 10:06'],
  ['a cap of WhatsApp', { cappedUntil: '2026-01-02T03:00:00Z' }, 3, '2026-01-02 10:02'],
])('with %s, a job ends when the forecast says so', async (_name, settings, count, end) => {
  const { ids } = await fixture(settings, [count])
  const [id = 0] = ids
  const forecast = await expectEnd(context.db, id, count)
  const endedAt = (await playThrough(ids)).get(id)
  const local = new Date(Date.parse(endedAt ?? '') + 7 * 3_600_000).toISOString()
  expect({ forecast: forecast?.endsAt, local: local.slice(0, 16).replace('T', ' ') }).toEqual({
    forecast: endedAt,
    local: end,
  })
})

// R-1212
test('whatever the limits and the other jobs are, the forecast agrees with the rules that hold back messages', async () => {
  let seed = 11
  const draw = (most: number) => {
    seed = (seed * 48_271) % 2_147_483_647
    return seed % most
  }
  for (let n = 0; n < 6; n++) {
    const settings = {
      privatePerQuarter: draw(3) * (2 + draw(3)),
      privateHours: draw(3),
      privateDays: draw(3),
      privateSlowAfter: draw(3) * 5,
      newPeopleCap: draw(2) * (10 + draw(30)),
      privateCap: draw(2) * (10 + draw(30)),
      warmUpStep: draw(3) ? null : 20,
      warnedUntil: draw(3) ? null : '2026-01-01T04:00:00Z',
      ...(draw(3) ? {} : { quietFrom: '22:00', quietTo: '07:00' }),
    }
    const jobs = [25 + draw(30), 1 + draw(20)]
    const { ids } = await fixture(settings, jobs, draw(2) * 30)
    // The forecast takes the other jobs to have waited longer for their turn.
    const last = ids.at(-1) ?? 0
    const forecast = await expectEnd(context.db, last, jobs.at(-1) ?? 0)
    const end = (await playThrough(ids)).get(last)
    expect({ n, settings, jobs, end: forecast?.endsAt }).toEqual({ n, settings, jobs, end })
    await context.db.run(sql`delete from jobs`)
  }
}, 60_000)
