/**
 * What do users notice while somebody attacks? 24 nested bodies and five previews of 4 MB at once, by one Member. An Admin
 * reads the list of jobs ten times a second meanwhile, and a job sends.
 */

import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { sql } from '../../server/src/platform/database/sql.ts'
import { openEnvironment } from './engine-environment.ts'
import { searchAtOnce } from './hostile-searches.ts'
import { attackSignIns } from './hostile-sign-ins.ts'
import { residentMegabytes } from './processes.ts'
import { seedUsers } from './seed.ts'
import { printTable } from './table.ts'

const SECONDS = 15
const ATTACKS = 5

await using environment = await openEnvironment()
const { db, sendroom, instanceIds } = environment
await environment.simulator.setLatency(10)
const admins = await seedUsers(db, { role: 'Admin', count: 5, instanceIds: [] })
const [member = '', other = ''] = await seedUsers(db, {
  role: 'Member',
  count: 2,
  instanceIds: instanceIds.slice(0, 3),
})
// As slow as real accounts together: 20 accounts with a pause of 200 ms.
await db.run(sql`update instances set private_pause_from_ms = 200, private_pause_to_ms = 200`)
await environment.addJobs(20, 2_000)
await environment.startJobs()
await delay(3_000)

/** Reads the list as different Admins, ten times a second, and returns each time in ms. */
async function readLists(seconds: number): Promise<number[]> {
  const reads: Promise<number>[] = []
  for (let nth = 0; nth < seconds * 10; nth++) {
    const began = performance.now()
    const headers = { authorization: `Bearer ${admins[nth % admins.length]}` }
    const read = fetch(`${sendroom.url}/api/jobs`, { headers }).then((answer) => answer.text())
    reads.push(read.then(() => performance.now() - began))
    await delay(100)
  }
  return Promise.all(reads)
}

const countSent = async () => {
  const { sent } = await db.one<{ sent: number }>(
    sql`select count(*) as sent from deliveries where status = 'sent'`,
  )
  return sent
}

async function measure(name: string, disturb: () => Promise<unknown>) {
  let isOver = false
  let peak = 0
  const watching = (async () => {
    for (; !isOver; await delay(50)) peak = Math.max(peak, residentMegabytes(sendroom.pid))
  })()
  const [before, began] = [await countSent(), performance.now()]
  const [times] = await Promise.all([readLists(SECONDS), disturb()])
  const sent = ((await countSent()) - before) / ((performance.now() - began) / 1000)
  isOver = true
  await watching
  times.sort((a, b) => a - b)
  const at = (share: number) => times[Math.floor(times.length * share)] ?? 0
  return {
    what: name,
    'p50 ms': at(0.5),
    'p95 ms': at(0.95),
    'longest ms': at(0.999),
    'messages/s': sent,
    'peak MB': peak,
  }
}

/** The attacker has a thread of its own, whose work must not delay the readers that are measured. */
async function attackRepeatedly(): Promise<Map<number, number>> {
  const workerData = { url: sendroom.url, token: member, instanceId: instanceIds[0], attacks: ATTACKS }
  const attacker = new Worker(new URL('./hostile-attacker.ts', import.meta.url), { workerData })
  const [statuses] = await once(attacker, 'message')
  return statuses
}

let statuses = new Map<number, number>()
let searches: Awaited<ReturnType<typeof searchAtOnce>> | undefined
printTable(`An Admin's list and a job of 20 accounts, ${SECONDS} s each; ${ATTACKS} attacks`, [
  await measure('calm', async () => {}),
  await measure('attacked', async () => {
    statuses = await attackRepeatedly()
  }),
  await measure('100 searches at once', async () => {
    searches = await searchAtOnce({ url: sendroom.url, attacker: member, other, seconds: SECONDS })
  }),
  await measure('calm again', async () => {}),
])
console.log(
  `  Answers to the attack: ${[...statuses].map(([status, count]) => `${count} × ${status}`).join(', ')}`,
)
console.log(
  '  Answers to the searches:',
  searches?.statuses,
  'longest list of another Member, ms:',
  searches?.times.at(-1),
)
await import('./hostile-commands.ts')
await import('./hostile-images.ts')
await attackSignIns(environment)
