import { afterAll, beforeAll, expect, test } from 'vitest'
import { Environment } from '../chaos/environment.ts'
import { repeatStalled } from '../chaos/repeat-stalled.ts'
import { type FailoverResult, runFailover } from './run-failover.ts'
import { StandbyPair } from './standby-pair.ts'

let cluster: StandbyPair
let environment: Environment
beforeAll(async () => {
  cluster = await StandbyPair.open()
  environment = await Environment.open(cluster)
})
afterAll(() => environment[Symbol.asyncDispose]())

/** A primary that is demoted and runs on read-only, and a killed one whose lagging standby lost commits. */
const seeds = [4, 115]

test.each(seeds)(
  'failover with seed %i: each recipient gets the message once',
  { timeout: 480_000 },
  async (seed) => {
    const { violations, report } = await repeatStalled(() => runFailover(environment, cluster, seed))
    expect(violations, violations.length > 0 ? report() : '').toEqual([])
  },
)

/** The standby must lag at the right moment. A busy machine may miss it once, but hardly three times. */
const ATTEMPTS = 3

test('without a new era, the suite finds duplicates', { timeout: 480_000 }, async () => {
  const play = () => runFailover(environment, cluster, 115, 'no new era after a failover')
  const hasDuplicates = ({ violations }: FailoverResult) => /Sent 2 times/.test(violations.join('\n'))
  let result = await play()
  for (let attempt = 1; attempt < ATTEMPTS && !hasDuplicates(result); attempt++) result = await play()
  expect(hasDuplicates(result), result.report()).toBe(true)
})
