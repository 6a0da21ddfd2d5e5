import { expect, test } from 'vitest'
import { useEngineWorld } from '../../test/engine-world.ts'
import { sql } from '../platform/database/sql.ts'
import { claimAccounts, renewLeases } from './claim.ts'

const world = useEngineWorld()

test('an account that is locked for long keeps no other from the renewal of its lease', async () => {
  const [first, second] = [await world.add.instance(), await world.add.instance()]
  for (const { id } of [first, second]) await world.add.job({ instanceId: id, status: 'Running' })
  const claims = await claimAccounts(world.db, 10)
  const before = new Map(claims.map(({ instanceId, leaseEndsAt }) => [instanceId, leaseEndsAt]))

  // As one who deletes a large job of the second.
  await world.db.begin(async (tx) => {
    await tx.run(sql`select from instances where id = ${second.id} for no key update`)
    await renewLeases(world.db, claims)
  })

  const renewedBy = ({ id }: { id: number }) =>
    (claims.find(({ instanceId }) => instanceId === id)?.leaseEndsAt ?? 0) - (before.get(id) ?? 0)
  expect(renewedBy(first)).toBeGreaterThan(0)
  expect(renewedBy(second)).toBe(0)
})

test('an intent renews the lease', async () => {
  const job = await world.add.job({ status: 'Running' })
  const [claim] = await claimAccounts(world.db, 1)
  if (!claim) throw new Error('Nothing was claimed')
  const leaseUntil = async () => String((await world.account(job.instanceId))?.leaseUntil)
  const before = await leaseUntil()
  await world.moveClock('10 seconds')

  await world.ask(claim)

  expect(Date.parse(await leaseUntil()) - Date.parse(before)).toBeGreaterThan(9_000)
})

test('an intent that began before a renewal leaves the lease as long as that made it', async () => {
  const job = await world.add.job({ status: 'Running' })
  const [claim] = await claimAccounts(world.db, 1)
  if (!claim) throw new Error('Nothing was claimed')
  await world.db.run(
    sql`update instances set lease_until = clock_now() + interval '1 minute' where id = ${job.instanceId}`,
  )
  const before = (await world.account(job.instanceId))?.leaseUntil

  await world.ask(claim)

  expect(await world.account(job.instanceId)).toMatchObject({
    leaseUntil: before,
    inFlight: expect.any(Number),
  })
})
