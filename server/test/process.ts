import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { contract } from '@sendroom/contract'
import type { LedgerEntry } from '../../simulator/src/ledger.ts'
import type { DatabaseAddress } from '../src/database-url.ts'
import { startCluster } from '../src/platform/database/cluster.ts'
import { HttpClient } from './http-client.ts'
import { until } from './until.ts'

type Env = Record<string, string>

const ROOT = join(import.meta.dirname, '../..')
const SERVER = 'server/src/main.ts'
const SIMULATOR = 'simulator/src/main.ts'
const START = 'scripts/start.mjs'
/** As `npm start` gives them; the simulator has none. */
const SERVER_FLAGS: string[] =
  JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')).scripts.start.match(/--\S+/g) ?? []
/** What `scripts/start.mjs` sees to by itself. */
const START_ENV = {
  NODE_COMPILE_CACHE: join(ROOT, 'node_modules/.cache/compile'),
  MALLOC_ARENA_MAX: '1',
}

/** The last resort, if the run is broken off. A cluster whose folder is gone ends itself. */
const atExit: (() => void)[] = []
process.once('exit', () => {
  for (const task of atExit) task()
})

/** One of our programs in a process of its own. */
export class Program {
  /** What it has written so far. */
  stdout = ''
  stderr = ''
  readonly #child: ChildProcess
  /** The exit code, or the signal that ended it. */
  readonly ended: Promise<number | string>

  constructor(file: string, args: string[], cwd: string, env: Env) {
    const flags = file === SERVER || file === START ? SERVER_FLAGS : []
    const child = spawn(process.execPath, [...flags, join(ROOT, file), ...args], {
      cwd, // where no .env is
      env: { PATH: process.env.PATH, ...(file !== START && START_ENV), ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    child.stdout.on('data', (text) => (this.stdout += text))
    child.stderr.on('data', (text) => (this.stderr += text))
    this.ended = new Promise((resolve) =>
      child.once('close', (code, signal) => resolve(code ?? signal ?? '')),
    )
    this.#child = child
    atExit.push(() => child.kill('SIGKILL'))
  }

  get pid(): number {
    return this.#child.pid ?? 0
  }

  get isRunning(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null
  }

  /** Waits for words of it; throws with what it said instead when it ends or stays silent. */
  async says(words: RegExp): Promise<RegExpExecArray> {
    const spoken = () => words.exec(this.stdout)
    await until(`${words}`, () => spoken() ?? !this.isRunning).catch(() => {})
    if (!this.isRunning) await this.ended // its last words are in
    const found = spoken()
    if (!found) throw new Error(`It never said ${words}, but:\n${this.stdout}${this.stderr}`)
    return found
  }

  /** Sends the signal and waits for the end. */
  async end(signal: 'SIGTERM' | 'SIGKILL'): Promise<number | string> {
    this.#child.kill(signal)
    return this.ended
  }
}

export type Sendroom = Program & { url: string }

/** A data folder and every process that was started on it: `await using`, and all of it is gone afterwards. */
export class Installation {
  readonly dataDir: string
  /** Of the first Admin, as the first start has printed it. */
  password = ''
  readonly #env: Env
  readonly #programs: Program[] = []

  private constructor(dataDir: string, env: Env) {
    this.dataDir = dataDir
    this.#env = { DATA_DIR: dataDir, PORT: '0', LOG_LEVEL: 'warn', ...env }
  }

  static async create(env: Env = {}): Promise<Installation> {
    const dataDir = await mkdtemp(join(tmpdir(), 'sendroom-system-'))
    atExit.push(() => rmSync(dataDir, { recursive: true, force: true }))
    // As root the database runs as another user, who has to get in.
    await chmod(dataDir, 0o755)
    return new Installation(dataDir, env)
  }

  /** Starts `npm start [-- role]` without npm; returns at once. */
  launch(args: string[] = [], env: Env = {}): Program {
    const program = new Program(SERVER, args, this.dataDir, { ...this.#env, ...env })
    this.#programs.push(program)
    return program
  }

  /** Starts one that serves, and waits for its address. */
  async start(args: string[] = [], env: Env = {}): Promise<Sendroom> {
    const program = this.launch(args, env)
    const [, url = ''] = await program.says(/^Sendroom runs on (\S+)$/m)
    if (!this.password) [, this.password = ''] = await program.says(/with the password (\S+)/)
    return Object.assign(program, { url })
  }

  /** Runs a command, or a start that fails, to its end. */
  async run(args: string[] = [], env: Env = {}) {
    const program = this.launch(args, env)
    const code = await program.ended
    return { code, stdout: program.stdout, stderr: program.stderr }
  }

  async signIn({ url }: Sendroom, password = this.password): Promise<HttpClient> {
    const body = { username: 'admin', password }
    const { token } = await new HttpClient(url).ask(contract.session.login, { body })
    return new HttpClient(url, token)
  }

  /** Its embedded PostgreSQL, for looking in from outside. */
  get database(): DatabaseAddress {
    const host = join(this.dataDir, 'postgres')
    return { host, port: 5432, user: 'sendroom', password: '', database: 'sendroom' }
  }

  /** Whether its PostgreSQL was not stopped in order: it runs, or was killed. */
  get hasDatabaseLeft(): boolean {
    return existsSync(join(this.database.host, 'postmaster.pid'))
  }

  async [Symbol.asyncDispose]() {
    await Promise.all(this.#programs.map((program) => program.end('SIGKILL')))
    if (this.hasDatabaseLeft) {
      const silent = { info() {}, warn() {}, error() {} }
      const cluster = await startCluster(this.dataDir, silent)
      await cluster.stop()
    }
    await rm(this.dataDir, { recursive: true, force: true })
  }
}

/** `npm run simulator` on a free port. */
export async function startSimulatorProcess(folder: string) {
  const program = new Program(SIMULATOR, ['--port', '0'], folder, {})
  const [, url = ''] = await program.says(/listening on (\S+)/)
  return {
    url,
    /** All messages it has accepted, oldest first. */
    async ledger(): Promise<LedgerEntry[]> {
      const { entries } = (await (await fetch(`${url}/_control/ledger`)).json()) as { entries: LedgerEntry[] }
      return entries
    },
    /** Between accepting a message and answering. */
    async setLatency(ms: number) {
      const headers = { 'content-type': 'application/json' }
      await fetch(`${url}/_control/latency`, { method: 'POST', headers, body: JSON.stringify({ ms }) })
    },
    async [Symbol.asyncDispose]() {
      await program.end('SIGKILL')
    },
  }
}
