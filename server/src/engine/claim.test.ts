import { expect, test } from 'vitest'
import { useEngineWorld } from '../../test/engine-world.ts'
import { claimAccounts, renewLeases } from './claim.ts'

const world = useEngineWorld()

test('leases are renewed in the order in which everybody locks accounts', async () => {
  const [first, second] = [await world.add.instance(), await world.add.instance()]
  for (const { id } of [first, second]) await world.add.job({ instanceId: id, status: 'Running' })
  const claims = await claimAccounts(world.sql, 10)
  claims.sort((a, b) => b.instanceId - a.instanceId)
  // Its row lies behind the other's now.
  await world.sql`update instances set name = name where id = ${first.id}`

  // As one who deletes jobs of both.
  const renewing = await world.sql.begin(async (tx) => {
    await tx`select from instances where id = ${first.id} for no key update`
    const renewal = renewLeases(world.sql, claims)
    await world.until(
      async () =>
        (
          await world.sql`
            select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
        ).count > 0,
    )
    await tx`select from instances where id = ${second.id} for no key update`
    return { renewal }
  })

  await renewing.renewal
  expect(claims.map(({ leaseEndsAt }) => leaseEndsAt > 0)).toEqual([true, true])
})
