import { once } from 'node:events'
import {
  Agent,
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request as requestFrom,
  type Server,
  type ServerResponse,
} from 'node:http'
import type { AddressInfo } from 'node:net'
import { until } from '../until.ts'

type Backend = { url: string; isReady: boolean }

const CHECK_EVERY_MS = 100

/**
 * Passes requests to servers in turn, as nginx and HAProxy do: over connections that it keeps, and only to servers
 * whose last answer to /api/ready was 200. Nothing is tried twice, so each flaw of a stop reaches the client.
 */
export class LoadBalancer {
  readonly url: string
  readonly #server: Server
  readonly #backends: Backend[] = []
  readonly #agent = new Agent({ keepAlive: true })
  readonly #timer = setInterval(() => void this.#check(), CHECK_EVERY_MS)
  #next = 0

  private constructor(server: Server) {
    this.#server = server
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}` // a TCP server has a port
    server.on('request', (request, response) => this.#pass(request, response))
  }

  static async open(): Promise<LoadBalancer> {
    const server = createServer()
    await once(server.listen(0, '127.0.0.1'), 'listening')
    return new LoadBalancer(server)
  }

  /** Puts a server into the slot, in place of the one that was there, and waits until it is ready. */
  async use(slot: number, url: string): Promise<void> {
    const backend = { url, isReady: false }
    this.#backends[slot] = backend
    await until(`server ${slot} is ready`, () => backend.isReady)
  }

  async #check() {
    await Promise.all(
      this.#backends.map(async (backend) => {
        const answer = await fetch(`${backend.url}/api/ready`).catch(() => null)
        backend.isReady = answer?.status === 200
      }),
    )
  }

  #pass(request: IncomingMessage, response: ServerResponse) {
    const ready = this.#backends.filter(({ isReady }) => isReady)
    const backend = ready[this.#next++ % ready.length]
    if (!backend) return response.writeHead(503).end('no server is ready')
    const { method } = request
    const headers = withoutConnection(request.headers)
    const passed = requestFrom(backend.url + request.url, { method, headers, agent: this.#agent })
    passed.once('response', (answer) => {
      response.writeHead(answer.statusCode ?? 502, withoutConnection(answer.headers))
      answer.pipe(response)
      answer.once('error', () => response.destroy())
    })
    passed.once('error', ({ message }) => {
      if (response.headersSent) response.destroy()
      else response.writeHead(502).end(message)
    })
    response.once('close', () => response.writableFinished || passed.destroy())
    request.pipe(passed)
  }

  [Symbol.dispose]() {
    clearInterval(this.#timer)
    this.#server.close()
    this.#server.closeAllConnections()
    this.#agent.destroy()
  }
}

/** These headers are about one connection, and a balancer has others on its two sides. */
const withoutConnection = ({ connection: _, 'keep-alive': __, ...headers }: IncomingHttpHeaders) => headers
