import { describe, expect, test } from 'vitest'
import { useEngineContext } from '../../../test/engine-context.ts'
import { hasten } from '../../../test/hasten.ts'
import { scriptedProvider } from '../../../test/scripted-provider.ts'
import { until } from '../../../test/until.ts'
import { storeSessionDefaults } from '../../platform/database/session-defaults.ts'
import { sql } from '../../platform/database/sql.ts'
import { restartJob } from '../index.ts'
import { openHeartbeat } from './heartbeat.ts'

const context = useEngineContext()
const silent = { info() {}, warn() {}, error() {} }
const recipients = ['1@g.us', '2@g.us', '3@g.us']
const eraOf = async () => (await context.db.one<{ era: string }>(sql`select era from heartbeat`)).era
const freshHeartbeat = (log = silent) => openHeartbeat({ db: context.db, log })

const beatAgo = (seconds: number) =>
  context.db.run(sql`
    update heartbeat set beat = beat + 1, beat_at = clock_now() - ${seconds} * interval '1 second',
      timeline = current_timeline(), history_complete_at = least(history_complete_at, clock_now())`)

/** A worker watches for five seconds and beats every two. So fast, the second beat ends the watch. */
const WATCH_TIMES = 3

/** A job of an instance that this database knows well, and a provider that has one message more. */
async function jobInCopy() {
  const { id: instanceId } = await context.add.instance({ checkedEra: await eraOf() })
  const job = await context.add.job({ instanceId, status: 'Running', recipients, textContent: 'Hello' })
  const scripted = scriptedProvider()
  scripted.accept({ token: 'any', to: '1@g.us', text: 'Hello', mediaId: null })
  return { ...scripted, job }
}

test.each([1, 5, 15, 29, 31])(
  'a worker that starts in a copy %i s after its last beat sends nothing again',
  async (seconds) => {
    const world = await jobInCopy()
    await beatAgo(seconds)
    hasten(WATCH_TIMES)
    context.worker(world.provider, { beatSeenBefore: undefined })

    await context.untilStatus(world.job.id, 'Completed')

    expect(world.ledger.map(({ to }) => to)).toEqual(recipients)
    expect(world.calls.histories).toBe(1)
  },
)

describe('what a copy does not know of the time since it was made', () => {
  const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString()
  /** The original sent these messages to two of the three recipients. */
  async function inOldCopy(instance: Record<string, unknown>, job: Record<string, unknown>) {
    const { id: instanceId } = await context.add.instance({ checkedEra: await eraOf(), ...instance })
    const { id } = await context.add.job({ instanceId, recipients, textContent: 'Hello', ...job })
    const scripted = scriptedProvider()
    for (const to of ['1@g.us', '3@g.us']) scripted.accept({ token: 'any', to, text: 'Hello', mediaId: null })
    await beatAgo(300)
    return { ...scripted, instanceId, id }
  }
  async function expectNobodyTwice({
    id,
    provider,
    ledger,
    instanceId,
  }: Awaited<ReturnType<typeof inOldCopy>>) {
    const before = await eraOf()
    context.worker(provider, { beatSeenBefore: undefined })
    await until('the era has begun', async () => (await eraOf()) !== before)
    const { pause } = await context.db.one<{ pause: string }>(sql`
      select greatest(next_due_at - clock_now(), '0')::text as pause from instances where id = ${instanceId}`)
    await context.moveClock(pause)
    await context.db.run(
      sql`update heartbeat set history_complete_at = least(history_complete_at, clock_now())`,
    )
    await context.untilStatus(id, 'Completed')
    expect(ledger.map(({ to }) => to).sort()).toEqual(recipients)
  }

  test('a job was due, and sent', async () => {
    const times = { createdAt: minutesAgo(120), scheduledAt: minutesAgo(60) }
    const world = await inOldCopy({}, { status: 'Pending', ...times })
    for (const { message } of world.ledger) message.timestamp -= 50 * 60

    await expectNobodyTwice(world)
  })

  test('a job that was restarted in time was due, and sent', async () => {
    const times = { createdAt: minutesAgo(120), scheduledAt: minutesAgo(60) }
    const world = await inOldCopy({}, { status: 'Cancelled', ...times })
    await context.db.begin((tx) => restartJob(tx, world.id, 'Ann'))
    await context.db.run(sql`update job_logs set created_at = ${minutesAgo(90)} where job_id = ${world.id}`)
    for (const { message } of world.ledger) message.timestamp -= 50 * 60

    await expectNobodyTwice(world)
  })

  test.each(['the same', 'another'])(
    'a person has shortened the pause of the instance, %s timeline',
    async (which) => {
      const world = await inOldCopy(
        { lastIntentAt: minutesAgo(10), nextDueAt: minutesAgo(-10) },
        { status: 'Running', createdAt: minutesAgo(20), startedAt: minutesAgo(20) },
      )
      if (which === 'another') await context.db.run(sql`update heartbeat set timeline = 'FFFFFFFF'`)

      await expectNobodyTwice(world)
    },
  )
})

