import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { backUp } from '../../src/backup/backup.ts'
import { restore } from '../../src/backup/restore.ts'
import { readConfig } from '../../src/config.ts'
import { type DatabaseAddress, targetOf } from '../../src/database-url.ts'
import { type Cluster, startCluster } from '../../src/embedded-postgres/cluster.ts'
import { connect, type Pool } from '../../src/platform/database/connection.ts'
import { identifier, sql } from '../../src/platform/database/sql.ts'
import { openImages } from '../../src/platform/images/store.ts'
import { killPostgres, retryWhileDown } from '../kill-postgres.ts'
import { Program } from '../process.ts'
import { SimulatorControl } from '../simulator-control.ts'
import { createTemplate } from '../template.ts'
import { makeTemporaryFolder } from '../temporary-folder.ts'
import { urlOf } from '../url-of.ts'
import type { FastTime } from './fast-time.ts'
import { addInstruments } from './instruments.ts'
import type { WorkerOptions } from './worker.ts'

export const SECRET_KEY = 'the chaos suite keeps no real secrets'

const FOLDER = 'server/test/chaos'
const silent = { info() {}, warn() {}, error() {} }

/** A PostgreSQL whose runs take place in a time that is `speed` times as fast. */
type Server = Pick<Cluster, 'superuser' | 'stop'> & { speed: number }

/** A PostgreSQL and a simulator for one chaos run after another. Both may be killed. `await using` removes them. */
export class Environment {
  readonly simulator: SimulatorControl
  readonly #folder: string
  readonly #cluster: Server
  #simulator: Program
  readonly #fast: FastTime
  #databases = 0

  private constructor(folder: string, cluster: Server, simulator: Program, url: string, fast: FastTime) {
    this.#folder = folder
    this.#cluster = cluster
    this.#simulator = simulator
    this.#fast = fast
    this.simulator = new SimulatorControl(url)
  }

  /** By default, with a PostgreSQL of its own. Stops the given one in the end. */
  static async open(server?: Server): Promise<Environment> {
    const folder = await makeTemporaryFolder('chaos')
    const cluster = server ?? { ...(await startCluster(folder, silent)), speed: 10 }
    const fast: FastTime = { originMs: Date.now(), speed: cluster.speed }
    await createTemplate(cluster.superuser, (db) => addInstruments(db, fast))
    // The rows of its images say that the folder was in use, and the server would report that its files are missing.
    await openImages({ dataDir: folder, imageStore: { kind: 'disk' } }).prepare(false)
    const simulator = startSimulator(folder, fast, { port: '0', aheadMs: 0 })
    const [, url = ''] = await simulator.says(/is running at (\S+)/)
    return new Environment(folder, cluster, simulator, url, fast)
  }

  /** The time of the provider's clock, in ms. */
  now = () =>
    this.#fast.originMs + (Date.now() - this.#fast.originMs) * this.#fast.speed + this.simulator.aheadMs

  /** Converts a duration of the fast clock to real time. */
  toRealMs = (fastMs: number) => fastMs / this.#fast.speed

  /** Creates a database for one chaos run, with the schema and the instruments. */
  createDatabase = () => this.#createDatabase('tpl')

