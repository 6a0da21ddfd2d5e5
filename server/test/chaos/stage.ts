import { readFileSync, rmSync } from 'node:fs'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { WireStatus } from '../../../simulator/src/acks.ts'
import type { ChannelChange } from '../../../simulator/src/channels.ts'
import type { FaultRule } from '../../../simulator/src/faults.ts'
import type { LedgerEntry } from '../../../simulator/src/ledger.ts'
import type { ReceiptRules } from '../../../simulator/src/receipts.ts'
import type { DatabaseAddress } from '../../src/database-url.ts'
import { type Cluster, startCluster } from '../../src/platform/database/cluster.ts'
import { connect } from '../../src/platform/database/connection.ts'
import { isDatabaseDown } from '../../src/platform/database/errors.ts'
import { migrate } from '../../src/platform/database/migrate.ts'
import { storeSessionDefaults } from '../../src/platform/database/session-defaults.ts'
import { identifier, sql } from '../../src/platform/database/sql.ts'
import { Program } from '../process.ts'
import { until } from '../until.ts'
import type { FastTime } from './fast-time.ts'
import { addInstruments } from './instruments.ts'
import { SECRET_KEY } from './secret-key.ts'
import type { WorkerOptions } from './worker.ts'

const SPEED = 10
const FOLDER = 'server/test/chaos'
const silent = { info() {}, warn() {}, error() {} }

/** A PostgreSQL and a simulator, both of which may be killed, for one round after another: `await using`. */
export class Stage {
  readonly simulator: SimulatorControl
  readonly #folder: string
  readonly #cluster: Cluster
  #simulator: Program
  readonly #fast: FastTime
  #databases = 0

  private constructor(folder: string, cluster: Cluster, simulator: Program, url: string, fast: FastTime) {
    this.#folder = folder
    this.#cluster = cluster
    this.#simulator = simulator
    this.#fast = fast
    this.simulator = new SimulatorControl(url)
  }

