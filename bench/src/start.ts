/**
 * How long does `npm start` take to its first answer, and how much memory and processor does the server use when idle?
 * The web app is already built, and the time of npm itself is not included.
 */
import { setTimeout as delay } from 'node:timers/promises'
import { Installation, Program } from '../../server/test/process.ts'
import { cpuSeconds, residentMegabytes } from './processes.ts'
import { printTable } from './table.ts'

const RUNS = 5
/** Node collects the garbage of the start only after a while without work. */
const IDLE_MS = 180_000

type Start = { ms: number; program: Program }

async function start(dataDir: string): Promise<Start> {
  const begin = performance.now()
  const program = new Program('scripts/start.mjs', [], dataDir, { DATA_DIR: dataDir, PORT: '0' })
  const [, url] = await program.says(/is running at (\S+)/)
  const answer = await fetch(`${url}/api/ready`)
  if (!answer.ok) throw new Error(`The first answer was ${answer.status}.`)
  return { ms: performance.now() - begin, program }
}

async function timesOf(home: Installation) {
  const first = await start(home.dataDir)
  await first.program.end('SIGTERM')
  const later = await start(home.dataDir)
  await later.program.end('SIGTERM')
  return { first: first.ms, later: later.ms }
}

const runs = []
for (let run = 0; run < RUNS; run++) {
  await using home = await Installation.create()
  runs.push(await timesOf(home))
}
const median = (values: number[]) => values.sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0
printTable(`Start to first answer, ms (${RUNS} runs)`, [
  { start: 'first, on an empty folder', median: median(runs.map(({ first }) => first)), budget: 3000 },
  { start: 'later', median: median(runs.map(({ later }) => later)), budget: 1500 },
])

await using home = await Installation.create()
const { program } = await start(home.dataDir)
const atStart = residentMegabytes(program.pid)
await delay(IDLE_MS / 3)
const before = cpuSeconds(program.pid)
await delay((IDLE_MS * 2) / 3)
const cpuMs = (cpuSeconds(program.pid) - before) * 1000
printTable('Memory of the Node process, MB', [
  { when: 'at the first answer', rss: atStart, budget: 120 },
  { when: `idle for ${IDLE_MS / 1000} s`, rss: residentMegabytes(program.pid), budget: 120 },
])
printTable('Processor time of the Node process, ms a second', [
  { when: 'idle, after the first minute', time: cpuMs / ((IDLE_MS * 2) / 3000) },
])
await program.end('SIGTERM')
