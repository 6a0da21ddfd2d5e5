import { beforeEach, describe, expect, test } from 'vitest'
import { useEngineContext } from '../../../test/engine-context.ts'
import { scriptedProvider } from '../../../test/scripted-provider.ts'
import { until } from '../../../test/until.ts'
import { sql } from '../../platform/database/sql.ts'
import { ProviderFailure } from '../../providers/provider.ts'
import { expectEnd, resumeSending, whyWaiting } from '../index.ts'
import { openHeartbeat } from './heartbeat.ts'

const context = useEngineContext()
const silent = { info() {}, warn() {}, error() {} }
const recipients = ['1@g.us', '2@g.us', '3@g.us']

/** A running job of an instance that is not checked in the present era, and a provider that may know more. */
async function jobAfterLoss(more: Record<string, unknown> = {}, instance: Record<string, unknown> = {}) {
  const { id: instanceId } = await context.add.instance({ checkedEra: null, ...instance })
  const job = await context.add.job({
    instanceId,
    status: 'Running',
    recipients,
    textContent: 'Hello',
    ...more,
  })
  const scripted = scriptedProvider()
  const sentBefore = (to: string, text = 'Hello') =>
    scripted.accept({ token: 'any', to, text, mediaId: null })
  return { ...scripted, job, instanceId, sentBefore }
}

const sentTo = ({ calls }: ReturnType<typeof scriptedProvider>) => calls.sends.map(({ to }) => to)

// Every test begins as if workers had been running.
beforeEach(() => openHeartbeat({ db: context.db, log: silent, beatSeenBefore: 0 }).beat())

