import { expect, onTestFinished, test, vi } from 'vitest'
import { useEngineContext } from '../../../test/engine-context.ts'
import { scriptedProvider } from '../../../test/scripted-provider.ts'
import { until } from '../../../test/until.ts'
import { sql, values } from '../../platform/database/sql.ts'
import type { OwnMessage } from '../../providers/provider.ts'
import { ProviderFailure } from '../../providers/provider.ts'
import { claimLookUps, lookUp } from '../in-doubt/look-up.ts'
import { markInDoubt } from '../in-doubt/mark-in-doubt.ts'
import { cancelJob, deleteJobs, restartJob, whyWaiting } from '../index.ts'
import { openBatches } from './batch.ts'
import { claimInstances, renewLeases } from './claim.ts'
import { withdrawIntent } from './intent.ts'
import { runInstance } from './sender.ts'

const context = useEngineContext()

/** Adds a running job with an intent whose worker has died. */
async function abandonedJob(recipients = ['1@g.us']) {
  const job = await context.add.job({ status: 'Running', recipients, textContent: 'Hello' })
  const { message } = await context.beginSend()
  return { job, message }
}

/** Whether a look-up has ended: it has settled the delivery, or has planned the next look-up seconds ahead. */
async function hasLookedUp(jobId: number) {
  const count = await context.db.run(sql`
    select from deliveries where job_id = ${jobId} and (status = 'sending'
      or doubt_since is not null and next_look_at not between clock_now() + interval '1 ms' and clock_now() + interval '1 minute')`)
  return count === 0
}

const message = (id: string, more: Partial<OwnMessage> = {}): OwnMessage => ({
  id,
  chatId: 'a chat',
  kind: 'text',
  text: 'Hello',
  options: [],
  location: null,
  media: null,
  timestamp: Math.floor(Date.now() / 1000),
  fromPhone: false,
  ...more,
})

test('a worker dies between intent and send: the message is not found twice and is sent once; the instance goes on meanwhile', async () => {
  const { provider, ledger, calls } = scriptedProvider()
  const job = await context.add.job({ status: 'Running', textContent: 'Hello' })
  await context.beginSend()
  context.worker(provider)

  await context.moveClock('21 seconds')
  await context.untilStatuses(job.id, 'doubt', 'sent', 'sent')
  expect(await context.jobStatus(job.id)).toBe('Running')
  expect((await whyWaiting(context.db, job.id)).waiting?.code).toBe('checking_outcome')

  await context.moveClock('10 seconds')
  await until('the first look-up has ended', async () => calls.status === 1 && (await hasLookedUp(job.id)))
  expect(ledger).toHaveLength(2)
  await context.moveClock('6 seconds')
  await context.untilStatuses(job.id, 'queued', 'sent', 'sent')
  await context.moveClock('10 seconds')
  await context.untilStatus(job.id, 'Completed')

  expect(ledger.map(({ to }) => to)).toEqual(['2@g.us', '3@g.us', '1@g.us'])
  expect(await context.log(job.id)).toEqual(['delivery_doubt', 'delivery_not_found', 'job_completed'])
})

test('a worker dies between send and settle: the message is found and matched, and not sent again', async () => {
  const { provider, ledger, accept } = scriptedProvider()
  const { job, message } = await abandonedJob()
  accept({ token: 'any', to: message.chatId, text: message.text ?? '', mediaId: null })
  context.worker(provider)

  await context.moveClock('21 seconds')
  await context.untilStatus(job.id, 'Completed')

  expect(ledger).toHaveLength(1)
  expect(await context.deliveries(job.id)).toMatchObject([{ status: 'sent', providerMessageId: 'message-1' }])
  expect(await context.log(job.id)).toEqual(['delivery_doubt', 'delivery_found', 'job_completed'])
})

