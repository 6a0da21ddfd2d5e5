/**
 * npm run chaos -- [--seed N] [--rounds N] [--lanes N]: does `rounds` chaos runs with consecutive seeds, `lanes` of
 * them at once. The exit code is 1 if a run has violations.
 */
import { randomInt } from 'node:crypto'
import { parseArgs } from 'node:util'
import { Environment } from './environment.ts'
import { type RunResult, runChaos } from './run-chaos.ts'
import { addTally, formatTally } from './tally.ts'

const print = (text: string) => process.stdout.write(`${text}\n`)

const { values } = parseArgs({
  options: { seed: { type: 'string' }, rounds: { type: 'string' }, lanes: { type: 'string' } },
})
const firstSeed = Number(values.seed ?? randomInt(1_000_000))
const runs = Number(values.rounds ?? 20)
// Runs spend most of their time waiting, so several share the processor well.
const lanes = Math.min(Number(values.lanes ?? 3), runs)
print(
  `Seed ${firstSeed}, ${runs} runs, ${lanes} at once. Replay one with: npm run chaos -- --seed N --rounds 1`,
)

// Without a handler, these signals would skip the exit tasks, which remove the processes and folders.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))

const began = performance.now()
const total: RunResult['tallies'] = { results: {}, actions: {}, faults: {}, doubts: {} }
const failedSeeds: number[] = []
let nextSeed = firstSeed

async function runLane() {
  while (nextSeed < firstSeed + runs) await runInEnvironment()
}

/** Does one run after another. After a run that could not finish, the lane goes on in a new environment. */
async function runInEnvironment() {
  await using environment = await Environment.open()
  while (nextSeed < firstSeed + runs) {
    const seed = nextSeed++
    try {
      report(seed, await runChaos(environment, seed))
    } catch (error) {
      failedSeeds.push(seed)
      return print(`\nNOT FINISHED: --seed ${seed}: ${error instanceof Error ? error.stack : error}\n`)
    }
  }
}

function report(seed: number, result: RunResult) {
  const { violations, tallies, seconds, stallMs } = result
  for (const [name, tally] of Object.entries(tallies)) addTally(total[name as keyof typeof total], tally)
  print(`${seed}  ${seconds.toFixed(1)} s  ${formatTally(tallies.results)}`)
  if (violations.length === 0) return
  failedSeeds.push(seed)
  print(`\nVIOLATIONS with --seed ${seed} (this process stood still for ${stallMs} ms at most):`)
  print(`${violations.join('\n')}\n\n${result.report()}\n`)
}

await Promise.all(Array.from({ length: lanes }, runLane))
const seconds = (performance.now() - began) / 1000
print(
  `\n${runs} runs from seed ${firstSeed} in ${seconds.toFixed(0)} s, ${(seconds / runs).toFixed(1)} s per run`,
)
print(`Total: ${formatTally(total.results)}`)
print(`Actions: ${formatTally(total.actions)}`)
print(`Faults met: ${formatTally(total.faults)}`)
print(`Doubts settled: ${formatTally(total.doubts)}`)
print(failedSeeds.length === 0 ? 'No violation.' : `Violations with the seeds ${failedSeeds.join(', ')}.`)
process.exit(failedSeeds.length === 0 ? 0 : 1)
