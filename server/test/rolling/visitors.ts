import { setTimeout as delay } from 'node:timers/promises'
import { contract } from '@sendroom/contract'
import type { Endpoint, Input, Output } from '@sendroom/contract/endpoint'
import { Followed } from '../followed.ts'
import type { HttpClient } from '../http-client.ts'
import { until } from '../until.ts'

/** A user may make 1,200 requests a minute at each server. */
const PAUSE_MS = 100

/**
 * Users with open pages: they read, write, export and follow the changes until `leave`. Failed requests are recorded.
 */
export class Visitors {
  readonly failures: string[] = []
  requests = 0
  /** How many event streams were opened. A server that stops ends its streams, and pages open new ones. */
  streams = 0
  readonly #client: HttpClient
  readonly #leaving = new AbortController()
  readonly #visits: Promise<void>[]

  constructor(client: HttpClient) {
    this.#client = client
    const loops = [() => this.#read(), () => this.#write(), () => this.#follow(), () => this.#follow()]
    this.#visits = loops.map((loop) => this.#repeat(loop))
  }

  async leave(): Promise<void> {
    this.#leaving.abort()
    await Promise.all(this.#visits)
  }

  async #repeat(loop: () => Promise<unknown>) {
    while (!this.#leaving.signal.aborted) {
      await loop().catch((error) => {
        if (!this.#leaving.signal.aborted) this.failures.push(`${error}`)
      })
    }
  }

  /** Names the endpoint in the failure: an error of `fetch` does not. */
  async #ask<E extends Endpoint>(endpoint: E, input: Input<E>): Promise<Output<E>> {
    this.requests++
    const answer = await this.#client.ask(endpoint, input).catch((error) => {
      throw new Error(`${endpoint.method} ${endpoint.path}: ${error} ${error.cause ?? ''}`)
    })
    await delay(PAUSE_MS)
    return answer
  }

  async #read() {
    const { jobs, instances, dashboard, audit } = contract
    const { data } = await this.#ask(jobs.list, { query: {} })
    for (const { id } of data.slice(0, 3)) await this.#ask(jobs.get, { params: { id } })
    await this.#ask(instances.list, { query: {} })
    await this.#ask(dashboard.stats, { query: {} })
    await this.#ask(audit.list, { query: {} })
  }

  async #write() {
    const { messages, groups } = contract
    const { id } = await this.#ask(messages.create, { body: { textContent: 'Draft' } })
    await this.#ask(messages.update, { params: { id }, body: { textContent: 'Final' } })
    await this.#ask(messages.remove, { params: { id } })
    const { data } = await this.#ask(groups.search, { body: { pageSize: 5 } })
    const [group] = data
    if (group) await this.#ask(groups.exportParticipants, { params: { id: group.id } })
  }

  async #follow() {
    const { url, token } = this.#client
    this.streams++
    const { status, body } = await fetch(`${url}/api/events`, {
      headers: { authorization: `Bearer ${token}` },
      signal: this.#leaving.signal,
    })
    if (status !== 200 || !body) throw new Error(`GET /api/events: ${status}`)
    const followed = new Followed(body)
    await until('the stream ends', () => followed.hasEnded || this.#leaving.signal.aborted, 600_000)
  }
}
