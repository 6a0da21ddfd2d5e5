import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'
import type { WireStatus } from '../../../simulator/src/acks.ts'
import { randomOf } from './random.ts'

/** What the provider told in one call. */
export type Letter = {
  instanceId: number
  statuses: WireStatus[]
  /** The server has said that it has it. Else nobody knows. */
  isTaken: boolean
}

const AGAIN_WITHIN_MS = 5_000

/** Carries the provider's calls to the server, some of them late; now and then it loses the answer. */
export class PostOffice {
  readonly letters: Letter[] = []
  url = ''
  readonly #serverUrl: string
  /** Calls that will come again. */
  readonly #refused = new Set<string>()
  readonly #random
  readonly #server = createServer(async (request, response) => {
    const body = await text(request)
    this.#calledAt = performance.now()
    const isTaken = await this.#carry(request.url ?? '', request.headers['x-sendroom-secret'], body)
    response.statusCode = isTaken && !this.#random.chance(0.1) ? 200 : 502
    if (response.statusCode === 200) this.#refused.delete(body)
    else this.#refused.add(body)
    response.end()
  })

  private constructor(seed: number, serverUrl: string) {
    this.#random = randomOf(seed)
    this.#serverUrl = serverUrl
  }

  static async open(seed: number, serverUrl: string): Promise<PostOffice> {
    const office = new PostOffice(seed, serverUrl)
    await new Promise<void>((resolve) => office.#server.listen(0, '127.0.0.1', resolve))
    office.url = `http://127.0.0.1:${(office.#server.address() as AddressInfo).port}` // it listens on TCP
    return office
  }

  /** Whether something comes again: soon, or never where the provider was killed meanwhile. */
  get hasMore() {
    return this.#refused.size > 0 && performance.now() - this.#calledAt < AGAIN_WITHIN_MS
  }
  #calledAt = 0

  async #carry(path: string, secret: string | string[] | undefined, body: string): Promise<boolean> {
    const letter = {
      instanceId: Number(/(\d+)\.[^/]*$/.exec(path)?.[1]),
      statuses: JSON.parse(body).statuses ?? [],
      isTaken: false,
    }
    this.letters.push(letter)
    if (this.#random.chance(0.2)) await delay(this.#random.int(0, 500))
    const headers = { 'content-type': 'application/json', 'x-sendroom-secret': String(secret) }
    const answer = await fetch(this.#serverUrl + path, { method: 'POST', headers, body }).catch(() => null)
    letter.isTaken = answer?.status === 200
    return letter.isTaken
  }

  close() {
    this.#server.closeAllConnections()
    this.#server.close()
  }
}