  /** Backs up a chaos run's database, by the command. Returns a function that restores the backup into another one. */
  async backUp(database: DatabaseAddress): Promise<() => Promise<DatabaseAddress>> {
    const file = join(this.#folder, `${database.database}.tar.gz`)
    const commandOn = (address: DatabaseAddress) => ({
      config: { ...readConfig({ DATA_DIR: this.#folder, SECRET_KEY }), database: targetOf(address) },
      ...{ log: silent, say() {}, signal: new AbortController().signal },
    })
    await backUp(commandOn(database), file, false)
    return async () => {
      const restored = await this.#createDatabase('template0')
      await restore(commandOn(restored), file)
      await this.#addInstrumentsOf(database, restored)
      return restored
    }
  }

  /** The backup has no instruments, and the clock must go on. */
  async #addInstrumentsOf(database: DatabaseAddress, restored: DatabaseAddress): Promise<void> {
    const [from, to] = [database, restored].map((address) =>
      connect(address, { max: 1, applicationName: 'chaos' }),
    ) as [Pool, Pool]
    const { ahead } = await from.one<{ ahead: string }>(sql`select ahead::text from chaos.clock`)
    await addInstruments(to, this.#fast)
    await to.run(sql`update chaos.clock set ahead = ${ahead}::text::interval`)
    await Promise.all([from.end(1000), to.end(1000)])
  }

  async #createDatabase(template: 'tpl' | 'template0'): Promise<DatabaseAddress> {
    const database = `run_${++this.#databases}`
    const admin = connect(
      { ...this.#cluster.superuser, database: 'postgres' },
      { max: 1, applicationName: 'chaos' },
    )
    await retryWhileDown(() =>
      admin.run(
        sql`create database ${identifier(database)} template ${identifier(template)} strategy file_copy`,
      ),
    )
    await admin.end()
    return { ...this.#cluster.superuser, database }
  }

  startProgram(file: string, env: Record<string, string>, args: string[] = []): Program {
    return new Program(`${FOLDER}/${file}`, args, this.#folder, { ...envOf(this.#fast), ...env })
  }

  startWorker(options: Omit<WorkerOptions, 'providerUrl' | 'secretKey'>): Program {
    const worker: WorkerOptions = { ...options, providerUrl: this.simulator.url, secretKey: SECRET_KEY }
    return this.startProgram('worker.ts', { WORKER: JSON.stringify(worker) })
  }

  /**
   * Starts the shipped server on this port. The provider calls its webhooks at `publicUrl`. The server runs in real
   * time, because all its decisions go by the database's clock.
   */
  startServer(database: DatabaseAddress, port: number, publicUrl: string): Program {
    const env = {
      DATABASE_URL: urlOf(database),
      WHAPI_BASE_URL: this.simulator.url,
      PUBLIC_URL: publicUrl,
      PORT: String(port),
      DATA_DIR: this.#folder,
      SECRET_KEY,
      LOG_LEVEL: 'warn',
    }
    return new Program('server/src/main.ts', ['server'], this.#folder, env)
  }

  /** Kills PostgreSQL and waits until the cluster has restarted it. */
  async killDatabase(): Promise<void> {
    const { superuser: address } = this.#cluster
    await killPostgres(address)
    const db = connect(address, { max: 1, applicationName: 'chaos' })
    await retryWhileDown(() => db.many(sql`select 1`))
    await db.end(1000)
  }

  /** Kills the simulator and restarts it on the same port with the same ledger. Its faults end. */
  async killSimulator(): Promise<void> {
    await this.simulator.countFaults()
    await this.#simulator.end('SIGKILL')
    const { url, aheadMs } = this.simulator
    this.#simulator = startSimulator(this.#folder, this.#fast, { port: new URL(url).port, aheadMs })
    await this.#simulator.says(/is running at/)
    await this.simulator.restoreSettings()
  }

  async [Symbol.asyncDispose]() {
    await this.#simulator.end('SIGKILL')
    await this.#cluster.stop()
    await rm(this.#folder, { recursive: true, force: true })
  }
}

/** A shift of 0 would make the Date header come from the real clock instead of the fast one. */
function startSimulator(
  folder: string,
  fast: FastTime,
  { port, aheadMs }: { port: string; aheadMs: number },
) {
  const options = { port, file: join(folder, 'provider'), 'clock-shift': aheadMs || 1 }
  const args = Object.entries(options).map(([name, value]) => `--${name}=${value}`)
  return new Program('simulator/src/main.ts', args, folder, envOf(fast))
}

/** The environment variables of a process whose time runs fast. */
const envOf = (fast: FastTime) => ({
  FAST_TIME: JSON.stringify(fast),
  NODE_OPTIONS: `--import ${new URL('./fast-time.ts', import.meta.url).href}`,
})
