import { readFileSync, rmSync } from 'node:fs'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ChannelChange } from '../../../simulator/src/channels.ts'
import type { FaultRule } from '../../../simulator/src/faults.ts'
import type { LedgerEntry } from '../../../simulator/src/ledger.ts'
import { type Cluster, startCluster } from '../../src/platform/database/cluster.ts'
import {
  connect,
  type DatabaseAddress,
  isDatabaseDown,
  type Sql,
} from '../../src/platform/database/connection.ts'
import { migrate } from '../../src/platform/database/migrate.ts'
import { Program } from '../process.ts'
import { until } from '../until.ts'
import type { FastTime } from './fast-time.ts'
import { addInstruments } from './instruments.ts'
import type { WorkerOptions } from './worker.ts'

const SPEED = 10
const FOLDER = 'server/test/chaos'
const silent = { info() {}, warn() {}, error() {} }

/** A PostgreSQL that may be killed and a simulator, for all rounds of a run: `await using`. */
export class Stage {
  readonly simulator: SimulatorControl
  readonly #folder: string
  readonly #cluster: Cluster
  readonly #simulator: Program
  readonly #time: Record<string, string>
  #databases = 0

  private constructor(
    folder: string,
    cluster: Cluster,
    simulator: Program,
    url: string,
    time: Record<string, string>,
  ) {
    this.#folder = folder
    this.#cluster = cluster
    this.#simulator = simulator
    this.#time = time
    this.simulator = new SimulatorControl(url)
  }

  static async open(): Promise<Stage> {
    const folder = await mkdtemp(join(tmpdir(), 'sendroom-chaos-'))
    // A cluster whose folder is gone ends itself: the last resort if this process is killed.
    process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
    await chmod(folder, 0o755)
    const fast: FastTime = { originMs: Date.now(), speed: SPEED }
    const preload = new URL('./fast-time.ts', import.meta.url).href
    const time = { FAST_TIME: JSON.stringify(fast), NODE_OPTIONS: `--import ${preload}` }
    const cluster = await startCluster(folder, silent)
    await createTemplate(cluster.address, fast)
    const simulator = new Program('simulator/src/main.ts', ['--port', '0'], folder, time)
    const [, url = ''] = await simulator.says(/listening on (\S+)/)
    return new Stage(folder, cluster, simulator, url, time)
  }

  /** A database of its own for each round, with the schema and the suite's instruments. */
  async createDatabase(): Promise<DatabaseAddress> {
    const database = `round_${++this.#databases}`
    const admin = connect(
      { ...this.#cluster.address, database: 'postgres' },
      { max: 1, applicationName: 'chaos' },
    )
    await again(() => admin`create database ${admin(database)} template tpl strategy file_copy`)
    await admin.end()
    return { ...this.#cluster.address, database }
  }

  startProgram(file: string, env: Record<string, string>, args: string[] = []): Program {
    return new Program(`${FOLDER}/${file}`, args, this.#folder, { ...this.#time, ...env })
  }

  startWorker(options: Omit<WorkerOptions, 'providerUrl'>): Program {
    const worker: WorkerOptions = { ...options, providerUrl: this.simulator.url }
    return this.startProgram('worker.ts', { WORKER: JSON.stringify(worker) })
  }

  /** Kills PostgreSQL, the postmaster first; the cluster's keeper starts it again. Returns when it answers. */
  async killDatabase(): Promise<void> {
    const { address } = this.#cluster
    const postmaster = Number(readFileSync(join(address.host, 'postmaster.pid'), 'utf8').split('\n')[0])
    const sql = connect(address, { max: 1, applicationName: 'chaos' })
    const children = await again(() => sql<{ pid: number }[]>`select pid from pg_stat_activity`)
    for (const pid of [postmaster, ...children.map((child) => child.pid)]) {
      try {
        process.kill(pid, 'SIGKILL')
      } catch {
        // gone already
      }
    }
    await again(() => sql`select 1`)
    await sql.end({ timeout: 1 })
  }

  async [Symbol.asyncDispose]() {
    await this.#simulator.end('SIGKILL')
    await this.#cluster.stop()
    await rm(this.#folder, { recursive: true, force: true })
  }
}

/** The simulator's control API. */
export class SimulatorControl {
  readonly url: string

  constructor(url: string) {
    this.url = url
  }

  async #ask(path: string, method = 'GET', body?: object) {
    const headers = body ? { 'content-type': 'application/json' } : undefined
    const answer = await fetch(`${this.url}/_control/${path}`, {
      method,
      ...(body ? { headers, body: JSON.stringify(body) } : {}),
    })
    if (!answer.ok) throw new Error(`The simulator refuses ${path}: ${await answer.text()}`)
    return answer.json() as Promise<unknown> // typed by who asks
  }

  async ledger(token: string): Promise<LedgerEntry[]> {
    return ((await this.#ask(`ledger?token=${token}`)) as { entries: LedgerEntry[] }).entries
  }

  /** How often it was asked to send something for these channels, whatever came of it. */
  async countSends(tokens: string[]): Promise<number> {
    const counts = await Promise.all(
      tokens.map(async (token) => {
        const answer = (await this.#ask(`requests?token=${token}`)) as { requests: Record<string, number> }
        return (answer.requests['POST /messages/text'] ?? 0) + (answer.requests['POST /messages/image'] ?? 0)
      }),
    )
    return counts.reduce((sum, count) => sum + count, 0)
  }

  addFault = (rule: FaultRule) => this.#ask('faults', 'POST', rule)
  clearFaults = () => this.#ask('faults', 'DELETE')
  changeChannel = (token: string, change: ChannelChange) =>
    this.#ask('channels', 'POST', { token, ...change })
  writeOnPhone = (token: string, to: string, body: string) =>
    this.#ask('messages', 'POST', { token, to, body })
  setLatency = (ms: number) => this.#ask('latency', 'POST', { ms })
  /** Its Date header comes from the fast clock only when it is set. */
  setClockAhead = (ms: number) => this.#ask('clock', 'POST', { shiftMs: ms || 1 })
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
  await admin`alter system set fsync = off`
  await admin`select pg_reload_conf()`
  await admin`create database tpl`
  await admin.end()
  const template: Sql = connect({ ...address, database: 'tpl' }, { max: 1, applicationName: 'chaos' })
  try {
    await migrate(template)
    await addInstruments(template, fast)
  } finally {
    await template.end()
  }
}
