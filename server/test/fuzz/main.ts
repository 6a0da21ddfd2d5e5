/**
 * npm run fuzz -- [--requests N] [--seed N]: sends requests of every kind to a real server, in rounds with
 * consecutive seeds, and checks each answer. The exit code is 1 if anything is wrong.
 */
import { randomInt } from 'node:crypto'
import { parseArgs } from 'node:util'
import { Environment } from './environment.ts'
import { checkAtEnd } from './final-checks.ts'
import { addResult, emptyResult, formatResult, ROUND, SLOW_MS } from './result.ts'
import { runRound } from './run-round.ts'

const print = (text: string) => process.stdout.write(`${text}\n`)

const { values } = parseArgs({ options: { requests: { type: 'string' }, seed: { type: 'string' } } })
const firstSeed = Number(values.seed ?? randomInt(1_000_000))
const requests = Number(values.requests ?? 10_000)
const rounds = Math.ceil(requests / ROUND)
print(
  `Seed ${firstSeed}, ${requests} requests. Repeat a round of ${ROUND} with: npm run fuzz -- --seed N --requests ${ROUND}`,
)

// Without a handler, these signals would skip the exit tasks, which remove the processes and folders.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))

const began = performance.now()
const total = emptyResult()
await using environment = await Environment.open()
for (let round = 0; round < rounds; round++) {
  const seed = firstSeed + round
  const result = await runRound(environment, seed, Math.min(ROUND, requests - round * ROUND))
  addResult(total, result)
  for (const violation of result.violations) print(`\nVIOLATION with --seed ${seed}: ${violation}`)
  if ((round + 1) % 40 === 0)
    print(`${total.requests} requests, ${((performance.now() - began) / 1000).toFixed(0)} s`)
}
const atEnd = await checkAtEnd(environment, total.tokens)
for (const violation of atEnd) print(`\nVIOLATION at the end: ${violation}`)
print(formatResult(total, (performance.now() - began) / 1000))
const tooSlow = total.slow.filter(({ aloneMs }) => aloneMs > SLOW_MS)
const count = total.violations.length + tooSlow.length + atEnd.length
print(count === 0 ? 'No violation.' : `${count} violations.`)
process.exitCode = count === 0 ? 0 : 1