test('a result that comes after another worker took over still settles its own intent', async () => {
  const { job, message } = await abandonedJob()
  await context.moveClock('21 seconds')
  await markInDoubt(context.db)
  expect(await context.statuses(job.id)).toEqual(['doubt'])

  await context.settle(message, { kind: 'sent', providerMessageId: 'late' })

  expect(await context.deliveries(job.id)).toMatchObject([{ status: 'sent', providerMessageId: 'late' }])
  await context.settle(message, { kind: 'rejected', reason: { code: 'refused', params: {} } })
  expect(await context.statuses(job.id)).toEqual(['sent'])
})

test('a result that comes after the next attempt has begun changes nothing', async () => {
  const { job, message } = await abandonedJob()
  await context.moveClock('21 seconds')
  await context.settle(message, {
    kind: 'busy',
    reason: { code: 'provider_busy', params: {} },
    retryAfterMs: 0,
  })
  await context.moveClock('1 minute')
  const { message: second } = await context.beginSend()

  await context.settle(message, { kind: 'rejected', reason: { code: 'refused', params: {} } })

  expect(second.id).toBe(message.id)
  expect(await context.statuses(job.id)).toEqual(['sending'])
})

test('a worker whose lease has ended writes no intent and cannot renew the claim of another worker', async () => {
  const job = await context.add.job({ status: 'Running' })
  const old = await context.claimOne()
  expect(await claimInstances(context.db, 1)).toEqual([])
  await context.moveClock('16 seconds')
  expect(await context.writeIntent(old)).toEqual({ kind: 'nothing' })
  await context.moveClock('5 seconds')
  const [taken] = await claimInstances(context.db, 1)

  await renewLeases(context.db, [old])

  expect(old.leaseEndsAt).toBe(0)
  expect(taken?.instanceId).toBe(job.instanceId)
  expect(await context.instance(job.instanceId)).toMatchObject({ claim: taken?.token })
})

test.each([
  'a lease that ends before the call',
  'a lease that ends while connecting',
  'a stop while connecting',
])('after %s nothing is sent, and the delivery is requeued', async (event) => {
  const { provider, script, calls } = scriptedProvider()
  const job = await context.add.job({ status: 'Running', recipients: ['1@g.us'] })
  const claim = await context.claimOne()
  const deps = context.deps(provider)
  const decrypt = (cipher: Buffer) => {
    if (event === 'a lease that ends before the call') claim.leaseEndsAt = 0
    return deps.secrets.decrypt(cipher)
  }
  let isStopping = false
  script.onConnect = () => {
    if (event === 'a stop while connecting') isStopping = true
    else claim.leaseEndsAt = 0
  }

  const batches = openBatches(deps.db)
  onTestFinished(batches.close)
  await runInstance(
    {
      ...deps,
      submit: batches.submit,
      lastBeatSeen: () => 0,
      secrets: { decrypt },
      moved: () => {},
      isStopping: () => isStopping,
      stopping: new AbortController().signal,
      isGivingUp: () => false,
    },
    claim,
  )

  expect(calls.sends).toHaveLength(0)
  expect(await context.deliveries(job.id)).toMatchObject([{ status: 'queued', attempt: 1, reason: null }])
  expect(await context.instance(job.instanceId)).toMatchObject({
    inFlight: null,
    claim: null,
    sentByHour: {},
  })
})

test('a job log has lines about a thousand recipients, and then one line that it is full', async () => {
  const { job, message } = await abandonedJob()
  await context.db.run(sql`update jobs set log_line_count = 1000 where id = ${job.id}`)

  await context.settle(message, { kind: 'rejected', reason: { code: 'refused', params: {} } })

  expect(await context.log(job.id)).toEqual(['log_full'])
})

test('ten workers that claim at once never get the same instance', async () => {
  for (let n = 0; n < 7; n++) await context.add.job({ status: 'Running' })

  const claims = (await Promise.all(Array.from({ length: 10 }, () => claimInstances(context.db, 3)))).flat()

  expect(claims).toHaveLength(7)
  expect(new Set(claims.map(({ instanceId }) => instanceId)).size).toBe(7)
})

