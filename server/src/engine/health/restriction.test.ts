import { expect, test } from 'vitest'
import { useEngineContext } from '../../../test/engine-context.ts'
import { scriptedProvider } from '../../../test/scripted-provider.ts'
import { until } from '../../../test/until.ts'
import { json, sql } from '../../platform/database/sql.ts'
import { checkRestriction, expectEnd, resumeSending, whyWaiting } from '../index.ts'
import { failOverdue } from './overdue.ts'

const context = useEngineContext()

const credentials = { token: 'any' }
const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString()
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
  await context.untilInstanceWaits(instanceId)

  await context.moveClock('1 minute') // the next check of the instance
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

  await checkRestriction(context.db, { provider, credentials }, instanceId)
  const waiting = await whyWaiting(context.db, job.id)
  expect(Date.parse(waiting.nextSendAt ?? '') - Date.now()).toBeGreaterThan(3_500_000)
  expect(Date.parse(waiting.nextSendAt ?? '') - Date.now()).toBeLessThan(3_700_000)

  script.onRestriction = () => null
  await checkRestriction(context.db, { provider, credentials }, instanceId)
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

  await checkRestriction(context.db, { provider, credentials }, instanceId)
  await failOverdue(context.db, 86_400_000)

  expect(await context.statuses(job.id)).toEqual(['queued'])
  expect(await context.instance(instanceId)).toMatchObject({ waiting: null, waitingSince: null })
})

test('an instance without jobs to people is not checked for a restriction', async () => {
  const { provider } = restrictedProvider(inDays(1))
  const { instanceId } = await context.add.job({ status: 'Running' })

  await checkRestriction(context.db, { provider, credentials }, instanceId)

  expect(await restrictedUntil(instanceId)).toBeNull()
})

test('a user can resume a restricted instance', async () => {
  const { id } = await context.add.instance({ restrictedUntil: inDays(1) })

  await resumeSending(context.db, id, 'Ann')

  expect(await restrictedUntil(id)).toBeNull()
})