describe('an instance whose last messages may be unknown', () => {
  test('does not send again what is in its history', async () => {
    const world = await jobAfterLoss()
    world.sentBefore('1@g.us')
    world.sentBefore('3@g.us')
    context.worker(world.provider)

    await context.untilStatus(world.job.id, 'Completed')

    expect(sentTo(world)).toEqual(['2@g.us'])
    expect(world.calls.histories).toBe(1)
    expect(await context.deliveries(world.job.id)).toMatchObject([
      { status: 'sent', providerMessageId: 'message-1' },
      { status: 'sent' },
      { status: 'sent', providerMessageId: 'message-2' },
    ])
    expect(await context.log(world.job.id)).toEqual([
      ...['history_found', 'delivery_found', 'delivery_found', 'job_completed'],
    ])
  })

  test('does not hold up a stop while its history is read, and another worker reads it at once', async () => {
    const world = await jobAfterLoss()
    const answerWith = world.script.onHistory
    world.script.onHistory = () => new Promise(() => {})
    const worker = context.worker(world.provider)
    await until('the history is read', () => world.calls.histories === 1)
    await worker.stop()
    world.script.onHistory = answerWith
    context.worker(world.provider)
    await context.untilStatus(world.job.id, 'Completed')
  })

  test('completes a job that had sent everything', async () => {
    const world = await jobAfterLoss()
    for (const to of recipients) world.sentBefore(to)
    context.worker(world.provider)

    await context.untilStatus(world.job.id, 'Completed')

    expect(sentTo(world)).toEqual([])
  })

  // R-1330
  test('finds the messages of a lost job that a series has made again, also from before the last intent', async () => {
    const ago = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString()
    const world = await jobAfterLoss({ scheduledAt: ago(90) }, { lastIntentAt: ago(5) })
    world.sentBefore('1@g.us')
    for (const { message } of world.ledger) message.timestamp -= 85 * 60
    context.worker(world.provider)

    await context.untilStatus(world.job.id, 'Completed')

    expect(sentTo(world)).toEqual(['2@g.us', '3@g.us'])
  })

  test('counts what it finds for the daily cap, and keeps the pause after it', async () => {
    const world = await jobAfterLoss({}, { groupPauseFromMs: 60_000, groupPauseToMs: 60_000, groupCap: 2 })
    world.sentBefore('1@g.us')
    world.sentBefore('2@g.us')
    context.worker(world.provider)

    await context.untilStatuses(world.job.id, 'sent', 'sent', 'queued')
    await context.untilWaiting(world.job.id, 'daily_cap')

    const { pause } = await context.db.one<{ pause: number }>(sql`
      select extract(epoch from next_due_at - last_intent_at)::float as pause from instances
      where id = ${world.instanceId}`)
    expect(pause).toBe(60)
    expect(sentTo(world)).toEqual([])
  })

  test('takes no other message for its own', async () => {
    const world = await jobAfterLoss()
    world.sentBefore('1@g.us', 'Another text')
    world.sentBefore('4@g.us', 'Another text')
    world.sentBefore('2@g.us')
    world.sentBefore('3@g.us')
    Object.assign(world.ledger[2]?.message ?? {}, { fromPhone: true })
    const longAgo = Math.floor(Date.now() / 1000) - 100
    Object.assign(world.ledger[3]?.message ?? {}, { timestamp: longAgo })
    context.worker(world.provider)

    await context.untilStatus(world.job.id, 'Completed')

    expect(sentTo(world)).toEqual(recipients)
  })

  test('waits while its history can’t be read, and sends when it can', async () => {
    const world = await jobAfterLoss()
    world.sentBefore('1@g.us')
    world.script.onHistory = () => {
      throw new ProviderFailure('unreachable', { code: 'provider_unreachable', params: {} })
    }
    context.worker(world.provider)
    await context.untilWaiting(world.job.id, 'history_unreadable')
    expect(sentTo(world)).toEqual([])
    world.script.onHistory = () => world.ledger.map(({ message }) => message)

    await context.moveClock('61 seconds')
    await context.untilStatus(world.job.id, 'Completed')

    expect(sentTo(world)).toEqual(['2@g.us', '3@g.us'])
    expect(await context.log(world.job.id)).toContain('account_waits')
  })

  test('does not believe the empty history of an instance that is not connected', async () => {
    const world = await jobAfterLoss()
    world.script.onStatus = () => ({ status: 'NeedsLogin', linkedNumber: null })
    context.worker(world.provider)

    await context.untilWaiting(world.job.id, 'account_not_linked')

    expect(world.calls.histories).toBe(0)
    expect(sentTo(world)).toEqual([])
  })

  test('is checked again at once when another era follows', async () => {
    const world = await jobAfterLoss()
    context.worker(world.provider)
    await context.untilStatus(world.job.id, 'Completed')
    const { instanceId } = world
    await context.db.run(sql`update instances set is_active = false where id = ${instanceId}`)
    const next = await context.add.job({ instanceId, status: 'Running', recipients })
    await context.db.run(sql`update heartbeat set era = gen_random_uuid()`)
    await context.db.run(sql`update instances set is_active = true where id = ${instanceId}`)

    await context.untilStatus(next.id, 'Completed')

    expect(world.calls.histories).toBe(2)
  })

  // R-1606
  test('sends unchecked when a person resumes it, also with a content that older programs do not know', async () => {
    const content = JSON.stringify({ kind: 'poll', options: ['Yes', 'No'], allowsSeveral: false })
    const world = await jobAfterLoss({ content })
    world.script.onStatus = () => ({ status: 'Degraded', linkedNumber: null })
    context.worker(world.provider)
    await context.untilWaiting(world.job.id, 'history_unreadable')

    await resumeSending(context.db, world.instanceId, 'Anna')
    await context.untilStatus(world.job.id, 'Completed')

    expect(sentTo(world)).toEqual(recipients)
  })

  test('sends unchecked when a person resumes it', async () => {
    const world = await jobAfterLoss()
    world.script.onStatus = () => ({ status: 'Degraded', linkedNumber: null })
    context.worker(world.provider)
    await context.untilWaiting(world.job.id, 'history_unreadable')

    await resumeSending(context.db, world.instanceId, 'Anna')
    await context.untilStatus(world.job.id, 'Completed')

    expect(sentTo(world)).toEqual(recipients)
  })
})