test('the intent of a dead worker is settled even if its job was cancelled', async () => {
  const { provider, accept } = scriptedProvider()
  const { job, message } = await abandonedJob()
  accept({ token: 'any', to: message.chatId, text: message.text ?? '', mediaId: null })
  await context.db.begin((tx) => cancelJob(tx, job.id, 'Ann'))
  context.worker(provider)

  await context.moveClock('21 seconds')
  await context.untilStatuses(job.id, 'sent')

  expect(await context.jobStatus(job.id)).toBe('Cancelled')
  expect(await context.log(job.id)).not.toContain('job_completed')
})

test('after unknown outcomes, a message that went out is found, and one that did not is sent again', async () => {
  const { provider, script, accept, ledger } = scriptedProvider()
  let lost = 0
  script.onSend = (send) => {
    const outcome = accept(send)
    if (send.to === '3@g.us' || lost++ > 1) return outcome
    if (send.to === '2@g.us') ledger.pop()
    return { kind: 'unknown', reason: { code: 'provider_error', params: { status: 500 } } }
  }
  const job = await context.add.job()
  context.worker(provider)
  await context.untilStatuses(job.id, 'sent', 'doubt', 'sent')

  await context.moveClock('31 seconds')
  await until(
    'one message is not found',
    async () => (await context.db.run(sql`select from deliveries where not_found_at is not null`)) === 1,
  )
  await context.moveClock('6 seconds')
  await until('the doubt is settled', async () => (await context.statuses(job.id))[1] !== 'doubt')
  await context.moveClock('10 seconds')
  await context.untilStatus(job.id, 'Completed')

  expect(ledger.map(({ to }) => to).sort()).toEqual(['1@g.us', '2@g.us', '3@g.us'])
})

test.each<[string, OwnMessage[], string]>([
  ['our message', [message('a')], 'sent'],
  ['our message with other line ends', [message('a', { text: 'Hello\r\n' })], 'sent'],
  ['our message twice', [message('a'), message('b')], 'failed'],
  ['our message, and one from the phone', [message('a', { fromPhone: true }), message('b')], 'sent'],
  ['only a message from the phone', [message('a', { fromPhone: true })], 'doubt'],
  ['another text', [message('a', { text: 'Hello!' })], 'doubt'],
  ['another kind', [message('a', { kind: 'image' })], 'doubt'],
  ['an older message', [message('a', { timestamp: Math.floor(Date.now() / 1000) - 60 })], 'doubt'],
  ['a message matched with another delivery', [message('matched')], 'doubt'],
  ['a message matched with a deleted delivery', [message('deleted')], 'doubt'],
])('a look-up finds %s', async (_name, messages, status) => {
  const { provider, script } = scriptedProvider()
  const { job } = await abandonedJob()
  const { instanceId } = job
  const other = await context.add.job({
    instanceId,
    status: 'Cancelled',
    recipients: ['1@g.us'],
    deliveryStatus: 'sent',
  })
  await context.match(other.id, 'matched')
  await context.db.run(
    sql`insert into matched_messages ${values({ instanceId, providerMessageId: 'deleted' })}`,
  )
  script.onList = () => messages
  context.worker(provider)

  await context.moveClock('21 seconds')

  await until(
    'the message is in doubt or settled',
    async () => (await context.db.run(sql`select from deliveries where status = 'sending'`)) === 0,
  )
  await until('the look-up has ended', () => hasLookedUp(job.id))
  expect(await context.statuses(job.id)).toEqual([status])
  if (status === 'failed') expect((await context.deliveries(job.id))[0]?.reason?.code).toBe('outcome_unknown')
})

