/** npm run chaos -- [--seed N] [--rounds N]: rounds from that seed on; the exit code says whether all held. */
import { randomInt } from 'node:crypto'
import { parseArgs } from 'node:util'
import { runRound } from './run-round.ts'
import { Stage } from './stage.ts'

const say = (text: string) => process.stdout.write(`${text}\n`)

const { values } = parseArgs({ options: { seed: { type: 'string' }, rounds: { type: 'string' } } })
const first = Number(values.seed ?? randomInt(1_000_000))
const rounds = Number(values.rounds ?? 20)
say(`Seed ${first}, ${rounds} rounds. Replay one with: npm run chaos -- --seed N --rounds 1`)

// Broken off, it still takes its processes and its folder with it.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))

const began = performance.now()
const total: Record<string, number> = {}
const broken: number[] = []
{
  await using stage = await Stage.open()
  for (let seed = first; seed < first + rounds; seed++) {
    const { violations, counts, story, seconds } = await runRound(stage, seed)
    for (const [what, count] of Object.entries(counts)) total[what] = (total[what] ?? 0) + count
    say(`${seed}  ${seconds.toFixed(1)} s  ${inWords(counts)}`)
    if (violations.length === 0) continue
    broken.push(seed)
    say(`\nVIOLATIONS with --seed ${seed}:\n${violations.join('\n')}\n\n${story()}\n`)
  }
}
say(`${rounds} rounds in ${((performance.now() - began) / 1000).toFixed(0)} s: ${inWords(total)}`)
say(broken.length === 0 ? 'No violation.' : `Violations with the seeds ${broken.join(', ')}.`)
process.exit(broken.length === 0 ? 0 : 1)

function inWords(counts: Record<string, number>) {
  return Object.entries(counts)
    .map(([what, count]) => `${count} ${what}`)
    .join(', ')
}
