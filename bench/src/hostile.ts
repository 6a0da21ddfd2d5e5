/**
 * What do users notice while somebody attacks? 24 nested bodies and five previews of 4 MB at once, by one Member. An Admin
 * reads the list of jobs ten times a second meanwhile, and a job sends.
 */

import { setTimeout as delay } from 'node:timers/promises'
import { sql } from '../../server/src/platform/database/sql.ts'
import { openEnvironment } from './engine-environment.ts'
import { residentMegabytes } from './processes.ts'
import { seedUsers } from './seed.ts'
import { printTable } from './table.ts'

const SECONDS = 15
const ATTACKS = 5

await using environment = await openEnvironment()
const { db, sendroom, instanceIds } = environment
await environment.simulator.setLatency(10)
const admins = await seedUsers(db, { role: 'Admin', count: 5, instanceIds: [] })
const [member = ''] = await seedUsers(db, { role: 'Member', count: 1, instanceIds: instanceIds.slice(0, 3) })
// As slow as real accounts together: 20 accounts with a pause of 200 ms.
await db.run(sql`update instances set private_pause_from_ms = 200, private_pause_to_ms = 200`)
await environment.addJobs(20, 2_000)
await environment.startJobs()
await delay(3_000)

const post = (path: string, body: string) =>
  fetch(`${sendroom.url}/api${path}`, {
    ...{ method: 'POST', body },
    headers: { authorization: `Bearer ${member}`, 'content-type': 'application/json' },
  }).then(
    async (answer) => {
      await answer.text()
      return answer.status
    },
    () => 0,
  )
const brackets = '['.repeat(2_900_000) + ']'.repeat(2_900_000)
const preview = JSON.stringify({
  ...{
    jobType: 'SendToUsers',
    text: 'Hello',
    instanceId: instanceIds[0],
    phoneNumbers: '1,'.repeat(2_000_000),
  },
})
const attack = () =>
  Promise.all([
    ...Array.from({ length: 24 }, () => post('/jobs', brackets)),
    ...Array.from({ length: 5 }, () => post('/jobs/preview', preview)),
  ])

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

const statuses = new Map<number, number>()
async function attackRepeatedly() {
  for (let n = 0; n < ATTACKS; n++) {
    for (const status of await attack()) statuses.set(status, (statuses.get(status) ?? 0) + 1)
    await delay(500)
  }
}

printTable(`An Admin's list and a job of 20 accounts, ${SECONDS} s each; ${ATTACKS} attacks`, [
  await measure('calm', async () => {}),
  await measure('attacked', attackRepeatedly),
  await measure('calm again', async () => {}),
])
console.log(
  `  Answers to the attack: ${[...statuses].map(([status, count]) => `${count} × ${status}`).join(', ')}`,
)
