import { expect, onTestFinished, test, vi } from 'vitest'
import { useEngineWorld } from '../../test/engine-world.ts'
import { sql, values } from '../platform/database/sql.ts'
import type { OwnMessage } from '../providers/provider.ts'
import { ProviderFailure } from '../providers/provider.ts'
import { openBatches } from './batch.ts'
import { type Claim, claimAccounts, renewLeases, strandDeliveries } from './claim.ts'
import { cancelJob, deleteJobs, restartJob, whyWaiting } from './index.ts'
import type { Work } from './intent.ts'
import { claimLookUps, lookUp } from './reconcile.ts'
import { runAccount } from './sender.ts'

const world = useEngineWorld()

async function untilStatus(jobId: number, status: string) {
  await world.until(async () => (await world.jobStatus(jobId)) === status)
}

/** A worker that got as far as the committed intent. */
async function intend(): Promise<{ claim: Claim; work: Work }> {
  const [claim] = await claimAccounts(world.db, 1)
  if (!claim) throw new Error('Nothing was claimed')
  const work = await world.ask(claim)
  if (work.kind !== 'send') throw new Error(`No intent: ${work.kind}`)
  return { claim, work }
}

/** One recipient, running, with an intent whose worker is gone. */
async function abandonedJob(recipients = ['1@g.us']) {
  const job = await world.add.job({ status: 'Running', recipients, textContent: 'Hello' })
  const { work } = await intend()
  return { job, work }
}

/** A look at the chat was concluded, or has settled the message: the next look, if any, is seconds away. */
async function hasLooked(jobId: number) {
  const count = await world.db.run(sql`
    select from deliveries where job_id = ${jobId} and (status = 'sending'
      or doubt_since is not null and next_look_at not between clock_now() + interval '1 ms' and clock_now() + interval '1 minute')`)
  return count === 0
}

const message = (id: string, more: Partial<OwnMessage> = {}): OwnMessage => ({
  id,
  kind: 'text',
  text: 'Hello',
  timestamp: Math.floor(Date.now() / 1000),
  fromPhone: false,
  ...more,
})

test('died between intent and send: looked up twice, not found, sent once; the account went on meanwhile', async () => {
  const { provider, ledger, calls } = world.scripted()
  const job = await world.add.job({ status: 'Running', textContent: 'Hello' })
  await intend()
  world.worker(provider)

  await world.moveClock('21 seconds')
  await world.until(async () => (await world.statuses(job.id)).join() === 'doubt,sent,sent')
  expect(await world.jobStatus(job.id)).toBe('Running')
  expect((await whyWaiting(world.db, job.id)).waiting?.code).toBe('checking_outcome')

  await world.moveClock('10 seconds')
  await world.until(async () => calls.status === 1 && (await hasLooked(job.id)))
  expect(ledger).toHaveLength(2)
  await world.moveClock('6 seconds')
  await world.until(async () => (await world.statuses(job.id))[0] === 'queued')
  await world.moveClock('10 seconds')
  await untilStatus(job.id, 'Completed')

  expect(ledger.map(({ to }) => to)).toEqual(['2@g.us', '3@g.us', '1@g.us'])
  expect(await world.log(job.id)).toEqual(['delivery_doubt', 'delivery_not_found', 'job_completed'])
})

test('died between send and settle: found, credited, and not sent again', async () => {
  const { provider, ledger, accept } = world.scripted()
  const { job, work } = await abandonedJob()
  accept({ token: 'any', to: work.chatId, text: work.text, mediaId: null })
  world.worker(provider)

  await world.moveClock('21 seconds')
  await untilStatus(job.id, 'Completed')

  expect(ledger).toHaveLength(1)
  expect(await world.deliveries(job.id)).toMatchObject([{ status: 'sent', providerMessageId: 'message-1' }])
  expect(await world.log(job.id)).toEqual(['delivery_doubt', 'delivery_found', 'job_completed'])
})

test('a result that comes after the takeover still settles its own intent, from doubt and from the queue', async () => {
  const { job, work } = await abandonedJob()
  await world.moveClock('21 seconds')
  await strandDeliveries(world.db)
  expect(await world.statuses(job.id)).toEqual(['doubt'])

  await world.record(work, { kind: 'sent', providerMessageId: 'late' })

  expect(await world.deliveries(job.id)).toMatchObject([{ status: 'sent', providerMessageId: 'late' }])
  await world.record(work, { kind: 'rejected', reason: { code: 'refused', params: {} } })
  expect(await world.statuses(job.id)).toEqual(['sent'])
})

