import { expect, test } from 'vitest'
import { useEngineContext } from '../../../test/engine-context.ts'
import { sql } from '../../platform/database/sql.ts'
import { claimInstances, renewLeases } from './claim.ts'

const context = useEngineContext()

test('an instance that is locked for long does not delay the lease renewal of the others', async () => {
  const [first, second] = [await context.add.instance(), await context.add.instance()]
  for (const { id } of [first, second]) await context.add.job({ instanceId: id, status: 'Running' })
  const claims = await claimInstances(context.db, 10)
  const before = new Map(claims.map(({ instanceId, leaseEndsAt }) => [instanceId, leaseEndsAt]))

  // The deletion of a large job holds such a lock.
  await context.db.begin(async (tx) => {
    await tx.run(sql`select from instances where id = ${second.id} for no key update`)
    await renewLeases(context.db, claims)
  })

  const renewedBy = ({ id }: { id: number }) =>
    (claims.find(({ instanceId }) => instanceId === id)?.leaseEndsAt ?? 0) - (before.get(id) ?? 0)
  expect(renewedBy(first)).toBeGreaterThan(0)
  expect(renewedBy(second)).toBe(0)
})

test('an intent renews the lease', async () => {
  const job = await context.add.job({ status: 'Running' })
  const claim = await context.claimOne()
  const leaseUntil = async () => String((await context.instance(job.instanceId))?.leaseUntil)
  const before = await leaseUntil()
  await context.moveClock('10 seconds')

  await context.writeIntent(claim)

  expect(Date.parse(await leaseUntil()) - Date.parse(before)).toBeGreaterThan(9_000)
})

test('an intent never shortens a lease that a renewal has extended', async () => {
  const job = await context.add.job({ status: 'Running' })
  const claim = await context.claimOne()
  await context.db.run(
    sql`update instances set lease_until = clock_now() + interval '1 minute' where id = ${job.instanceId}`,
  )
  const before = (await context.instance(job.instanceId))?.leaseUntil

  await context.writeIntent(claim)

  expect(await context.instance(job.instanceId)).toMatchObject({
    leaseUntil: before,
    inFlight: expect.any(Number),
  })
})
