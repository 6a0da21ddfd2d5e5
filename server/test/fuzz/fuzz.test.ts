import { afterAll, beforeAll, expect, test } from 'vitest'
import { Environment } from './environment.ts'
import { checkAtEnd } from './final-checks.ts'
import { addResult, emptyResult, ROUND } from './result.ts'
import { runRound } from './run-round.ts'

// The short form of `npm run fuzz`. A slow answer is no failure here, because the machine may be busy.

const seeds = [1, 2, 3, 4]

let environment: Environment
beforeAll(async () => {
  environment = await Environment.open()
})
afterAll(() => environment[Symbol.asyncDispose]())

// R-2022
test('a thousand requests of every kind find no error, no leak and nothing of others', {
  timeout: 240_000,
}, async () => {
  const total = emptyResult()
  for (const seed of seeds) addResult(total, await runRound(environment, seed, ROUND))
  expect(total.violations).toEqual([])
  expect(await checkAtEnd(environment, total.tokens)).toEqual([])
  expect(total.requests).toBe(seeds.length * ROUND)
  expect(total.reached / total.requests).toBeGreaterThan(0.5)
})
