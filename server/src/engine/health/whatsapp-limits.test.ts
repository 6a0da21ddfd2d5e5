import { expect, test } from 'vitest'
import { people, useEngineContext } from '../../../test/engine-context.ts'
import { scriptedProvider } from '../../../test/scripted-provider.ts'
import { until } from '../../../test/until.ts'
import { json, sql } from '../../platform/database/sql.ts'
import type { NewChatLimit } from '../../providers/provider.ts'
import { checkLimits, expectEnd, resumeSending, whyWaiting } from '../index.ts'
import { storeBatch } from '../receipts/store.ts'
import { failOverdue } from './overdue.ts'

const context = useEngineContext()

const credentials = { token: 'any' }
const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString()
const toOne = ['8491@s.whatsapp.net']
const restrictedUntil = async (instanceId: number) => (await context.instance(instanceId))?.restrictedUntil

/** A provider whose instance is restricted: it refuses messages to people, and reports the restriction. */
function restrictedProvider(until: string | null) {
  const scripted = scriptedProvider()
  const { script, accept } = scripted
  script.onRestriction = () => ({ until })
  script.onSend = (send) =>
    send.to.endsWith('@g.us') || script.onRestriction() === null
      ? accept(send)
      : {
          kind: 'account',
          problem: 'account_restricted',
          reason: { code: 'account_restricted', params: {} },
        }
  return scripted
}

test('a restricted instance still sends to groups, and jobs to people wait beyond ACCOUNT_WAIT until the restriction ends', async () => {
  const end = inDays(3)
  const { provider, script, ledger } = restrictedProvider(end)
  const { id: instanceId } = await context.add.instance()
  const toPeople = await context.add.job({ instanceId, recipients: ['8491@s.whatsapp.net'] })
  context.worker(provider)
  // The limits are read before the job begins.
  await until('the restriction is known', () => restrictedUntil(instanceId))
  const toGroups = await context.add.job({ instanceId })
  await context.untilStatus(toGroups.id, 'Completed')

  expect(await whyWaiting(context.db, toPeople.id)).toEqual({
    waiting: { code: 'account_restricted', params: {} },
    nextSendAt: end,
  })
  expect((await expectEnd(context.db, toPeople.id, 1))?.endsAt).toBe(end)
  await context.moveClock('2 days')
  const later = await context.add.job({ instanceId })
  await context.untilStatus(later.id, 'Completed')
  expect(await context.statuses(toPeople.id)).toEqual(['queued'])

  script.onRestriction = () => null
  await context.moveClock('1 day')
  await context.untilStatus(toPeople.id, 'Completed')
  expect(ledger).toHaveLength(7)
})

test('a restriction without an end holds for an hour, or until a check finds none', async () => {
  const { provider, script } = restrictedProvider(null)
  const { id: instanceId } = await context.add.instance()
  const job = await context.add.job({ instanceId, recipients: ['8491@s.whatsapp.net'], status: 'Running' })

  await checkLimits(context.db, { provider, credentials }, instanceId)
  const waiting = await whyWaiting(context.db, job.id)
  expect(Date.parse(waiting.nextSendAt ?? '') - Date.now()).toBeGreaterThan(3_500_000)
  expect(Date.parse(waiting.nextSendAt ?? '') - Date.now()).toBeLessThan(3_700_000)

  script.onRestriction = () => null
  await checkLimits(context.db, { provider, credentials }, instanceId)
  expect(await restrictedUntil(instanceId)).toBeNull()
  context.worker(provider)
  await context.untilStatus(job.id, 'Completed')
})

test('a restriction that is confirmed while the instance cannot read replaces the trouble, and fails no delivery', async () => {
  const { provider } = restrictedProvider(inDays(3))
  const { id: instanceId } = await context.add.instance({ status: 'Degraded' })
  const job = await context.add.job({ instanceId, recipients: ['8491@s.whatsapp.net'], status: 'Running' })
  await context.db.run(sql`
    update instances set waiting = ${json({ code: 'account_restricted', params: {} })}, waiting_since = clock_now()
    where id = ${instanceId}`)
  await context.db.run(sql`update jobs set started_at = clock_now() - interval '2 days' where id = ${job.id}`)

  await checkLimits(context.db, { provider, credentials }, instanceId)
  await failOverdue(context.db, 86_400_000)

  expect(await context.statuses(job.id)).toEqual(['queued'])
  expect(await context.instance(instanceId)).toMatchObject({ waiting: null, waitingSince: null })
})

test('an instance without jobs to people is not checked for a restriction', async () => {
  const { provider } = restrictedProvider(inDays(1))
  const { instanceId } = await context.add.job({ status: 'Running' })

  await checkLimits(context.db, { provider, credentials }, instanceId)

  expect(await restrictedUntil(instanceId)).toBeNull()
})

test('a user can resume a restricted instance', async () => {
  const { id } = await context.add.instance({ restrictedUntil: inDays(1) })

  await resumeSending(context.db, id, 'Ann')

  expect(await restrictedUntil(id)).toBeNull()
})

const limitOf = (more: Partial<NewChatLimit>): NewChatLimit => ({
  status: 'none',
  left: null,
  until: null,
  ...more,
})