  static async open(): Promise<Stage> {
    const folder = await mkdtemp(join(tmpdir(), 'sendroom-chaos-'))
    // A cluster whose folder is gone ends itself: the last resort if this process is killed.
    process.once('exit', () => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }))
    await chmod(folder, 0o755)
    const fast: FastTime = { originMs: Date.now(), speed: SPEED }
    const cluster = await startCluster(folder, silent)
    await createTemplate(cluster.address, fast)
    const simulator = startSimulator(folder, fast, { port: '0', aheadMs: 0 })
    const [, url = ''] = await simulator.says(/listening on (\S+)/)
    return new Stage(folder, cluster, simulator, url, fast)
  }

  /** What the provider's clock shows, in ms. */
  now = () =>
    this.#fast.originMs + (Date.now() - this.#fast.originMs) * this.#fast.speed + this.simulator.aheadMs

  /** So many ms of the fast clock in ours. */
  real = (ms: number) => ms / this.#fast.speed

  /** A database of its own for each round, with the schema and the suite's instruments. */
  async createDatabase(): Promise<DatabaseAddress> {
    const database = `round_${++this.#databases}`
    const admin = connect(
      { ...this.#cluster.address, database: 'postgres' },
      { max: 1, applicationName: 'chaos' },
    )
    await again(() => admin.run(sql`create database ${identifier(database)} template tpl strategy file_copy`))
    await admin.end()
    return { ...this.#cluster.address, database }
  }

  startProgram(file: string, env: Record<string, string>, args: string[] = []): Program {
    return new Program(`${FOLDER}/${file}`, args, this.#folder, { ...envOf(this.#fast), ...env })
  }

  startWorker(options: Omit<WorkerOptions, 'providerUrl'>): Program {
    const worker: WorkerOptions = { ...options, providerUrl: this.simulator.url }
    return this.startProgram('worker.ts', { WORKER: JSON.stringify(worker) })
  }

  /** The server as it ships, on that port; the provider's calls come to `publicUrl`. Its own time is ours: it goes by the database's. */
  startServer(database: DatabaseAddress, port: number, publicUrl: string): Program {
    const { host, user } = database
    const env = {
      DATABASE_URL: `postgres://${user}@${encodeURIComponent(host)}/${database.database}`,
      WHAPI_BASE_URL: this.simulator.url,
      PUBLIC_URL: publicUrl,
      PORT: String(port),
      DATA_DIR: this.#folder,
      SECRET_KEY,
      LOG_LEVEL: 'warn',
    }
    return new Program('server/src/main.ts', ['server'], this.#folder, env)
  }

  /** Kills PostgreSQL, the postmaster first; the cluster's keeper starts it again. Returns when it answers. */
  async killDatabase(): Promise<void> {
    const { address } = this.#cluster
    const postmaster = Number(readFileSync(join(address.host, 'postmaster.pid'), 'utf8').split('\n')[0])
    const db = connect(address, { max: 1, applicationName: 'chaos' })
    const children = await again(() => db.many<{ pid: number }>(sql`select pid from pg_stat_activity`))
    for (const pid of [postmaster, ...children.map((child) => child.pid)]) {
      try {
        process.kill(pid, 'SIGKILL')
      } catch {
        // gone already
      }
    }
    await again(() => db.many(sql`select 1`))
    await db.end(1000)
  }

  /** Kills the provider and starts it again, on its port and with its ledger; the faults in force are over. */
  async killSimulator(): Promise<void> {
    await this.simulator.countFaults()
    await this.#simulator.end('SIGKILL')
    const { url, aheadMs } = this.simulator
    this.#simulator = startSimulator(this.#folder, this.#fast, { port: new URL(url).port, aheadMs })
    await this.#simulator.says(/listening on/)
    await this.simulator.setUpAgain()
  }

  async [Symbol.asyncDispose]() {
    await this.#simulator.end('SIGKILL')
    await this.#cluster.stop()
    await rm(this.#folder, { recursive: true, force: true })
  }
}

/** Its Date header comes from the fast clock only when that is shifted. */
function startSimulator(
  folder: string,
  fast: FastTime,
  { port, aheadMs }: { port: string; aheadMs: number },
) {
  const options = { port, file: join(folder, 'provider'), 'clock-shift': aheadMs || 1 }
  const args = Object.entries(options).map(([name, value]) => `--${name}=${value}`)
  return new Program('simulator/src/main.ts', args, folder, envOf(fast))
}

/** For a process whose time shall run fast. */
const envOf = (fast: FastTime) => ({
  FAST_TIME: JSON.stringify(fast),
  NODE_OPTIONS: `--import ${new URL('./fast-time.ts', import.meta.url).href}`,
})

/** The simulator's control API. */
export class SimulatorControl {
  readonly url: string
  /** How far its clock is ahead of ours. */
  aheadMs = 0
  #latencyMs = 0
  readonly #receipts = new Map<string, Partial<ReceiptRules>>()
  /** How many requests have met each kind of fault since its start, as last counted, and what is not yet taken. */
  #met: Record<string, number> = {}
  #notTaken: Record<string, number> = {}

  constructor(url: string) {
    this.url = url
  }

  /** Asks again as long as it is killed. */
  async #ask(path: string, method = 'GET', body?: object) {
    const headers = { 'content-type': 'application/json' }
    const request = { method, ...(body && { headers, body: JSON.stringify(body) }) }
    const answer = await until('the provider answers', () =>
      fetch(`${this.url}/_control/${path}`, request).catch(() => null),
    )
    if (!answer.ok) throw new Error(`The simulator refuses ${path}: ${await answer.text()}`)
    return answer.json() as Promise<unknown> // typed by who asks
  }

  async ledger(token: string): Promise<LedgerEntry[]> {
    return ((await this.#ask(`ledger?token=${token}`)) as { entries: LedgerEntry[] }).entries
  }

  /** How many requests have met each kind of fault since this was last asked, over all kills. */
  async takeFaultsMet(): Promise<Record<string, number>> {
    await this.countFaults()
    const taken = this.#notTaken
    this.#notTaken = {}
    return taken
  }

  async countFaults(): Promise<void> {
    const { met } = (await this.#ask('faults')) as { met: Record<string, number> }
    for (const [kind, count] of Object.entries(met))
      this.#notTaken[kind] = (this.#notTaken[kind] ?? 0) + count - (this.#met[kind] ?? 0)
    this.#met = met
  }

  /** What the provider would tell of the message now, whoever asks. */
  async statusesOf(token: string, chatId: string, id: string): Promise<WireStatus[]> {
    const isGroup = chatId.endsWith('@g.us')
    const answer = await fetch(`${this.url}/${isGroup ? 'statuses' : 'messages'}/${encodeURIComponent(id)}`, {
      headers: { authorization: `Bearer ${token}` },
    })
    const told = (await answer.json()) as { statuses: WireStatus[] } & WireStatus // as its own tests say
    return isGroup ? told.statuses : [told]
  }

  addFault = (rule: FaultRule) => this.#ask('faults', 'POST', rule)
  clearFaults = () => this.#ask('faults', 'DELETE')
  changeChannel = (token: string, change: ChannelChange) =>
    this.#ask('channels', 'POST', { token, ...change })
  writeOnPhone = (token: string, to: string, body: string) =>
    this.#ask('messages', 'POST', { token, to, body })
  /** Those that are in force stay in force when it is killed. */
  async setReceipts(token: string, rules: Partial<ReceiptRules>) {
    const all = { ...this.#receipts.get(token), ...rules }
    this.#receipts.set(token, all)
    await this.#ask('receipts', 'POST', { token, ...all })
  }

  async setLatency(ms: number) {
    this.#latencyMs = ms
    await this.#ask('latency', 'POST', { ms })
  }

  async setClockAhead(ms: number) {
    this.aheadMs = ms
    await this.#ask('clock', 'POST', { shiftMs: ms || 1 })
  }

  /** What a kill has made it forget. */
  async setUpAgain() {
    this.#met = {}
    await this.setLatency(this.#latencyMs)
    for (const [token, rules] of this.#receipts) await this.setReceipts(token, rules)
  }
}

/** Asks again as long as the database is away. */
export const again = async <T>(ask: () => Promise<T>): Promise<T> => {
  const box = await until('the database answers', async () => {
    try {
      return { answer: await ask() }
    } catch (error) {
      if (!isDatabaseDown(error)) throw error
      return null
    }
  })
  return box.answer
}

async function createTemplate(address: DatabaseAddress, fast: FastTime) {
  const admin = connect({ ...address, database: 'postgres' }, { max: 1, applicationName: 'chaos' })
  // The files live on when only its processes are killed.
  await admin.run(sql`alter system set fsync = off`)
  await admin.run(sql`select pg_reload_conf()`)
  await admin.run(sql`create database tpl`)
  await storeSessionDefaults(admin, 'cluster')
  await admin.end()
  const template = connect({ ...address, database: 'tpl' }, { max: 1, applicationName: 'chaos' })
  try {
    await migrate(template)
    await addInstruments(template, fast)
  } finally {
    await template.end()
  }
}
