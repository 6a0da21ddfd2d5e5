/**
 * How much memory do 20 uploads of 100 MB at once take, as many downloads, and a backup with these files? How long do
 * others wait meanwhile?
 */
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { connect } from '../../server/src/platform/database/connection.ts'
import { sql } from '../../server/src/platform/database/sql.ts'
import { Installation, type Program } from '../../server/test/process.ts'
import { peakMegabytes, residentMegabytes } from './processes.ts'
import { seedUsers } from './seed.ts'
import { printTable } from './table.ts'
import type { ClientWork } from './uploads-client.ts'

const UPLOADS = 20
await using home = await Installation.create()
await using target = await Installation.create()
const empty = await backUp('empty.tar.gz')
const sendroom = await home.start()
const db = connect(home.database, { max: 1, applicationName: 'sendroom bench' })
const users = await seedUsers(db, { role: 'Admin', count: UPLOADS + 1, instanceIds: [] })
const reader = users.pop() ?? ''

const authorization = { authorization: `Bearer ${reader}` }

/** Uploads or downloads in a thread, so that this does not delay the observer. Returns the addresses of the files. */
async function inThread(work: ClientWork): Promise<string[]> {
  const thread = new Worker(new URL('uploads-client.ts', import.meta.url), { workerData: work })
  const [answer] = await once(thread, 'message')
  return answer
}

/** The time within which 95 of 100 lists arrive, in ms, until the work is done. */
async function p95During(work: Promise<unknown>): Promise<number> {
  const times: number[] = []
  let isDone = false
  const done = work.finally(() => (isDone = true))
  while (!isDone) {
    const began = performance.now()
    await (await fetch(`${sendroom.url}/api/messages`, { headers: authorization })).text()
    times.push(performance.now() - began)
    await delay(20)
  }
  await done
  return times.sort((a, b) => a - b)[Math.floor(times.length * 0.95)] ?? 0
}

async function measure(what: string, work: () => Promise<unknown>) {
  const before = residentMegabytes(sendroom.pid)
  peakMegabytes(sendroom.pid, true)
  const began = performance.now()
  const p95 = await p95During(work())
  const peak = peakMegabytes(sendroom.pid)
  return {
    what,
    seconds: (performance.now() - began) / 1000,
    'before, MB': before,
    'peak, MB': peak,
    'more, MB': peak - before,
    'others’ p95, ms': p95,
  }
}

async function runToEnd(program: Program): Promise<number> {
  let peak = 0
  const look = () => {
    try {
      peak = Math.max(peak, peakMegabytes(program.pid) || 0)
    } catch {
      // The process has ended.
    }
  }
  const timer = setInterval(look, 50)
  const code = await program.ended
  clearInterval(timer)
  if (code !== 0) throw new Error(program.stdout + program.stderr)
  return peak
}

async function backUp(name: string): Promise<number> {
  if (name === 'empty.tar.gz') await (await home.start()).end('SIGTERM')
  return runToEnd(home.launch(['backup', join(home.dataDir, name)]))
}

await measure('first calls', () => delay(3000))
const urls: string[] = []
const rows = [
  await measure('calm', () => delay(5000)),
  await measure(`${UPLOADS} uploads of 100 MB`, async () => {
    urls.push(...(await inThread({ url: sendroom.url, uploadAs: users })))
  }),
  await measure(`${UPLOADS} downloads of 100 MB`, () => inThread({ url: sendroom.url, download: urls })),
]
printTable('The server while files come and go', rows)
console.log(await db.many(sql`select count(*), sum(size) from files`))
await db.end()
await sendroom.end('SIGTERM')
const full = await backUp('full.tar.gz')
const restored = await runToEnd(target.launch(['restore', join(home.dataDir, 'full.tar.gz')]))
printTable('The peak memory of the commands, MB', [
  { command: 'backup without files', peak: empty },
  { command: `backup with ${UPLOADS} files`, peak: full },
  { command: `restore of ${UPLOADS} files`, peak: restored },
])
