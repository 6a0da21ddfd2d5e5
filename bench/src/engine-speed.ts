import { Pool } from 'undici'
import { sql } from '../../server/src/platform/database/sql.ts'
import { chatsOf, type Stage } from './engine-stage.ts'
import { cpuSeconds, residentMegabytes } from './processes.ts'
import { printTable } from './table.ts'

const LATENCIES_MS = [0, 10]
/** How many accounts, and how many messages each. */
const SIZES = [
  [1, 500],
  [10, 200],
  [100, 400],
  [1000, 40],
] as const

/**
 * Messages a second, next to a bare undici loop against the same provider, before and after. Then with receipts: two or
 * three calls of ours for each message, which the bare loop has not.
 */
export async function measureSpeed(stage: Stage): Promise<void> {
  for (const latency of LATENCIES_MS) {
    await stage.simulator.setLatency(latency)
    const rows = []
    for (const [accounts, messages] of SIZES) rows.push(await measure(stage, accounts, messages))
    printTable(`Pacing off, each row durable, a provider that answers after ${latency} ms`, rows)
  }
  await stage.tellReceipts()
  printTable('The same, while the provider tells of each message: delivered, read', [
    await measure(stage, 100, 500),
  ])
  await stage.simulator.setLatency(0)
}

async function measure(stage: Stage, accounts: number, messages: number) {
  const bareLoop = () => sendBare(stage.simulator.url, accounts, messages)
  // The very first requests of a process are slow: a round for nothing.
  await bareLoop()
  const before = await bareLoop()
  const engine = await sendByEngine(stage, accounts, messages)
  const after = await bareLoop()
  return {
    accounts,
    'engine msg/s': Math.round(engine.rate),
    'bare msg/s, before': Math.round(before),
    after: Math.round(after),
    'engine/bare %': Math.round((engine.rate / ((before + after) / 2)) * 100),
    'Node CPU µs/msg': Math.round(engine.nodeMs * 1000),
    'database CPU µs/msg': Math.round(engine.databaseMs * 1000),
    'Node MB': residentMegabytes(stage.sendroom.pid),
  }
}

/** From the first intent to the last result. */
async function sendByEngine(stage: Stage, accounts: number, messages: number) {
  const { db, sendroom, databasePid } = stage
  const cpu = () => ({ node: cpuSeconds(sendroom.pid), database: cpuSeconds(databasePid(), true) })
  const total = accounts * messages
  await stage.addJobs(accounts, messages)
  await db.run(sql`vacuum analyze deliveries, jobs, instances`)
  const before = cpu()
  await stage.startJobs()
  await stage.untilDone()
  const after = cpu()
  const { sent, seconds } = await db.one<{ sent: number; seconds: number }>(sql`
    select count(*) filter (where status = 'sent') as sent,
      extract(epoch from max(sent_at) - min(intent_at)) as seconds
    from deliveries`)
  if (sent !== total) throw new Error(`Only ${sent} of ${total} were sent.`)
  await db.run(sql`delete from jobs`)
  return {
    rate: total / seconds,
    nodeMs: ((after.node - before.node) * 1000) / total,
    databaseMs: ((after.database - before.database) * 1000) / total,
  }
}

/** By channels of its own: nobody asked to be told of their messages. */
async function sendBare(url: string, accounts: number, messages: number): Promise<number> {
  const pool = new Pool(url, { connections: accounts })
  const chats = chatsOf(messages)
  const begin = performance.now()
  await Promise.all(
    Array.from({ length: accounts }, async (_, index) => {
      const authorization = `Bearer test_linked_bare_${index}`
      for (const to of chats) {
        const send = () =>
          pool.request({
            ...{ method: 'POST', path: '/messages/text' },
            headers: { authorization, 'content-type': 'application/json' },
            body: JSON.stringify({ to, body: 'Hello' }),
          })
        // On a busy machine the simulator closes a connection as idle that is just being written to.
        const { body } = await send().catch(send).catch(send)
        await body.dump()
      }
    }),
  )
  await pool.close()
  return (accounts * messages) / ((performance.now() - begin) / 1000)
}
