import { type ChildProcess, spawn } from 'node:child_process'
import { readFileSync, rmSync } from 'node:fs'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { Api } from './api.ts'

const START = join(import.meta.dirname, '../scripts/start.mjs')
/** Between SIGTERM and SIGKILL. */
const STOP_MS = 30_000

/** A message the simulator has accepted, as it wrote it down. */
export type Accepted = {
  token: string
  to: string
  type: 'text' | 'image'
  body?: string
  caption?: string
  media?: { sha256: string; size: number; mime: string }
}

/** A whole Sendroom as `npm start` starts it, on a free port and a data folder of its own. */
export class Sendroom {
  readonly url: string
  /** Of the first Admin, as the start has printed it. */
  readonly password: string
  #child: ChildProcess
  readonly #dataDir: string

  private constructor(child: ChildProcess, dataDir: string, url: string, password: string) {
    this.#child = child
    this.#dataDir = dataDir
    this.url = url
    this.password = password
  }

  static async start(): Promise<Sendroom> {
    const dataDir = await mkdtemp(join(tmpdir(), 'sendroom-e2e-'))
    // As root the database runs as another user, who has to get in.
    await chmod(dataDir, 0o755)
    const child = launch(dataDir, '0')
    // If the run is broken off, nobody calls stop(). A PostgreSQL whose folder is gone ends within a minute.
    process.once('exit', () => {
      if (child.kill('SIGTERM')) rmSync(dataDir, { recursive: true, force: true })
    })
    try {
      const [url, password = ''] = await said(child, ADDRESS, PASSWORD)
      return new Sendroom(child, dataDir, url, password)
    } catch (error) {
      await end(child)
      await rm(dataDir, { recursive: true, force: true })
      throw error
    }
  }

  /** Stops it in order and starts it again, at the same address. */
  async restart() {
    await end(this.#child)
    this.#child = launch(this.#dataDir, new URL(this.url).port)
    await said(this.#child, ADDRESS)
  }

  signIn(username = 'admin', password = this.password): Promise<Api> {
    return Api.signIn(this.url, username, password)
  }

  /** What the simulator has accepted of the account with this token, oldest first. */
  accepted(token: string): Accepted[] {
    return readFileSync(join(this.#dataDir, 'simulator.jsonl'), 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as { sent?: Accepted }) // its other records are of no interest here
      .flatMap(({ sent }) => (sent?.token === token ? [sent] : []))
  }

  /** Stops it in order, its PostgreSQL too, and removes its data. */
  async stop() {
    const wasKilled = await end(this.#child)
    await rm(this.#dataDir, { recursive: true, force: true })
    if (wasKilled) throw new Error(`Sendroom did not stop within ${STOP_MS / 1000} s.`)
  }
}

const ADDRESS = /^Sendroom runs on (\S+)$/m
const PASSWORD = /with the password (\S+)/

const launch = (dataDir: string, port: string) =>
  spawn(process.execPath, [START], {
    cwd: dataDir, // where no .env is
    env: { PATH: process.env.PATH, DATA_DIR: dataDir, PORT: port, LOG_LEVEL: 'warn' },
    stdio: ['ignore', 'pipe', 'pipe'],
  })

/** What it prints at the places of these words, as soon as all of them are printed. */
function said(child: ChildProcess, ...words: [RegExp, ...RegExp[]]): Promise<[string, ...string[]]> {
  let text = ''
  return new Promise((resolve, reject) => {
    const listen = (more: Buffer) => {
      text += more
      const [first, ...others] = words.flatMap((word) => word.exec(text)?.[1] ?? [])
      if (first && others.length === words.length - 1) resolve([first, ...others])
    }
    child.stdout?.on('data', listen)
    child.stderr?.on('data', listen)
    child.once('close', (code) => reject(new Error(`Sendroom ended with ${code} and said:\n${text}`)))
  })
}

/** True if it had to be killed. */
async function end(child: ChildProcess): Promise<boolean> {
  let wasKilled = false
  if (child.exitCode === null && child.signalCode === null) {
    const closed = new Promise((resolve) => child.once('close', resolve))
    child.kill('SIGTERM')
    const patience = new AbortController()
    const tooLong = delay(STOP_MS, 'too long', { signal: patience.signal }).catch(() => 'closed')
    if ((await Promise.race([closed, tooLong])) === 'too long') wasKilled = child.kill('SIGKILL')
    await closed
    patience.abort()
  }
  return wasKilled
}
