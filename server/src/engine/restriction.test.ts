import { expect, test } from 'vitest'
import { useEngineWorld } from '../../test/engine-world.ts'
import { json, sql } from '../platform/database/sql.ts'
import { failOverdue } from './account.ts'
import { checkRestriction, expectEnd, resumeAccount, whyWaiting } from './index.ts'

const world = useEngineWorld()

const account = { token: 'any' }
const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString()
const restrictedUntil = async (instanceId: number) => (await world.account(instanceId))?.restrictedUntil

async function untilStatus(jobId: number, status: string) {
  await world.until(async () => (await world.jobStatus(jobId)) === status)
}

/** WhatsApp refuses people, and says so when it is asked. */
function restricting(until: string | null) {
  const scripted = world.scripted()
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

test('a restricted account goes on to groups; people wait until it is over, longer than trouble may last', async () => {
  const end = inDays(3)
  const { provider, script, ledger } = restricting(end)
  const { id: instanceId } = await world.add.instance()
  const toPeople = await world.add.job({ instanceId, recipients: ['8491@s.whatsapp.net'] })
  world.worker(provider)
  await world.until(async () => (await world.account(instanceId))?.waiting)

  await world.moveClock('1 minute') // the next look at the account
  await world.until(() => restrictedUntil(instanceId))
  const toGroups = await world.add.job({ instanceId })
  await untilStatus(toGroups.id, 'Completed')

  expect(await whyWaiting(world.db, toPeople.id)).toEqual({
    waiting: { code: 'account_restricted', params: {} },
    nextSendAt: end,
  })
  expect((await expectEnd(world.db, toPeople.id, 1))?.endsAt).toBe(end)
  await world.moveClock('2 days')
  const later = await world.add.job({ instanceId })
  await untilStatus(later.id, 'Completed')
  expect(await world.statuses(toPeople.id)).toEqual(['queued'])

  script.onRestriction = () => null
  await world.moveClock('1 day')
  await untilStatus(toPeople.id, 'Completed')
  expect(ledger).toHaveLength(7)
})

test('without an end it holds for an hour, and a look that finds none lifts it at once', async () => {
  const { provider, script } = restricting(null)
  const { id: instanceId } = await world.add.instance()
  const job = await world.add.job({ instanceId, recipients: ['8491@s.whatsapp.net'], status: 'Running' })

  await checkRestriction(world.db, { provider, account }, instanceId)
  const waits = await whyWaiting(world.db, job.id)
  expect(Date.parse(waits.nextSendAt ?? '') - Date.now()).toBeGreaterThan(3_500_000)
  expect(Date.parse(waits.nextSendAt ?? '') - Date.now()).toBeLessThan(3_700_000)

  script.onRestriction = () => null
  await checkRestriction(world.db, { provider, account }, instanceId)
  expect(await restrictedUntil(instanceId)).toBeNull()
  world.worker(provider)
  await untilStatus(job.id, 'Completed')
})

test('a restriction that is seen while the account can’t read fails nobody: it is what the account waits for', async () => {
  const { provider } = restricting(inDays(3))
  const { id: instanceId } = await world.add.instance({ status: 'Degraded' })
  const job = await world.add.job({ instanceId, recipients: ['8491@s.whatsapp.net'], status: 'Running' })
  await world.db.run(sql`
    update instances set waiting = ${json({ code: 'account_restricted', params: {} })}, waiting_since = clock_now()
    where id = ${instanceId}`)
  await world.db.run(sql`update jobs set started_at = clock_now() - interval '2 days' where id = ${job.id}`)

  await checkRestriction(world.db, { provider, account }, instanceId)
  await failOverdue(world.db, 86_400_000)

  expect(await world.statuses(job.id)).toEqual(['queued'])
  expect(await world.account(instanceId)).toMatchObject({ waiting: null, waitingSince: null })
})

test('an account that writes to groups only is not asked about', async () => {
  const { provider } = restricting(inDays(1))
  const { instanceId } = await world.add.job({ status: 'Running' })

  await checkRestriction(world.db, { provider, account }, instanceId)

  expect(await restrictedUntil(instanceId)).toBeNull()
})

test('a person may let a restricted account try', async () => {
  const { id } = await world.add.instance({ restrictedUntil: inDays(1) })

  await resumeAccount(world.db, id, 'Ann')

  expect(await restrictedUntil(id)).toBeNull()
})
