import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { contract } from '@sendroom/contract'
import type { DatabaseAddress } from '../src/database-url.ts'
import { startCluster } from '../src/embedded-postgres/cluster.ts'
import { HttpClient } from './http-client.ts'
import { SimulatorControl } from './simulator-control.ts'
import { until } from './until.ts'

type Env = Record<string, string>

const ROOT = join(import.meta.dirname, '../..')
const SERVER = 'server/src/main.ts'
const SIMULATOR = 'simulator/src/main.ts'
const START = 'scripts/start.mjs'
/** The flags of `npm start`. The simulator has none. */
const SERVER_FLAGS: string[] =
  JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')).scripts.start.match(/--\S+/g) ?? []
/** `scripts/start.mjs` sets these variables itself, so only the other programs get them from here. */
const START_ENV = {
  NODE_COMPILE_CACHE: join(ROOT, 'node_modules/.cache/compile'),
  MALLOC_ARENA_MAX: '1',
  MALLOC_TRIM_THRESHOLD_: '131072',
}

/** Cleans up if the test run is aborted. PostgreSQL stops when its folder is gone. */
const atExit: (() => void)[] = []
process.once('exit', () => {
  for (const task of atExit) task()
})

/** Runs one of our programs in its own process. */
export class Program {
  /** The output so far. */
  stdout = ''
  stderr = ''
  readonly #child: ChildProcess
  /** Resolves with the exit code, or with the signal that ended the process. */
  readonly ended: Promise<number | string>

  /** `root` is the folder of another version of the project. */
  constructor(file: string, args: string[], cwd: string, env: Env, root = ROOT) {
    const flags = file === SERVER || file === START ? SERVER_FLAGS : []
    const child = spawn(process.execPath, [...flags, join(root, file), ...args], {
      cwd, // a folder without an .env file
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

  /** Waits until stdout matches. Throws with the whole output if the process ends first, or after two minutes. */
  async says(pattern: RegExp): Promise<RegExpExecArray> {
    const match = () => pattern.exec(this.stdout)
    await until(`${pattern}`, () => match() ?? !this.isRunning, 120_000).catch(() => {})
    if (!this.isRunning) await this.ended // only then is all its output here
    const found = match()
    if (!found) throw new Error(`Expected the output ${pattern}, but got:\n${this.stdout}${this.stderr}`)
    return found
  }

  /** Sends the signal and waits until the process has ended. */
  async end(signal: 'SIGTERM' | 'SIGKILL'): Promise<number | string> {
    this.#child.kill(signal)
    return this.ended
  }
}

export type Sendroom = Program & { url: string }

/** A data folder and every process that was started on it. `await using` removes all of it. */
export class Installation {
  readonly dataDir: string
  /** The password of the first Admin, which the first start prints. */
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
    // If we are root, PostgreSQL runs as another user, who needs access to the folder.
    await chmod(dataDir, 0o755)
    return new Installation(dataDir, env)
  }

  /** Starts what `npm start [-- role]` starts, without npm, and does not wait for it. */
  launch(args: string[] = [], env: Env = {}, root = ROOT): Program {
    const program = new Program(SERVER, args, this.dataDir, { ...this.#env, ...env }, root)
    this.#programs.push(program)
    return program
  }

  /** Starts a process that serves HTTP, and waits until it prints its address. */
  async start(args: string[] = [], env: Env = {}, root = ROOT): Promise<Sendroom> {
    const program = this.launch(args, env, root)
    const [, url = ''] = await program.says(/^Sendroom is running at (\S+)$/m)
    if (!this.password) [, this.password = ''] = await program.says(/with the password (\S+)/)
    return Object.assign(program, { url })
  }

  /** Runs a process to its end: a command, or a start that fails. */
  async run(args: string[] = [], env: Env = {}, root = ROOT) {
    const program = this.launch(args, env, root)
    const code = await program.ended
    return { code, stdout: program.stdout, stderr: program.stderr }
  }

  async signIn({ url }: Pick<Sendroom, 'url'>, password = this.password): Promise<HttpClient> {
    const body = { username: 'admin', password }
    const { token } = await new HttpClient(url).ask(contract.session.login, { body })
    return new HttpClient(url, token)
  }

  /** The address of the installation's embedded PostgreSQL. */
  get database(): DatabaseAddress {
    const host = join(this.dataDir, 'postgres')
    return { host, port: 5432, user: 'sendroom', password: '', database: 'sendroom' }
  }

  /** Whether the embedded PostgreSQL still runs or was killed, that is, was not shut down. */
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

/** Starts `npm run simulator` on a free port. */
export async function startSimulatorProcess(folder: string, options: string[] = []) {
  const program = new Program(SIMULATOR, ['--port', '0', ...options], folder, {})
  const [, url = ''] = await program.says(/is running at (\S+)/)
  return Object.assign(new SimulatorControl(url), {
    async [Symbol.asyncDispose]() {
      await program.end('SIGKILL')
    },
  })
}