test('a result that comes after the next attempt has begun changes nothing', async () => {
  const { job, work } = await abandonedJob()
  await world.moveClock('21 seconds')
  await world.record(work, {
    kind: 'busy',
    reason: { code: 'provider_busy', params: {} },
    retryAfterMs: 0,
  })
  await world.moveClock('1 minute')
  const { work: second } = await intend()

  await world.record(work, { kind: 'rejected', reason: { code: 'refused', params: {} } })

  expect(second.id).toBe(work.id)
  expect(await world.statuses(job.id)).toEqual(['sending'])
})

test('a worker whose lease is over writes no intent, and cannot renew what another has taken', async () => {
  const job = await world.add.job({ status: 'Running' })
  const [old] = await claimAccounts(world.db, 1)
  if (!old) throw new Error('Nothing was claimed')
  expect(await claimAccounts(world.db, 1)).toEqual([])
  await world.moveClock('16 seconds')
  expect(await world.ask(old)).toEqual({ kind: 'nothing' })
  await world.moveClock('5 seconds')
  const [taken] = await claimAccounts(world.db, 1)

  await renewLeases(world.db, [old])

  expect(old.leaseEndsAt).toBe(0)
  expect(taken?.instanceId).toBe(job.instanceId)
  expect(await world.account(job.instanceId)).toMatchObject({ claim: taken?.token })
})

test.each(['before the call', 'while connecting'])(
  'a lease that runs out %s: nothing is sent, and the row is back in the queue',
  async (when) => {
    const { provider, script, calls } = world.scripted()
    const job = await world.add.job({ status: 'Running', recipients: ['1@g.us'] })
    const [claim] = await claimAccounts(world.db, 1)
    if (!claim) throw new Error('Nothing was claimed')
    const parts = world.parts(provider)
    const decrypt = (cipher: Buffer) => {
      if (when === 'before the call') claim.leaseEndsAt = 0
      return parts.secrets.decrypt(cipher)
    }
    script.onConnect = () => {
      claim.leaseEndsAt = 0
    }

    const batches = openBatches(parts.db)
    onTestFinished(batches.close)
    const never = () => false
    await runAccount(
      {
        ...parts,
        hand: batches.hand,
        secrets: { decrypt },
        moved: () => {},
        isStopping: never,
        isGivingUp: never,
      },
      claim,
    )

    expect(calls.sends).toHaveLength(0)
    expect(await world.deliveries(job.id)).toMatchObject([{ status: 'queued', attempt: 1, reason: null }])
    expect(await world.account(job.instanceId)).toMatchObject({ inFlight: null, claim: null, sentByHour: {} })
  },
)

test('a log tells of a thousand recipients, and then says that it stops', async () => {
  const { job, work } = await abandonedJob()
  await world.db.run(sql`update jobs set noted = 1000 where id = ${job.id}`)

  await world.record(work, { kind: 'rejected', reason: { code: 'refused', params: {} } })

  expect(await world.log(job.id)).toEqual(['log_full'])
})

test('ten claimers at once: each account goes to one of them', async () => {
  for (let n = 0; n < 7; n++) await world.add.job({ status: 'Running' })

  const claims = (await Promise.all(Array.from({ length: 10 }, () => claimAccounts(world.db, 3)))).flat()

  expect(claims).toHaveLength(7)
  expect(new Set(claims.map(({ instanceId }) => instanceId)).size).toBe(7)
})

test('a dead worker’s intent of a cancelled job is still settled', async () => {
  const { provider, accept } = world.scripted()
  const { job, work } = await abandonedJob()
  accept({ token: 'any', to: work.chatId, text: work.text, mediaId: null })
  await cancelJob(world.db, job.id, 'Ann')
  world.worker(provider)

  await world.moveClock('21 seconds')
  await world.until(async () => (await world.statuses(job.id))[0] === 'sent')

  expect(await world.jobStatus(job.id)).toBe('Cancelled')
  expect(await world.log(job.id)).not.toContain('job_completed')
})

