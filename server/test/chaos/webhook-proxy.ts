import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'
import type { WireStatus } from '@sendroom/simulator'
import { createRandom } from './random.ts'

/** A webhook call of the provider. */
export type WebhookCall = {
  instanceId: number
  statuses: WireStatus[]
  /** The ids of messages that people have written. */
  messageIds: string[]
  /** The server has confirmed the call. Otherwise it may or may not have stored the statuses. */
  isAccepted: boolean
}

type WebhookBody = { statuses?: WireStatus[]; messages?: { id: string }[] }

/** The provider repeats a failed call within this time. */
const RETRY_WITHIN_MS = 5_000

/** Forwards the provider's calls to the server. Some are delayed, and sometimes the server's answer is lost. */
export class WebhookProxy {
  readonly calls: WebhookCall[] = []
  url = ''
  /** Set as soon as the server has a port. A port that is chosen before the proxy listens could become the proxy's. */
  serverUrl = ''
  /** The bodies of failed calls, which the provider will repeat. */
  readonly #failed = new Set<string>()
  #lastCallAt = 0
  readonly #random
  readonly #server = createServer(async (request, response) => {
    const body = await text(request)
    this.#lastCallAt = performance.now()
    const isAccepted = await this.#forward(request.url ?? '', request.headers['x-sendroom-secret'], body)
    response.statusCode = isAccepted && !this.#random.chance(0.1) ? 200 : 502
    if (response.statusCode === 200) this.#failed.delete(body)
    else this.#failed.add(body)
    response.end()
  })

  private constructor(seed: number) {
    this.#random = createRandom(seed)
  }

  static async open(seed: number): Promise<WebhookProxy> {
    const proxy = new WebhookProxy(seed)
    await new Promise<void>((resolve) => proxy.#server.listen(0, '127.0.0.1', resolve))
    proxy.url = `http://127.0.0.1:${(proxy.#server.address() as AddressInfo).port}` // a TCP server has a port
    return proxy
  }

  /** Whether the provider is about to repeat a call. A provider that was killed meanwhile never does. */
  get expectsRetry() {
    return this.#failed.size > 0 && performance.now() - this.#lastCallAt < RETRY_WITHIN_MS
  }

  async #forward(path: string, secret: string | string[] | undefined, body: string): Promise<boolean> {
    const { statuses = [], messages = [] }: WebhookBody = JSON.parse(body)
    const call = {
      instanceId: Number(/(\d+)\.[^/]*$/.exec(path)?.[1]),
      statuses,
      messageIds: messages.map(({ id }) => id),
      isAccepted: false,
    }
    this.calls.push(call)
    if (this.#random.chance(0.2)) await delay(this.#random.int(0, 500))
    const headers = { 'content-type': 'application/json', 'x-sendroom-secret': String(secret) }
    const answer = await fetch(this.serverUrl + path, { method: 'POST', headers, body }).catch(() => null)
    call.isAccepted = answer?.status === 200
    return call.isAccepted
  }

  close() {
    this.#server.closeAllConnections()
    this.#server.close()
  }
}
