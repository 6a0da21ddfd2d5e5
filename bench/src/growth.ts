/**
 * Measures what each operation costs as the rows grow. Prints a table; with WRITE=1 draws
 * docs/pictures/performance.svg.
 *
 *   ROWS=10000,100000 npm run bench -- growth
 *
 * The messages that were sent grow to ROWS. Messages, jobs and groups grow with them, up to a million of each.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from '../../server/src/platform/database/sql.ts'
import { type Environment, numbersOf, openEnvironment } from './engine-environment.ts'
import { drawLines } from './lines.ts'
import { cpuSeconds } from './processes.ts'
import { seedLists, seedSent, seedUsers } from './seed.ts'
import { printTable } from './table.ts'

const SIZES = (process.env.ROWS ?? '10000,100000,1000000').split(',').map(Number)
const LISTS_AT_MOST = 1_000_000
const CALLS = 100
/** Instances that send at full speed, and the messages of each. */
const SENDING = { instances: 100, messages: 50 }

type Costs = Record<string, number>

/** Returns the cost of each operation in ms. */
async function measure(rows: number): Promise<Costs> {
  await using environment = await openEnvironment()
  const { db } = environment
  await db.run(sql`set statement_timeout = 0`)
  console.log(`Seeding ${label(rows)} sent messages …`)
  await seedSent(db, rows)
  await seedLists(db, Math.min(rows, LISTS_AT_MOST))
  await environment.restart()
  console.log('Measuring …')
  const tokens = await seedUsers(db, { role: 'Admin', count: 50, instanceIds: [] })
  const call = (path: string, body?: object) => medianMs(environment, tokens, path, body)
  const { id } = await db.one<{ id: number }>(sql`select job_id as id from deliveries order by id limit 1`)
  const phoneNumbers = numbersOf(1000).join('\n')
  const instanceId = environment.instanceIds[0]
  const costs = {
    'list of messages': await call('/messages'),
    'list of jobs': await call('/jobs'),
    'list of groups': await call('/groups'),
    'search, one job found': await call('/jobs?search=word7919'),
    dashboard: await call('/groups/stats'),
    'page of a job': await call(`/jobs/${id}`),
    'its recipients': await call(`/jobs/${id}/recipients`),
    'preview of a job to 1,000 numbers': await call('/jobs/preview', {
      ...{ jobType: 'SendToUsers', text: 'Hello', instanceId, phoneNumbers },
    }),
  }
  return { ...costs, 'a message, processor time': await processorMsPerMessage(environment) }
}

/** Returns the median time of the calls, which one client makes one after the other. */
async function medianMs({ sendroom }: Environment, tokens: string[], path: string, body?: object) {
  const times: number[] = []
  for (let nth = 0; nth < CALLS; nth++) {
    const headers = {
      authorization: `Bearer ${tokens[nth % tokens.length]}`,
      'content-type': 'application/json',
    }
    const began = performance.now()
    const init = body ? { method: 'POST', headers, body: JSON.stringify(body) } : { headers }
    const answer = await fetch(`${sendroom.url}/api${path}`, init)
    await answer.text()
    if (!answer.ok) throw new Error(`${path} was answered with ${answer.status}.`)
    times.push(performance.now() - began)
  }
  return times.sort((a, b) => a - b)[CALLS / 2] ?? 0
}

/** Returns the processor time of the server and its database for a message. The simulator's is no cost of Sendroom. */
async function processorMsPerMessage(environment: Environment): Promise<number> {
  await environment.addJobs(SENDING.instances, SENDING.messages)
  const used = () => cpuSeconds(environment.sendroom.pid) + cpuSeconds(environment.databasePid(), true)
  const before = used()
  await environment.startJobs()
  await environment.untilDone()
  return ((used() - before) * 1000) / (SENDING.instances * SENDING.messages)
}

const label = (rows: number) => rows.toLocaleString('en')
const measured: Costs[] = []
for (const rows of SIZES) measured.push(await measure(rows))
const operations = Object.keys(measured[0] ?? {})
printTable(
  'Cost by the number of sent messages, ms',
  operations.map((operation) => ({
    operation,
    ...Object.fromEntries(SIZES.map((rows, at) => [label(rows), measured[at]?.[operation] ?? 0])),
  })),
)
if (process.env.WRITE) {
  const lines = operations.map((name) => ({ name, values: measured.map((costs) => costs[name] ?? 0) }))
  const svg = drawLines({ x: SIZES, xLabel: 'sent messages', yLabel: 'ms', lines })
  writeFileSync(join(import.meta.dirname, '../../docs/pictures/performance.svg'), svg)
}
