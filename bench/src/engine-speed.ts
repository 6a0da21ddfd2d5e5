import { availableParallelism } from 'node:os'
import { Pool } from 'undici'
import type { Db } from '../../server/src/platform/database/connection.ts'
import { sql } from '../../server/src/platform/database/sql.ts'
import { chatsOf, type Environment } from './engine-environment.ts'
import { cpuSeconds, residentMegabytes } from './processes.ts'
import { addSentMessages, receiptCaller } from './receipt-calls.ts'
import { printTable } from './table.ts'

const LATENCIES_MS = [0, 10]
/** Pairs: number of instances, messages per instance. */
const SIZES = [
  [1, 500],
  [10, 200],
  [100, 400],
  [1000, 40],
] as const

/**
 * Measures messages per second, and compares them with a bare undici loop against the same provider before and after.
 * The last table adds receipts, which cost two or three webhook calls per message. The bare loop has no receipts.
 */
export async function measureSpeed(environment: Environment): Promise<void> {
  for (const latency of LATENCIES_MS) {
    await environment.simulator.setLatency(latency)
    const rows = []
    for (const [instances, messages] of SIZES) rows.push(await measure(environment, instances, messages))
    printTable(`Pacing off, each row durable, a provider that answers after ${latency} ms`, rows)
  }
  await measureBesideReceipts(environment)
  await environment.sendReceipts()
  printTable('The same with webhooks for each message: delivered, read', [
    await measure(environment, 100, 500),
  ])
  await environment.simulator.setLatency(0)
}

const RECEIPTS_PER_SECOND = 5000
const MESSAGES = 5000
const MEMBERS = 200

/** Compares the speed of the engine with its speed while receipts of earlier group messages arrive. */
async function measureBesideReceipts(environment: Environment): Promise<void> {
  const { db, sendroom, secrets } = environment
  const messages = await addSentMessages(db, MESSAGES, MEMBERS)
  const makeCalls = receiptCaller({ url: sendroom.url, secrets, messages, members: MEMBERS, connections: 50 })
  const measured = []
  for (const receipts of [0, 100, 10, 1, 0]) {
    const load =
      receipts > 0
        ? makeCalls({ receipts, seconds: 300, callsPerSecond: RECEIPTS_PER_SECOND / receipts })
        : null
    const [began, used] = [performance.now(), process.cpuUsage()]
    const engine = await sendByEngine(environment, 100, 400)
    const { user, system } = process.cpuUsage(used)
    const ofMachine = (user + system) / 1000 / (performance.now() - began) / availableParallelism()
    load?.stop()
    measured.push({ ...engine, receipts, ofMachine, calls: await load })
  }
  const undisturbed = measured.filter(({ receipts }) => receipts === 0)
  const fullSpeed = undisturbed.reduce((sum, { rate }) => sum + rate, 0) / undisturbed.length
  const rows = measured.map(({ receipts, calls, ofMachine, rate, nodeMs, databaseMs }) => ({
    'receipts a call': receipts || 'none',
    'receipts/s': Math.round((calls?.requests.average ?? 0) * receipts),
    'engine msg/s': Math.round(rate),
    '% of full speed': Math.round((rate / fullSpeed) * 100),
    // This program is none of Sendroom, but has the same processors.
    "the caller's % of the machine": Math.round(ofMachine * 100),
    'Node CPU µs/msg': Math.round(nodeMs * 1000),
    'database CPU µs/msg': Math.round(databaseMs * 1000),
    'failed calls': (calls?.non2xx ?? 0) + (calls?.errors ?? 0),
  }))
  printTable(`100 instances, while ${RECEIPTS_PER_SECOND} receipts a second arrive`, rows)
  await db.run(sql`delete from jobs`)
}

async function measure(environment: Environment, instances: number, messages: number) {
  const bareLoop = () => sendBare(environment.simulator.url, instances, messages)
  // A warm-up run: the first requests of a process are slow.
  await bareLoop()
  const before = await bareLoop()
  const engine = await sendByEngine(environment, instances, messages)
  const after = await bareLoop()
  return {
    instances,
    'engine msg/s': Math.round(engine.rate),
    'bare msg/s, before': Math.round(before),
    after: Math.round(after),
    'engine/bare %': Math.round((engine.rate / ((before + after) / 2)) * 100),
    'Node CPU µs/msg': Math.round(engine.nodeMs * 1000),
    'database CPU µs/msg': Math.round(engine.databaseMs * 1000),
    'Node MB': residentMegabytes(environment.sendroom.pid),
  }
}

