import { afterAll, beforeAll, expect, test } from 'vitest'
import { Environment } from '../chaos/environment.ts'
import { runFailover } from './run-failover.ts'
import { StandbyPair } from './standby-pair.ts'

let cluster: StandbyPair
let environment: Environment
beforeAll(async () => {
  cluster = await StandbyPair.open()
  environment = await Environment.open(cluster)
})
afterAll(() => environment[Symbol.asyncDispose]())

/** A primary that is demoted and lives on read-only, and a killed one whose lagging standby lost commits. */
const seeds = [4, 115]

test.each(seeds)(
  'failover with seed %i: each recipient gets the message once',
  { timeout: 240_000 },
  async (seed) => {
    const { violations, report } = await runFailover(environment, cluster, seed)
    expect(violations, violations.length > 0 ? report() : '').toEqual([])
  },
)

test('without a new era, the suite finds duplicates', { timeout: 240_000 }, async () => {
  const { violations, report } = await runFailover(environment, cluster, 115, 'no new era after a failover')
  expect(violations.join('\n'), report()).toMatch(/Sent 2 times/)
})