// R-1205
test('WhatsApp’s limits are read once before each job to people, and a failure to read them stops nothing', async () => {
  const { provider, script } = scriptedProvider()
  let read = 0
  script.onNewChatLimit = () => {
    read++
    return null
  }
  const { id: instanceId } = await context.add.instance()
  const job = await context.add.job({ instanceId, recipients: people(5) })
  const groups = await context.add.job({ instanceId: (await context.add.instance()).id })
  context.worker(provider)
  for (const { id } of [job, groups]) await context.untilStatus(id, 'Completed')
  expect(read).toBe(1)
})

// R-1205
test('a capped account writes to nobody until the cap ends, and to groups as before', async () => {
  const end = inDays(2)
  const { provider, script, ledger } = scriptedProvider()
  script.onNewChatLimit = () => limitOf({ status: 'capped', left: 0, until: end })
  const { id: instanceId } = await context.add.instance()
  const toPeople = await context.add.job({ instanceId, recipients: toOne })
  const toGroups = await context.add.job({ instanceId })
  context.worker(provider)
  await context.untilStatus(toGroups.id, 'Completed')
  await context.untilWaiting(toPeople.id, 'capped_by_whatsapp')
  expect(await whyWaiting(context.db, toPeople.id)).toMatchObject({ nextSendAt: end })
  expect(ledger).toHaveLength(3)

  script.onNewChatLimit = () => null
  await context.moveClock('2 days 1 minute')
  await context.untilStatus(toPeople.id, 'Completed')
})

// R-1205
test('WhatsApp’s quota of new people goes before our own, and its warning makes pauses twice as long', async () => {
  const end = inDays(2)
  const { provider, script } = scriptedProvider()
  script.onNewChatLimit = () => limitOf({ status: 'first_warning', left: 2, until: end })
  const pause = { privatePauseFromMs: 60_000, privatePauseToMs: 60_000 }
  const { id: instanceId } = await context.add.instance({ ...pause, newPeopleCap: 100 })
  const job = await context.add.job({ instanceId, recipients: people(3) })
  context.worker(provider)
  await context.untilStatuses(job.id, 'sent', 'queued', 'queued')
  expect(await whyWaiting(context.db, job.id)).toMatchObject({ waiting: { code: 'pause_between' } })
  const { pause: seconds } = await context.db.one<{ pause: number }>(sql`
    select extract(epoch from next_due_at - last_intent_at)::float8 as pause from instances where id = ${instanceId}`)
  expect(seconds).toBeGreaterThanOrEqual(120)
  await context.moveClock('3 minutes')
  await context.untilStatuses(job.id, 'sent', 'sent', 'queued')
  await context.moveClock('3 minutes')
  await context.untilWaiting(job.id, 'new_people')
  expect(await whyWaiting(context.db, job.id)).toMatchObject({ nextSendAt: end })
})

// R-1206
test('a message to a person that fails later, by a receipt, has the limits read before the next one', async () => {
  const { provider, script } = scriptedProvider()
  const { id: instanceId } = await context.add.instance({
    privatePauseFromMs: 60_000,
    privatePauseToMs: 60_000,
  })
  const job = await context.add.job({ instanceId, recipients: people(2) })
  context.worker(provider)
  await context.untilStatuses(job.id, 'sent', 'queued')
  const [first] = await context.deliveries(job.id)
  script.onNewChatLimit = () => limitOf({ status: 'capped', until: inDays(1) })
  await storeBatch(context.db, [
    {
      ...{ instanceId, providerMessageId: first?.providerMessageId ?? '', state: 'failed', viewer: null },
      ...{ at: new Date().toISOString(), detail: 'error 463' },
    },
  ])
  await context.untilStatuses(job.id, 'failed', 'queued')
  await context.moveClock('2 minutes')
  await context.untilWaiting(job.id, 'capped_by_whatsapp')
})

// R-1206
test.each([
  ['restricts the account', { restriction: { until: inDays(1) }, newChats: null }, 'account_restricted'],
  [
    'caps the account',
    { restriction: null, newChats: limitOf({ status: 'capped', until: inDays(1) }) },
    'capped_by_whatsapp',
  ],
  ['limits nobody but this person', { restriction: null, newChats: null }, null],
])('a first message that WhatsApp refuses, when it %s', async (_name, found, waits) => {
  const { provider, script, accept } = scriptedProvider()
  const [first] = people(1)
  let isRefused = false
  script.onSend = (send) => {
    if (send.to !== first) return accept(send)
    isRefused = true
    return { kind: 'no_first_message' }
  }
  script.onRestriction = () => (isRefused ? found.restriction : null)
  script.onNewChatLimit = () => (isRefused ? found.newChats : null)
  const { id: instanceId } = await context.add.instance({ newPeopleCap: 9 })
  const job = await context.add.job({ instanceId, recipients: people(2) })
  context.worker(provider)
  if (waits) {
    await context.untilWaiting(job.id, waits)
    expect(await context.statuses(job.id)).toEqual(['queued', 'queued'])
  } else {
    await context.untilStatus(job.id, 'Completed')
    expect(await context.deliveries(job.id)).toMatchObject([
      { status: 'failed', reason: { code: 'no_first_message' } },
      { status: 'sent' },
    ])
  }
  const instance = await context.instance(instanceId)
  const kinds = Object.entries(instance?.sentByDay as Record<string, number>).map(
    ([key, n]) => `${key[0]}${n}`,
  )
  // A refusal counts for the day. What was certainly not sent counts for nothing else.
  expect(kinds.sort()).toEqual(waits ? ['r1'] : ['n2', 'p2', 'r1'])
  expect(instance?.waiting).toBeNull()
})