const RUNS = 5
/** The longest part of a text is the same for all; the whole has 300 characters. */
const COMMON = 'a'.repeat(274)

const ofAll = { textContent: `Hello 84910000001, ${COMMON}` }
const ofEach = {
  textContent: `Hello {{name}}, ${COMMON}`,
  writeTexts: async (tx: Db, jobId: number) => {
    await tx.run(sql`
      insert into delivery_texts (delivery_id, text)
      select id, 'Hello ' || left(chat_id, 11) || ${`, ${COMMON}`} from deliveries where job_id = ${jobId}`)
    return 0
  },
}

/** Compares texts for each recipient with the same text for all, in alternating runs. */
export async function measurePersonal(environment: Environment): Promise<void> {
  const runs = { all: [] as Sent[], each: [] as Sent[] }
  for (let run = 0; run < RUNS; run++)
    for (const [kind, text] of [
      ['all', ofAll],
      ['each', ofEach],
    ] as const)
      runs[kind].push(await sendByEngine(environment, 100, 200, text))
  const rows = (['all', 'each'] as const).map((kind) => ({
    text: kind === 'all' ? 'the same for all' : 'for each recipient',
    'engine msg/s': Math.round(median(runs[kind].map(({ rate }) => rate))),
    'Node CPU µs/msg': Math.round(median(runs[kind].map(({ nodeMs }) => nodeMs)) * 1000),
    'database CPU µs/msg': Math.round(median(runs[kind].map(({ databaseMs }) => databaseMs)) * 1000),
  }))
  printTable(`Texts of 300 characters, 100 instances, medians of ${RUNS} alternating runs`, rows)
}

type Sent = Awaited<ReturnType<typeof sendByEngine>>

const median = (numbers: number[]) => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0

/** Sends by the engine. Returns messages per second, first intent to last result, and CPU milliseconds per message. */
async function sendByEngine(
  environment: Environment,
  instances: number,
  messages: number,
  text?: Parameters<Environment['addJobs']>[3],
) {
  const { db, sendroom, databasePid } = environment
  const cpu = () => ({ node: cpuSeconds(sendroom.pid), database: cpuSeconds(databasePid(), true) })
  const total = instances * messages
  await environment.addJobs(instances, messages, undefined, text)
  await db.run(sql`vacuum analyze deliveries, jobs, instances`)
  const before = cpu()
  await environment.startJobs()
  await environment.untilDone()
  const after = cpu()
  const { sent, seconds } = await db.one<{ sent: number; seconds: number }>(sql`
    select count(*) filter (where status = 'sent') as sent,
      extract(epoch from max(sent_at) - min(intent_at)) as seconds
    from deliveries where group_id is null`)
  if (sent !== total) throw new Error(`Only ${sent} of ${total} were sent.`)
  await db.run(sql`delete from jobs where job_type = 'SendToUsers'`)
  return {
    rate: total / seconds,
    nodeMs: ((after.node - before.node) * 1000) / total,
    databaseMs: ((after.database - before.database) * 1000) / total,
  }
}

/** Sends by a bare loop, over channels without webhooks. Returns messages per second. */
async function sendBare(url: string, instances: number, messages: number): Promise<number> {
  const pool = new Pool(url, { connections: instances })
  const chats = chatsOf(messages)
  const begin = performance.now()
  await Promise.all(
    Array.from({ length: instances }, async (_, index) => {
      const authorization = `Bearer test_linked_bare_${index}`
      for (const to of chats) {
        const send = () =>
          pool.request({
            ...{ method: 'POST', path: '/messages/text' },
            headers: { authorization, 'content-type': 'application/json' },
            body: JSON.stringify({ to, body: 'Hello' }),
          })
        // On a busy machine the simulator may close an idle connection at the moment of a new request.
        const { body } = await send().catch(send).catch(send)
        await body.dump()
      }
    }),
  )
  await pool.close()
  return (instances * messages) / ((performance.now() - begin) / 1000)
}
