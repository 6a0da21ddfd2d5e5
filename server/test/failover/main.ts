/**
 * npm run failover -- [--patroni | --restore] [--seed N] [--rounds N] [--mutant NAME]: fails over, or restores a
 * backup, `rounds` times, with consecutive seeds, each time in the middle of jobs. The exit code is 1 if a round has
 * violations.
 */
import { randomInt } from 'node:crypto'
import { parseArgs } from 'node:util'
import { Environment } from '../chaos/environment.ts'
import { mutantNamed } from '../chaos/mutants.ts'
import { addTally, formatTally } from '../chaos/tally.ts'
import { PatroniCluster } from './patroni-cluster.ts'
import { explainMissingTools } from './patroni-tools.ts'
import { findLateResumptions, formatResumptions, type Resumption } from './resumption.ts'
import { type FailoverResult, runFailover } from './run-failover.ts'
import { runRestore } from './run-restore.ts'
import { StandbyPair } from './standby-pair.ts'

const print = (text: string) => process.stdout.write(`${text}\n`)

const { values } = parseArgs({
  options: {
    patroni: { type: 'boolean' },
    restore: { type: 'boolean' },
    seed: { type: 'string' },
    rounds: { type: 'string' },
    mutant: { type: 'string' },
  },
})
const mutant = values.mutant === undefined ? undefined : mutantNamed(values.mutant)
const firstSeed = Number(values.seed ?? randomInt(1_000_000))
const rounds = Number(values.rounds ?? 10)
const form = values.patroni ? ' --patroni' : values.restore ? ' --restore' : ''
print(`Seed ${firstSeed}, ${rounds} rounds. Replay one with: npm run failover --${form} --seed N --rounds 1`)

// Without a handler, these signals would skip the exit tasks, which remove the processes and folders.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))

const missing = values.patroni && explainMissingTools()
if (missing) {
  print(missing)
  process.exit(1)
}

const total: FailoverResult['tallies'] = { results: {}, doubts: {} }
const resumptions: Resumption[] = []
const failedSeeds: number[] = []
let nextSeed = firstSeed
while (nextSeed < firstSeed + rounds) await (values.restore ? restoreBackups() : runOnCluster())

async function restoreBackups() {
  await using environment = await Environment.open()
  while (nextSeed < firstSeed + rounds) {
    const seed = nextSeed++
    const { violations, tally, seconds, report } = await runRestore(environment, seed)
    addTally(total.results, tally)
    print(`${seed}  ${seconds.toFixed(1)} s  ${formatTally(tally)}`)
    if (violations.length === 0) continue
    failedSeeds.push(seed)
    print(`\nVIOLATIONS with --seed ${seed}:\n${violations.join('\n')}\n\n${report()}\n`)
  }
}

/** Does one round after another. After a round that could not finish, the next one has a new cluster. */
async function runOnCluster() {
  const cluster = await (values.patroni ? PatroniCluster : StandbyPair).open()
  await using environment = await Environment.open(cluster)
  while (nextSeed < firstSeed + rounds) {
    const seed = nextSeed++
    try {
      report(seed, await runFailover(environment, cluster, seed, mutant))
    } catch (error) {
      failedSeeds.push(seed)
      return print(`\nNOT FINISHED: --seed ${seed}: ${error instanceof Error ? error.stack : error}\n`)
    }
  }
}

function report(seed: number, result: FailoverResult) {
  const { plan, tallies, seconds } = result
  addTally(total.results, tallies.results)
  addTally(total.doubts, tallies.doubts)
  resumptions.push(...result.resumptions)
  const mode = plan.isSynchronous ? 'synchronous' : 'asynchronous'
  print(`${seed}  ${seconds.toFixed(1)} s  ${plan.fault}, ${mode}, ${plan.lagMs} ms behind`)
  print(`    ${formatTally(tallies.results)}`)
  print(`    ${formatResumptions(result.resumptions)}`)
  const violations = [...result.violations, ...findLateResumptions(result.resumptions)]
  if (violations.length === 0) return
  failedSeeds.push(seed)
  print(`\nVIOLATIONS with --seed ${seed}:\n${violations.join('\n')}\n\n${result.report()}\n`)
}

const ofKind = (isSuspect: boolean) => resumptions.filter((resumption) => resumption.isSuspect === isSuspect)
print(`\nTotal: ${formatTally(total.results)}`)
print(`Doubts settled: ${formatTally(total.doubts)}`)
print(`Instances in their pause: ${formatResumptions(ofKind(false))}`)
print(`Suspect instances: ${formatResumptions(ofKind(true))}`)
print(failedSeeds.length === 0 ? 'No violation.' : `Violations with the seeds ${failedSeeds.join(', ')}.`)
process.exitCode = failedSeeds.length === 0 ? 0 : 1
