import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { readFileSync, rmSync } from 'node:fs'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { Api } from './api.ts'

const START = join(import.meta.dirname, '../scripts/start.mjs')
const MOVE_CLOCK = join(import.meta.dirname, '../server/test/move-clock.ts')
/** The time between SIGTERM and SIGKILL. */
const STOP_TIMEOUT_MS = 30_000

/** A message that the simulator accepted, as recorded in its ledger. */
export type Accepted = {
  token: string
  to: string
  type: 'text' | 'image' | 'video' | 'document' | 'audio' | 'voice' | 'poll' | 'location'
  body?: string
  caption?: string
  fileName?: string
  poll?: { title: string; options: string[]; isSingle: boolean }
  media?: { sha256: string; size: number; mime: string }
}

/** The data folder of a stopped Sendroom, and the password that its first start printed. */
export type Template = { dataDir: string; password: string }

/** A complete Sendroom as started by `npm start`, on a free port and with its own data folder. */
export class Sendroom {
  readonly url: string
  /** The password of the first Admin, which is printed at the first start. */
  readonly password: string
  #child: ChildProcess
  readonly #dataDir: string
  /** How far its clock was moved on. */
  #aheadMs = 0

  private constructor(child: ChildProcess, dataDir: string, url: string, password: string) {
    this.#child = child
    this.#dataDir = dataDir
    this.url = url
    this.password = password
  }

  /** Starts an empty one. As a copy of the template, if there is one, it need not create its database. */
  static async start(): Promise<Sendroom> {
    const dataDir = await mkdtemp(join(tmpdir(), 'sendroom-e2e-'))
    // If the tests run as root, PostgreSQL runs as another user and needs access.
    await chmod(dataDir, 0o755)
    const template = readTemplate()
    if (template) execFileSync('cp', ['-a', `${template.dataDir}/.`, dataDir])
    const child = launch(dataDir, '0')
    // An aborted run does not call stop(). PostgreSQL ends within a minute after its folder is deleted.
    process.once('exit', () => {
      if (child.kill('SIGTERM')) rmSync(dataDir, { recursive: true, force: true })
    })
    try {
      const [url, password = ''] = await (template
        ? readOutput(child, ADDRESS)
        : readOutput(child, ADDRESS, PASSWORD))
      return new Sendroom(child, dataDir, url, template?.password ?? password)
    } catch (error) {
      await terminate(child)
      await rm(dataDir, { recursive: true, force: true })
      throw error
    }
  }

  /** Stops Sendroom gracefully and starts it again at the same address. */
  async restart() {
    await terminate(this.#child)
    this.#child = launch(this.#dataDir, new URL(this.url).port)
    await readOutput(this.#child, ADDRESS)
  }

  signIn(username = 'admin', password = this.password): Promise<Api> {
    return Api.signIn(this.url, username, password)
  }

  /** The messages that the simulator accepted from the instance with this token, oldest first. */
  accepted(token: string): Accepted[] {
    return readFileSync(join(this.#dataDir, 'simulator.jsonl'), 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as { sent?: Accepted }) // the other records are ignored
      .flatMap(({ sent }) => (sent?.token === token ? [sent] : []))
  }

  /** Moves the server's clock to this moment, instead of waiting for it. The browser's clock stays. */
  moveClockTo(moment: string) {
    const aheadMs = Date.parse(moment) - Date.now()
    const by = `${aheadMs - this.#aheadMs} ms`
    execFileSync(process.execPath, [MOVE_CLOCK, this.#dataDir, by], { stdio: 'inherit' })
    this.#aheadMs = aheadMs
  }

  /** Stops Sendroom, and keeps its data for the ones that this process and its children start later. */
  async becomeTemplate(): Promise<Template> {
    await terminate(this.#child)
    const template = { dataDir: this.#dataDir, password: this.password }
    process.env[TEMPLATE] = JSON.stringify(template)
    return template
  }

  /** Stops Sendroom and its PostgreSQL gracefully and removes the data. Throws if Sendroom had to be killed. */
  async stop() {
    const wasKilled = await terminate(this.#child)
    await rm(this.#dataDir, { recursive: true, force: true })
    if (wasKilled) throw new Error(`Sendroom did not stop within ${STOP_TIMEOUT_MS / 1000} s.`)
  }
}

const TEMPLATE = 'SENDROOM_E2E_TEMPLATE'
const readTemplate = (): Template | null => JSON.parse(process.env[TEMPLATE] ?? 'null')

const ADDRESS = /^Sendroom is running at (\S+)$/m
const PASSWORD = /with the password (\S+)/

const launch = (dataDir: string, port: string) =>
  spawn(process.execPath, [START], {
    cwd: dataDir, // a folder without a .env file
    env: {
      PATH: process.env.PATH,
      DATA_DIR: dataDir,
      PORT: port,
      LOG_LEVEL: 'warn',
      WHAPI_BASE_URL: NO_PROVIDER,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })

/** Nothing listens here: no browser test may reach the real provider. */
const NO_PROVIDER = 'http://127.0.0.1:9'

/** Resolves to the first group of each pattern once all of them match the output. */
function readOutput(child: ChildProcess, ...patterns: [RegExp, ...RegExp[]]): Promise<[string, ...string[]]> {
  let text = ''
  return new Promise((resolve, reject) => {
    const listen = (more: Buffer) => {
      text += more
      const [first, ...others] = patterns.flatMap((pattern) => pattern.exec(text)?.[1] ?? [])
      if (first && others.length === patterns.length - 1) resolve([first, ...others])
    }
    child.stdout?.on('data', listen)
    child.stderr?.on('data', listen)
    child.once('close', (code) => reject(new Error(`Sendroom ended with ${code} and said:\n${text}`)))
  })
}

/** Stops the process gracefully. Resolves to true if it had to be killed. */
async function terminate(child: ChildProcess): Promise<boolean> {
  let wasKilled = false
  if (child.exitCode === null && child.signalCode === null) {
    const closed = new Promise((resolve) => child.once('close', resolve))
    child.kill('SIGTERM')
    const timeout = new AbortController()
    const tooLong = delay(STOP_TIMEOUT_MS, 'too long', { signal: timeout.signal }).catch(() => 'closed')
    if ((await Promise.race([closed, tooLong])) === 'too long') wasKilled = child.kill('SIGKILL')
    await closed
    timeout.abort()
  }
  return wasKilled
}