test('an unknown outcome that went out is found; one that did not is sent again', async () => {
  const { provider, script, accept, ledger } = world.scripted()
  let lost = 0
  script.onSend = (send) => {
    const outcome = accept(send)
    if (send.to === '3@g.us' || lost++ > 1) return outcome
    if (send.to === '2@g.us') ledger.pop()
    return { kind: 'unknown', reason: { code: 'provider_error', params: { status: 500 } } }
  }
  const job = await world.add.job()
  world.worker(provider)
  await world.until(async () => (await world.statuses(job.id)).join() === 'sent,doubt,sent')

  await world.moveClock('31 seconds')
  await world.until(
    async () => (await world.db.run(sql`select from deliveries where not_found_at is not null`)) === 1,
  )
  await world.moveClock('6 seconds')
  await world.until(async () => (await world.statuses(job.id))[1] !== 'doubt')
  await world.moveClock('10 seconds')
  await untilStatus(job.id, 'Completed')

  expect(ledger.map(({ to }) => to).sort()).toEqual(['1@g.us', '2@g.us', '3@g.us'])
})

test.each<[string, OwnMessage[], string]>([
  ['ours', [message('a')], 'sent'],
  ['ours, with other line ends', [message('a', { text: 'Hello\r\n' })], 'sent'],
  ['ours twice', [message('a'), message('b')], 'failed'],
  ['ours, and one from the phone', [message('a', { fromPhone: true }), message('b')], 'sent'],
  ['from the phone only', [message('a', { fromPhone: true })], 'doubt'],
  ['another text', [message('a', { text: 'Hello!' })], 'doubt'],
  ['another kind', [message('a', { kind: 'image' })], 'doubt'],
  ['from before', [message('a', { timestamp: Math.floor(Date.now() / 1000) - 60 })], 'doubt'],
  ['credited to another', [message('credited')], 'doubt'],
  ['credited to a deleted one', [message('deleted')], 'doubt'],
])('a look-up that sees %s', async (_name, messages, status) => {
  const { provider, script } = world.scripted()
  const { job } = await abandonedJob()
  const { instanceId } = job
  const other = await world.add.job({
    instanceId,
    status: 'Cancelled',
    recipients: ['1@g.us'],
    deliveryStatus: 'sent',
  })
  await world.credit(other.id, 'credited')
  await world.db.run(
    sql`insert into credited_messages ${values({ instanceId, providerMessageId: 'deleted' })}`,
  )
  script.onList = () => messages
  world.worker(provider)

  await world.moveClock('21 seconds')

  await world.until(
    async () => (await world.db.run(sql`select from deliveries where status = 'sending'`)) === 0,
  )
  await world.until(() => hasLooked(job.id))
  expect(await world.statuses(job.id)).toEqual([status])
  if (status === 'failed') expect((await world.deliveries(job.id))[0]?.reason?.code).toBe('outcome_unknown')
})

test('a worker that sleeps between claiming a look and making it still finds the message', async () => {
  const { provider, accept } = world.scripted()
  const { job, work } = await abandonedJob()
  accept({ token: 'any', to: work.chatId, text: work.text, mediaId: null })
  await world.moveClock('21 seconds')
  await strandDeliveries(world.db)
  const [look] = await claimLookUps(world.db, 1, [])
  if (!look) throw new Error('No look-up was due')
  const now = Date.now()
  vi.spyOn(Date, 'now').mockImplementation(() => now + 60_000)

  await lookUp(world.parts(provider), look).finally(() => vi.restoreAllMocks())

  expect(await world.statuses(job.id)).toEqual(['sent'])
})

test('the ids of a deleted and of a restarted job stay known', async () => {
  const { provider } = world.scripted()
  const job = await world.add.job({ recipients: ['1@g.us'] })
  const { instanceId } = job
  world.worker(provider)
  await untilStatus(job.id, 'Completed')
  await restartJob(world.db, job.id, 'Ann')
  await untilStatus(job.id, 'Completed')
  await deleteJobs(world.db, [job.id], 'Ann')

  const known = await world.db.many(
    sql`select provider_message_id from credited_messages where instance_id = ${instanceId}`,
  )
  expect(known.map((row) => row.providerMessageId)).toEqual(['message-1', 'message-2'])
})

test('no look-up for ten minutes: failed, and the operator decides', async () => {
  const { provider, script, calls } = world.scripted()
  script.onList = () => {
    throw new ProviderFailure('unreachable', { code: 'provider_unreachable', params: {} })
  }
  const { job } = await abandonedJob()
  world.worker(provider)
  await world.moveClock('21 seconds')
  await world.until(async () => calls.ownMessages === 1 && (await hasLooked(job.id)))
  await world.moveClock('9 minutes')
  await world.until(async () => calls.ownMessages === 2 && (await hasLooked(job.id)))
  expect(await world.statuses(job.id)).toEqual(['doubt'])

  await world.moveClock('2 minutes')
  await untilStatus(job.id, 'Failed')

  expect((await world.deliveries(job.id))[0]?.reason?.code).toBe('outcome_unknown')
})