test('two workers that start at once begin one era', async () => {
  const world = await jobInCopy()
  await beatAgo(1)
  hasten(WATCH_TIMES)
  const before = await eraOf()
  context.worker(world.provider, { beatSeenBefore: undefined })
  context.worker(world.provider, { beatSeenBefore: undefined })

  await context.untilStatus(world.job.id, 'Completed')

  expect(await eraOf()).not.toBe(before)
  expect(world.ledger.map(({ to }) => to)).toEqual(recipients)
  expect(world.calls.histories).toBe(1)
})

describe('a worker that starts alone a few seconds after a promotion', () => {
  const completeIn = async () => {
    const { seconds } = await context.db.one<{ seconds: number }>(sql`
      select extract(epoch from history_complete_at - clock_now())::float as seconds from heartbeat`)
    return seconds
  }
  /** Begins an era for a promotion, after which the worker is replaced. */
  async function promoteAndRestart() {
    await context.freezeClock()
    await beatAgo(0)
    await context.db.run(sql`update heartbeat set timeline = 'FFFFFFFF'`)
    await openHeartbeat({ db: context.db, log: silent, beatSeenBefore: 0 }).beat()
    expect(await completeIn()).toBe(30)
  }
  /** As after five seconds of watching. */
  const beginEra = () =>
    context.db.run(sql`update heartbeat set beat_at = clock_now() - interval '31 seconds'`)

  test('does not end the wait for messages that are on their way, and the numbers of events grow', async () => {
    await promoteAndRestart()
    await context.moveClock('8 seconds')
    await beginEra()

    await freshHeartbeat().beat()

    // More than the 22 seconds that were left: events may have been sent in the eight seconds before.
    expect(await completeIn()).toBe(30)
  })

  test('waits no longer once they have arrived', async () => {
    await promoteAndRestart()
    await context.moveClock('31 seconds')
    await beginEra()

    await freshHeartbeat().beat()

    expect(await completeIn()).toBe(0)
  })

  test('waits no longer than usual although the clock was wrong by a year', async () => {
    await promoteAndRestart()
    await context.moveClock('-1 year')
    await beginEra()

    await freshHeartbeat().beat()

    expect(await completeIn()).toBe(30)
  })
})

test('a worker that starts beside another one begins no era, and sends from the other’s next beat on', async () => {
  await beatAgo(0)
  const before = await eraOf()
  const [living, starting] = [
    openHeartbeat({ db: context.db, log: silent, beatSeenBefore: 0 }),
    freshHeartbeat(),
  ]
  await living.beat()

  await starting.beat()
  await starting.beat()
  expect(starting.maySend()).toBe(false)
  await living.beat()
  await starting.beat()

  expect(starting.maySend()).toBe(true)
  expect(await eraOf()).toBe(before)
})

test('a worker that starts while the database is set back begins an era', async () => {
  await beatAgo(0)
  const before = await eraOf()
  const starting = freshHeartbeat()
  await starting.beat()

  await context.db.run(sql`update heartbeat set beat = beat - 1`)
  await starting.beat()

  expect(await eraOf()).not.toBe(before)
})

test('a worker that watches writes no intent and adds no beat', async () => {
  await beatAgo(0)
  const world = await jobInCopy()
  const claim = await context.claimOne()
  const readBeat = () => context.db.one(sql`select beat, beat_at from heartbeat`)
  const before = await readBeat()
  const starting = freshHeartbeat()

  await starting.beat()

  expect(await context.writeIntent(claim, starting.lastSeen())).toEqual({ kind: 'nothing' })
  expect(await readBeat()).toEqual(before)
  expect(world.calls.sends).toEqual([])
})

//
test.each(['fsync', 'synchronous_commit'])(
  'nothing is sent while %s is off, and the log says why',
  async (setting) => {
    const database = context.database.address.database
    // The settings of the whole cluster stay as they are for other tests.
    await context.db.script(`
    create schema planted;
    create function planted.current_setting(name text) returns text language sql as
      $$select case name when '${setting}' then 'off' else pg_catalog.current_setting(name) end$$;
    alter database ${database} set search_path = planted, pg_catalog, public`)
    try {
      const job = await context.add.job({ status: 'Running', recipients })
      const { provider, calls } = scriptedProvider()
      const logged: string[] = []
      const log = { ...silent, error: (_details: object, sentence: string) => void logged.push(sentence) }
      const deps = context.deps(provider, { log })
      const heartbeat = openHeartbeat(deps)

      for (let beat = 0; beat < 3; beat++) await heartbeat.beat()

      expect(logged).toEqual([expect.stringContaining('Nothing is sent: PostgreSQL runs with fsync')])
      expect(heartbeat.maySend()).toBe(false)
      const claim = await context.claimOne()
      expect(await context.writeIntent(claim, heartbeat.lastSeen())).toEqual({ kind: 'nothing' })
      expect(await context.statuses(job.id)).toEqual(['queued', 'queued', 'queued'])
      expect(calls.sends).toEqual([])
    } finally {
      await context.db.script(`alter database ${database} reset search_path; drop schema planted cascade`)
    }
  },
)

test('every session of ours waits for its commits, whatever the server is set to', async () => {
  const { database } = context.database.address
  const { db } = context.deps(scriptedProvider().provider)
  await context.db.script(`alter database ${database} set synchronous_commit = off`)
  await storeSessionDefaults(context.db, 'database')
  expect(await db.one(sql`show synchronous_commit`)).toEqual({ synchronousCommit: 'on' })
})
