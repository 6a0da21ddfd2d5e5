import { freePort } from '../free-port.ts'
import type { Program } from '../process.ts'
import { until } from '../until.ts'
import { ApiClient } from './api-client.ts'
import { WebhookProxy } from './webhook-proxy.ts'

type Options = {
  /** Starts the server on this port. The provider calls the server's webhooks at `publicUrl`. */
  launch: (port: number, publicUrl: string) => Program
  /** The user's session. */
  token: string
  seed: number
  includeUnknown: boolean
}

const MAX_RESTARTS = 50

/** The shipped server, with a proxy in front of its webhooks and a client for its API. A killed server is restarted. */
export class ServerProcess {
  readonly webhookProxy: WebhookProxy
  readonly api: ApiClient
  readonly #launch: () => Program
  #program: Program
  /** How often a start has failed in this run. */
  #restarts = 0
  /** The stderr of the earlier processes. */
  #earlierStderr = ''

  private constructor({ launch, token, includeUnknown }: Options, webhookProxy: WebhookProxy, port: number) {
    this.webhookProxy = webhookProxy
    this.api = new ApiClient(`http://127.0.0.1:${port}`, token, includeUnknown)
    this.#launch = () => launch(port, webhookProxy.url)
    this.#program = this.#launch()
  }

  static async open(options: Options): Promise<ServerProcess> {
    const webhookProxy = await WebhookProxy.open(options.seed)
    const port = await freePort()
    webhookProxy.serverUrl = `http://127.0.0.1:${port}`
    const server = new ServerProcess(options, webhookProxy, port)
    await server.#untilReady()
    return server
  }

  /**
   * A server that finds no database at its start ends itself. Restarts it then, as a supervisor would, until the
   * database must have been back for long.
   */
  async #untilReady(): Promise<void> {
    const isReady = () => /Sendroom is running/.test(this.#program.stdout)
    await until('the server runs', () => !this.#program.isRunning || isReady(), 120_000)
    if (this.#program.isRunning) return
    if (++this.#restarts > MAX_RESTARTS) throw new Error(`The server does not start: ${this.#program.stderr}`)
    await this.#restart()
  }

  #restart() {
    this.#earlierStderr += this.#program.stderr
    this.#program = this.#launch()
    return this.#untilReady()
  }

  async kill(): Promise<void> {
    await this.#program.end('SIGKILL')
    await this.#restart()
  }

  /** Shuts the server down. Returns the errors it logged, and a failed shutdown, as violations. */
  async close(): Promise<string[]> {
    const code = await this.#program.end('SIGTERM')
    const lines = `${this.#earlierStderr}${this.#program.stderr}`.split('\n')
    return [
      ...lines.filter((line) => line.includes('"level":50')).map((line) => `The server logged: ${line}`),
      ...(code === 0 ? [] : [`The server ended with ${code}: ${this.#program.stderr}`]),
    ]
  }

  async [Symbol.asyncDispose]() {
    this.webhookProxy.close()
    await this.#program.end('SIGKILL')
  }
}
