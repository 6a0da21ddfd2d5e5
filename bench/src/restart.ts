/**
 * Measures what a restart of the only process costs while 100 instances send. A worker that starts watches for others,
 * begins an era, and reads each instance's own messages before the instance sends. The pauses are one second long.
 */
import { setTimeout as delay } from 'node:timers/promises'
import { sql } from '../../server/src/platform/database/sql.ts'
import { until } from '../../server/test/until.ts'
import { inMs, openEnvironment } from './engine-environment.ts'
import { printTable } from './table.ts'

const SENDING = 100
const PAUSE_MS = 1_000
const RECIPIENTS = 500
const BUDGET_S = 30

await using environment = await openEnvironment()
const { db, simulator, home, env } = environment
await db.run(sql`update instances set private_pause_from_ms = ${PAUSE_MS}, private_pause_to_ms = ${PAUSE_MS}`)
await environment.addJobs(SENDING, RECIPIENTS, () => inMs(0))
await untilAllSentAfter('epoch')
let sendroom = environment.sendroom

const rows = []
for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
  await delay(5_000)
  await simulator.addFault({ path: '^/messages/list$', kind: 'slow', delayMs: 0 })
  await simulator.takeFaultsMet()
  const stopping = performance.now()
  await sendroom.end(signal)
  const starting = performance.now()
  sendroom = await home.start([], env)
  const ready = performance.now()
  const from = await lastIntent()
  await until('an instance sends', async () => (await countSentAfter(from)) > 0, 60_000)
  const first = performance.now()
  await untilAllSentAfter(from)
  const all = performance.now()
  const seconds = (ms: number) => (ms - starting) / 1000
  rows.push({
    end: signal === 'SIGTERM' ? 'stopped in order' : 'killed',
    'stop, s': (starting - stopping) / 1000,
    'ready, s': seconds(ready),
    'first send, s': seconds(first),
    'all send, s': seconds(all),
    'budget, s': BUDGET_S,
    'histories read': (await simulator.takeFaultsMet()).slow ?? 0,
  })
  await simulator.clearFaults()
}
printTable(`A restart while ${SENDING} accounts send: seconds since the start`, rows)

/** The time of the newest intent that the process before has left. */
async function lastIntent() {
  const { at } = await db.one<{ at: string }>(sql`select max(last_intent_at)::text as at from instances`)
  return at
}

function countSentAfter(from: string) {
  return db.run(sql`select from instances where last_intent_at > ${from}::timestamptz`)
}

function untilAllSentAfter(from: string) {
  return until('all accounts send', async () => (await countSentAfter(from)) === SENDING, 120_000)
}
