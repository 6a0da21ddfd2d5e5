import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { contract } from '@sendroom/contract'
import { HttpClient } from '../http-client.ts'
import type { Program } from '../process.ts'
import { until } from '../until.ts'
import type { JobAction } from './plan.ts'
import { PostOffice } from './post-office.ts'

type Options = {
  /** Starts the server on that port; its provider calls that address. */
  launch: (port: number, publicUrl: string) => Program
  /** Of the person's session. */
  token: string
  seed: number
  /** Whether people ask for those of unknown outcome too. */
  includeUnknown: boolean
}

const RUNS = /Sendroom runs/

/** The server as it ships, which takes the provider's calls and people's wishes; killed, it is started again. */
export class Office {
  readonly post: PostOffice
  readonly #options: Options
  readonly #port: number
  #program: Program
  /** What it said before it was killed. */
  #said = ''

  private constructor(options: Options, post: PostOffice, port: number) {
    this.post = post
    this.#options = options
    this.#port = port
    this.#program = options.launch(port, post.url)
  }

  static async open(options: Options): Promise<Office> {
    const port = await freePort()
    const office = new Office(options, await PostOffice.open(options.seed, `http://127.0.0.1:${port}`), port)
    await office.#isOpen()
    return office
  }

  /** One that finds the database away at its start ends itself, and whoever watches over it starts it again. */
  async #isOpen(): Promise<void> {
    await until('the server runs', () => !this.#program.isRunning || RUNS.test(this.#program.stdout), 120_000)
    if (this.#program.isRunning) return
    this.#said += this.#program.stderr
    await this.#start()
  }

  #start() {
    this.#program = this.#options.launch(this.#port, this.post.url)
    return this.#isOpen()
  }

  async kill(): Promise<void> {
    await this.#program.end('SIGKILL')
    this.#said += this.#program.stderr
    await this.#start()
  }

  /** Asks as a person does; the status of the answer, or 'away'. */
  async ask(kind: JobAction['kind'], id: number): Promise<number | 'away'> {
    const client = new HttpClient(`http://127.0.0.1:${this.#port}`, this.#options.token)
    const call = () => {
      if (kind !== 'retry job') return client.call(calls[kind], { params: { id } })
      const { includeUnknown } = this.#options
      return client.call(contract.jobs.retryFailed, { params: { id }, body: { includeUnknown } })
    }
    try {
      return (await call()).status
    } catch (error) {
      // What fetch throws.
      if (error instanceof TypeError || error instanceof DOMException) return 'away'
      throw error
    }
  }

  /** Stops it; what it met that it did not expect, and whether it ended well. */
  async close(): Promise<string[]> {
    const code = await this.#program.end('SIGTERM')
    const said = `${this.#said}${this.#program.stderr}`.split('\n')
    return [
      ...said.filter((line) => line.includes('"level":50')).map((line) => `The server logged: ${line}`),
      ...(code === 0 ? [] : [`The server ended with ${code}: ${this.#program.stderr}`]),
    ]
  }

  async [Symbol.asyncDispose]() {
    this.post.close()
    await this.#program.end('SIGKILL')
  }
}

const calls = {
  'cancel job': contract.jobs.cancel,
  'restart job': contract.jobs.restart,
  'pause job': contract.jobs.pause,
  'resume job': contract.jobs.resume,
  'delete job': contract.jobs.remove,
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo // it listens on TCP
  server.close()
  return port
}