test('a worker that sleeps between claiming a look-up and making it still finds the message', async () => {
  const { provider, accept } = scriptedProvider()
  const { job, message } = await abandonedJob()
  accept({ token: 'any', to: message.chatId, text: message.text ?? '', mediaId: null })
  await context.moveClock('21 seconds')
  await markInDoubt(context.db)
  const [look] = await claimLookUps(context.db, 1, [])
  if (!look) throw new Error('No look-up was due')
  const now = Date.now()
  vi.spyOn(Date, 'now').mockImplementation(() => now + 60_000)

  await lookUp(context.deps(provider), look).finally(() => vi.restoreAllMocks())

  expect(await context.statuses(job.id)).toEqual(['sent'])
})

test('the message ids of deleted and restarted jobs stay matched', async () => {
  const { provider } = scriptedProvider()
  const job = await context.add.job({ recipients: ['1@g.us'] })
  const { instanceId } = job
  context.worker(provider)
  await context.untilStatus(job.id, 'Completed')
  await context.db.begin((tx) => restartJob(tx, job.id, 'Ann'))
  await context.untilStatus(job.id, 'Completed')
  await deleteJobs(context.db, [job.id], 'Ann', async () => {})

  const matched = await context.db.many(
    sql`select provider_message_id from matched_messages where instance_id = ${instanceId}`,
  )
  expect(matched.map((row) => row.providerMessageId)).toEqual(['message-1', 'message-2'])
})

test('a message that cannot be looked up for ten minutes fails with an unknown outcome', async () => {
  const { provider, script, calls } = scriptedProvider()
  script.onList = () => {
    throw new ProviderFailure('unreachable', { code: 'provider_unreachable', params: {} })
  }
  const { job } = await abandonedJob()
  context.worker(provider)
  await context.moveClock('21 seconds')
  await until(
    'the first look-up has ended',
    async () => calls.ownMessages === 1 && (await hasLookedUp(job.id)),
  )
  await context.moveClock('9 minutes')
  await until(
    'the second look-up has ended',
    async () => calls.ownMessages === 2 && (await hasLookedUp(job.id)),
  )
  expect(await context.statuses(job.id)).toEqual(['doubt'])

  await context.moveClock('2 minutes')
  await context.untilStatus(job.id, 'Failed')

  expect((await context.deliveries(job.id))[0]?.reason?.code).toBe('outcome_unknown')
})

test('an unrecognised 404 for the chat does not prove that the message was not sent', async () => {
  const { provider, script, calls } = scriptedProvider()
  script.onList = () => {
    throw new ProviderFailure('not_found', { code: 'chat_not_found', params: {} })
  }
  const { job } = await abandonedJob(['84901@s.whatsapp.net'])
  context.worker(provider)
  await context.moveClock('31 seconds')
  await until(
    'the first look-up has ended',
    async () => calls.ownMessages === 1 && (await hasLookedUp(job.id)),
  )
  await context.moveClock('31 seconds')
  await until(
    'the second look-up has ended',
    async () => calls.ownMessages === 2 && (await hasLookedUp(job.id)),
  )
  expect(await context.statuses(job.id)).toEqual(['doubt'])
})

test('a message that was not sent after all does not count for the cap', async () => {
  const { provider } = scriptedProvider()
  const { job } = await abandonedJob()
  const usage = async () => Object.values((await context.instance(job.instanceId))?.sentByHour ?? {})
  expect(await usage()).toEqual([1])
  const deps = context.deps(provider)
  await context.moveClock('31 seconds')
  await markInDoubt(context.db)
  for (let looks = 0; looks < 2; looks++) {
    const [look] = await claimLookUps(context.db, 1, [])
    if (!look) throw new Error('No look-up was due')
    await lookUp(deps, look)
    await context.moveClock('6 seconds')
  }
  expect(await context.statuses(job.id)).toEqual(['queued'])
  expect(await usage()).toEqual([])
})

