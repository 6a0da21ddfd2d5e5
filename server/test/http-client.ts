import type { Endpoint, Input, Output } from '@sendroom/contract/endpoint'
import type { Problem } from '@sendroom/contract/problem'
import { addressOf } from './address.ts'

/** The answer where the status says so, else the problem. */
type Body<E extends Endpoint> = E extends { response: object } ? Output<E> & Problem : Problem

/** Calls the API over HTTP, typed by the contract, as whoever `token` belongs to. */
export class HttpClient {
  url: string
  readonly token: string | undefined

  constructor(url: string, token?: string) {
    this.url = url
    this.token = token
  }

  async call<E extends Endpoint>(endpoint: E, input: Input<E>) {
    const { params, query, body } = input as { params?: object; query?: object; body?: unknown }
    const headers: Record<string, string> = this.token ? { authorization: `Bearer ${this.token}` } : {}
    const isForm = body instanceof FormData
    if (body !== undefined && !isForm) headers['content-type'] = 'application/json'
    const answer = await fetch(this.url + addressOf(endpoint, params, query), {
      method: endpoint.method,
      headers,
      ...(body !== undefined && { body: isForm ? body : JSON.stringify(body) }),
      signal: AbortSignal.timeout(20_000),
    })
    const text = await answer.text()
    const isJson = answer.headers.get('content-type')?.includes('json')
    return {
      status: answer.status,
      headers: answer.headers,
      body: (isJson ? JSON.parse(text) : undefined) as Body<E>, // as the contract says, or a test finds out
    }
  }

  /** The body of a good answer; throws on any other. */
  async ask<E extends Endpoint>(endpoint: E, input: Input<E>): Promise<Output<E>> {
    const { status, body } = await this.call(endpoint, input)
    if (status >= 400)
      throw new Error(`${endpoint.method} ${endpoint.path}: ${status} ${JSON.stringify(body)}`)
    return body as Output<E> // a good answer is no problem
  }
}
