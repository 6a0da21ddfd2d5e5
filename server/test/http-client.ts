import type { Endpoint, Input, Output } from '@sendroom/contract/endpoint'
import type { Problem } from '@sendroom/contract/problem'

/** The endpoint's output if the status is a success, otherwise the problem. */
type Body<E extends Endpoint> = E extends { response: object } ? Output<E> & Problem : Problem

/** Calls the API over HTTP, typed by the contract, with the session of `token`. */
export class HttpClient {
  url: string
  readonly token: string | undefined
  readonly #timeoutMs: number

  constructor(url: string, token?: string, timeoutMs = 20_000) {
    this.url = url
    this.token = token
    this.#timeoutMs = timeoutMs
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
      signal: AbortSignal.timeout(this.#timeoutMs),
    })
    const text = await answer.text()
    const isJson = answer.headers.get('content-type')?.includes('json')
    return {
      status: answer.status,
      headers: answer.headers,
      body: (isJson ? JSON.parse(text) : undefined) as Body<E>, // the contract's type; the tests check the values
    }
  }

  /** Returns the body of a success and throws on every other answer. */
  async ask<E extends Endpoint>(endpoint: E, input: Input<E>): Promise<Output<E>> {
    const { status, body } = await this.call(endpoint, input)
    if (status >= 400)
      throw new Error(`${endpoint.method} ${endpoint.path}: ${status} ${JSON.stringify(body)}`)
    return body as Output<E> // a success is no problem
  }
}

/** The path and query of an endpoint with all parameters filled in. */
export function addressOf(endpoint: Endpoint, params: object = {}, query: object = {}): string {
  const path = Object.entries(params).reduce<string>(
    (path, [name, value]) => path.replace(`:${name}`, encodeURIComponent(String(value))),
    endpoint.path,
  )
  const search = new URLSearchParams(
    Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]),
  )
  return `/api${path}${search.size ? `?${search}` : ''}`
}
