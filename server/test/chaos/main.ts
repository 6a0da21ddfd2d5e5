/**
 * npm run chaos -- [--seed N] [--rounds N] [--lanes N]: rounds from that seed on, some side by side; the exit code says
 * whether all held.
 */
import { randomInt } from 'node:crypto'
import { parseArgs } from 'node:util'
import { type Outcome, runRound } from './run-round.ts'
import { Stage } from './stage.ts'
import { addTo, inWords } from './tally.ts'

const say = (text: string) => process.stdout.write(`${text}\n`)

const { values } = parseArgs({
  options: { seed: { type: 'string' }, rounds: { type: 'string' }, lanes: { type: 'string' } },
})
const first = Number(values.seed ?? randomInt(1_000_000))
const rounds = Number(values.rounds ?? 20)
// A round mostly waits.
const lanes = Math.min(Number(values.lanes ?? 3), rounds)
say(
  `Seed ${first}, ${rounds} rounds, ${lanes} at once. Replay one with: npm run chaos -- --seed N --rounds 1`,
)

// Broken off, it still takes its processes and its folders with it.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))

const began = performance.now()
const total: Outcome['tallies'] = { counts: {}, actions: {}, faults: {}, doubts: {} }
const broken: number[] = []
let next = first

async function runLane() {
  while (next < first + rounds) await runOnStage()
}

/** Round after round, until one can't be played to its end: that is told too, and the others get a new stage. */
async function runOnStage() {
  await using stage = await Stage.open()
  while (next < first + rounds) {
    const seed = next++
    try {
      tell(seed, await runRound(stage, seed))
    } catch (error) {
      broken.push(seed)
      return say(
        `\nNOT PLAYED TO ITS END with --seed ${seed}: ${error instanceof Error ? error.stack : error}\n`,
      )
    }
  }
}

function tell(seed: number, { violations, tallies, story, seconds, stallMs }: Outcome) {
  for (const [about, tally] of Object.entries(tallies)) addTo(total[about as keyof typeof total], tally)
  say(`${seed}  ${seconds.toFixed(1)} s  ${inWords(tallies.counts)}`)
  if (violations.length === 0) return
  broken.push(seed)
  say(`\nVIOLATIONS with --seed ${seed} (this process stood still for ${stallMs} ms at most):`)
  say(`${violations.join('\n')}\n\n${story()}\n`)
}

await Promise.all(Array.from({ length: lanes }, runLane))
const seconds = (performance.now() - began) / 1000
say(
  `\n${rounds} rounds from seed ${first} in ${seconds.toFixed(0)} s, ${(seconds / rounds).toFixed(1)} s a round`,
)
say(`In all: ${inWords(total.counts)}`)
say(`Done to them: ${inWords(total.actions)}`)
say(`Faults met: ${inWords(total.faults)}`)
say(`Doubts settled: ${inWords(total.doubts)}`)
say(broken.length === 0 ? 'No violation.' : `Violations with the seeds ${broken.join(', ')}.`)
process.exit(broken.length === 0 ? 0 : 1)
