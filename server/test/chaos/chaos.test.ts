import { afterAll, beforeAll, expect, test } from 'vitest'
import { Environment } from './environment.ts'
import { repeatStalled } from './repeat-stalled.ts'
import { runChaos } from './run-chaos.ts'

let environment: Environment
beforeAll(async () => {
  environment = await Environment.open()
}, 60_000)
afterAll(() => environment[Symbol.asyncDispose]())

/**
 * The first run has no receipts, the second polls for them, the third has webhooks. `npm run chaos` draws other seeds.
 */
const seeds = [316, 370, 384]

test.each(seeds)(
  'chaos with seed %i: the engine accounts for every recipient once',
  { timeout: 480_000 },
  async (seed) => {
    const { violations, report } = await repeatStalled(() => runChaos(environment, seed))
    expect(violations, violations.length > 0 ? report() : '').toEqual([])
  },
)