describe('a new era', () => {
  const eraOf = async () => (await context.db.one<{ era: string }>(sql`select era from heartbeat`)).era

  const losses = {
    'no beat for 30 s': sql`update heartbeat set beat_at = clock_now() - interval '31 seconds'`,
    'another timeline': sql`update heartbeat set timeline = 'FFFFFFFF'`,
    'a beat that was set back': sql`update heartbeat set beat = 0`,
  }

  test.each(Object.entries(losses))(
    'begins after %s, and no intent is written before',
    async (_name, loss) => {
      const { id: instanceId } = await context.add.instance()
      await context.add.job({ instanceId, status: 'Running', recipients })
      const heartbeat = openHeartbeat({ db: context.db, log: silent, beatSeenBefore: 0 })
      await heartbeat.beat()
      const claim = await context.claimOne()
      const before = await eraOf()

      await context.db.run(loss)
      expect(await context.writeIntent(claim, heartbeat.lastSeen())).toEqual({ kind: 'nothing' })
      await heartbeat.beat()

      expect(await eraOf()).not.toBe(before)
      expect(await context.writeIntent(claim, heartbeat.lastSeen())).toEqual({ kind: 'nothing' })
    },
  )

  test('is logged, but not before there is a job', async () => {
    const logged: object[] = []
    const log = { ...silent, info: (details: object) => void logged.push(details) }
    const beginEra = async () => {
      await context.db.run(losses['no beat for 30 s'])
      const before = await eraOf()
      await openHeartbeat({ db: context.db, log, beatSeenBefore: 0 }).beat()
      expect(await eraOf()).not.toBe(before)
    }
    await context.add.instance()
    await beginEra()
    expect(logged).toEqual([])
    await context.add.job()
    await beginEra()
    expect(logged).toEqual([{ reason: 'still' }])
  })

  test('does not begin while workers beat', async () => {
    const before = await eraOf()
    const [one, two] = [
      openHeartbeat({ db: context.db, log: silent, beatSeenBefore: 0 }),
      openHeartbeat({ db: context.db, log: silent, beatSeenBefore: 0 }),
    ]

    for (const heartbeat of [one, two, one, two]) await heartbeat.beat()

    expect(await eraOf()).toBe(before)
  })

  test.each(['0 s', '1 minute'])(
    'after the promotion of a standby that was %s behind, messages on their way get 30 s to arrive, and the page says so',
    async (lag) => {
      const world = await jobAfterLoss()
      await context.db.run(sql`
        update heartbeat set timeline = 'FFFFFFFF', beat_at = clock_now() - ${lag}::interval`)
      await openHeartbeat({ db: context.db, log: silent, beatSeenBefore: 0 }).beat()
      context.worker(world.provider)
      await context.untilWaiting(world.job.id, 'checking_history')
      const { nextSendAt } = await whyWaiting(context.db, world.job.id)
      expect(Date.parse(nextSendAt ?? '') - Date.now()).toBeGreaterThan(20_000)
      const expected = await expectEnd(context.db, world.job.id, 3)
      expect(Date.parse(expected?.endsAt ?? '') - Date.now()).toBeGreaterThan(20_000)
      world.sentBefore('1@g.us')
      expect(world.calls.histories).toBe(0)

      await context.moveClock('30 seconds')
      await context.untilStatus(world.job.id, 'Completed')

      expect(sentTo(world)).toEqual(['2@g.us', '3@g.us'])
    },
  )

  test('leaves an instance alone that was in its pause when the era began', async () => {
    const era = await eraOf()
    const world = await jobAfterLoss(
      {},
      { checkedEra: era, nextDueAt: new Date(Date.now() + 10_000).toISOString() },
    )
    await context.db.run(sql`update heartbeat set timeline = 'FFFFFFFF'`)
    context.worker(world.provider)
    await until(
      'the era has begun',
      async () => (await context.instance(world.instanceId))?.checkedEra !== era,
    )

    await context.moveClock('10 seconds')
    await context.untilStatus(world.job.id, 'Completed')

    expect(world.calls.histories).toBe(0)
    expect(sentTo(world)).toEqual(recipients)
  })

  test('checks an instance in its pause that was not checked in the era before', async () => {
    const world = await jobAfterLoss({}, { nextDueAt: new Date(Date.now() + 10_000).toISOString() })
    world.sentBefore('1@g.us')
    const before = await eraOf()
    await context.db.run(sql`update heartbeat set timeline = 'FFFFFFFF'`)
    context.worker(world.provider)
    await until('the era has begun', async () => (await eraOf()) !== before)

    await context.moveClock('30 seconds')
    await context.untilStatus(world.job.id, 'Completed')

    expect(sentTo(world)).toEqual(['2@g.us', '3@g.us'])
  })
})