test('an intent that is withdrawn does not count for the cap', async () => {
  const { job, message } = await abandonedJob()
  await withdrawIntent(context.db, job.instanceId, message.intent)
  expect(await context.statuses(job.id)).toEqual(['queued'])
  expect(await context.instance(job.instanceId)).toMatchObject({ inFlight: null, sentByHour: {} })
})

test('a job does not take turns with one that has nothing due', async () => {
  const job = await context.add.job({ status: 'Running', recipients: ['1@g.us'] })
  const other = await context.add.job({
    status: 'Running',
    recipients: ['2@g.us'],
    instanceId: job.instanceId,
  })
  await context.db.run(sql`update instances set last_intent_at = clock_now() where id = ${job.instanceId}`)
  expect((await whyWaiting(context.db, job.id)).waiting?.code).toBe('taking_turns')
  await context.db.run(
    sql`update deliveries set not_before = clock_now() + interval '1 minute' where job_id = ${other.id}`,
  )
  await context.db.run(sql`update jobs set cursor = ${Number.MAX_SAFE_INTEGER} where id = ${other.id}`)
  expect((await whyWaiting(context.db, job.id)).waiting).toBeNull()
})

test('an empty chat of an unhealthy instance proves nothing', async () => {
  const { provider, script, calls } = scriptedProvider()
  script.onStatus = () => ({ status: 'Degraded', linkedNumber: null })
  const { job } = await abandonedJob()
  context.worker(provider)
  await context.moveClock('31 seconds')
  await until('the first look-up has ended', async () => calls.status === 1 && (await hasLookedUp(job.id)))
  await context.moveClock('31 seconds')
  await until('the second look-up has ended', async () => calls.status === 2 && (await hasLookedUp(job.id)))
  expect(await context.statuses(job.id)).toEqual(['doubt'])
})

test('while a chat has a message in doubt, other jobs send to other chats first', async () => {
  const { provider, ledger, accept } = scriptedProvider()
  const { job, message } = await abandonedJob()
  const other = await context.add.job({
    instanceId: job.instanceId,
    textContent: 'Hello',
    recipients: ['1@g.us', '2@g.us'],
  })
  const engine = context.worker(provider)
  await context.moveClock('21 seconds')
  await context.untilStatuses(other.id, 'queued', 'sent')
  await engine.stop()

  accept({ token: 'any', to: message.chatId, text: message.text ?? '', mediaId: null })
  context.worker(provider)
  await context.moveClock('11 seconds')
  await context.untilStatus(job.id, 'Completed')
  await context.moveClock('11 seconds')
  await context.untilStatus(other.id, 'Completed')

  expect(ledger.map(({ to }) => to)).toEqual(['2@g.us', '1@g.us', '1@g.us'])
})

test('a message id that another delivery is matched with proves nothing, so the message is in doubt', async () => {
  const { provider, script } = scriptedProvider()
  script.onSend = () => ({ kind: 'sent', providerMessageId: 'always the same' })
  const job = await context.add.job({ recipients: ['1@g.us', '2@g.us'] })
  context.worker(provider)

  await context.untilStatuses(job.id, 'sent', 'doubt')

  expect((await context.deliveries(job.id))[1]?.reason?.code).toBe('provider_unreadable')
})

test('each recipient gets the message once although the database connections are cut again and again', async () => {
  const { provider, ledger, script, accept } = scriptedProvider()
  const job = await context.add.job({ recipients: Array.from({ length: 60 }, (_, n) => `${n}@g.us`) })
  let sends = 0
  script.onSend = async (send) => {
    if (++sends % 7 === 0)
      await context.db.run(sql`
        select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and application_name = 'sendroom test worker'`)
    return accept(send)
  }
  context.worker(provider)
  context.worker(provider)

  await until('the job is Completed', async () => {
    await context.moveClock('1 second')
    return (await context.jobStatus(job.id)) === 'Completed'
  })

  expect(ledger).toHaveLength(60)
  expect(new Set(ledger.map(({ to }) => to)).size).toBe(60)
})