test('a chat that is said not to be there proves nothing either, whoever says so', async () => {
  const { provider, script, calls } = world.scripted()
  script.onList = () => {
    throw new ProviderFailure('not_found', { code: 'chat_not_found', params: {} })
  }
  const { job } = await abandonedJob(['84901@s.whatsapp.net'])
  world.worker(provider)
  await world.moveClock('31 seconds')
  await world.until(async () => calls.ownMessages === 1 && (await hasLooked(job.id)))
  await world.moveClock('31 seconds')
  await world.until(async () => calls.ownMessages === 2 && (await hasLooked(job.id)))
  expect(await world.statuses(job.id)).toEqual(['doubt'])
})

test('what was found not to have gone out does not count for the cap', async () => {
  const { provider } = world.scripted()
  const { job } = await abandonedJob()
  const spent = async () => Object.values((await world.account(job.instanceId))?.sentByHour ?? {})
  expect(await spent()).toEqual([1])
  const looking = world.parts(provider)
  await world.moveClock('31 seconds')
  await strandDeliveries(world.db)
  for (let looks = 0; looks < 2; looks++) {
    const [look] = await claimLookUps(world.db, 1, [])
    if (!look) throw new Error('No look-up was due')
    await lookUp(looking, look)
    await world.moveClock('6 seconds')
  }
  expect(await world.statuses(job.id)).toEqual(['queued'])
  expect(await spent()).toEqual([])
})

test('an account that is not well proves nothing by an empty chat', async () => {
  const { provider, script, calls } = world.scripted()
  script.onStatus = () => ({ status: 'Degraded', linkedNumber: null })
  const { job } = await abandonedJob()
  world.worker(provider)
  await world.moveClock('31 seconds')
  await world.until(async () => calls.status === 1 && (await hasLooked(job.id)))
  await world.moveClock('31 seconds')
  await world.until(async () => calls.status === 2 && (await hasLooked(job.id)))
  expect(await world.statuses(job.id)).toEqual(['doubt'])
})

test('while a chat has a message in doubt, other jobs write to others first', async () => {
  const { provider, ledger, accept } = world.scripted()
  const { job, work } = await abandonedJob()
  const other = await world.add.job({
    instanceId: job.instanceId,
    textContent: 'Hello',
    recipients: ['1@g.us', '2@g.us'],
  })
  const engine = world.worker(provider)
  await world.moveClock('21 seconds')
  await world.until(async () => (await world.statuses(other.id)).join() === 'queued,sent')
  await engine.stop()

  accept({ token: 'any', to: work.chatId, text: work.text, mediaId: null })
  world.worker(provider)
  await world.moveClock('11 seconds')
  await untilStatus(job.id, 'Completed')
  await world.moveClock('11 seconds')
  await untilStatus(other.id, 'Completed')

  expect(ledger.map(({ to }) => to)).toEqual(['2@g.us', '1@g.us', '1@g.us'])
})

test('an id that another delivery was credited with is no proof: looked up', async () => {
  const { provider, script } = world.scripted()
  script.onSend = () => ({ kind: 'sent', providerMessageId: 'always the same' })
  const job = await world.add.job({ recipients: ['1@g.us', '2@g.us'] })
  world.worker(provider)

  await world.until(async () => (await world.statuses(job.id)).join() === 'sent,doubt')

  expect((await world.deliveries(job.id))[1]?.reason?.code).toBe('provider_unreadable')
})

test('the database goes away in the middle and comes back: everybody gets the message once', async () => {
  const { provider, ledger, script, accept } = world.scripted()
  const job = await world.add.job({ recipients: Array.from({ length: 60 }, (_, n) => `${n}@g.us`) })
  let cut = 0
  script.onSend = async (send) => {
    if (++cut % 7 === 0)
      await world.db.run(sql`
        select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and application_name = 'sendroom test worker'`)
    return accept(send)
  }
  world.worker(provider)
  world.worker(provider)

  await world.until(async () => {
    await world.moveClock('1 second')
    return (await world.jobStatus(job.id)) === 'Completed'
  })

  expect(ledger).toHaveLength(60)
  expect(new Set(ledger.map(({ to }) => to)).size).toBe(60)
})
