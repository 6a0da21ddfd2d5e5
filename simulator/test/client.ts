import { readFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll } from 'vitest'
import { type Simulator, type SimulatorOptions, startSimulator } from '../src/index.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests read answers of any shape
export type Body = any

export interface Answer {
  status: number
  headers: Headers
  body: Body
}

/**
 * Calls the API, e.g. `call(url, token, 'POST /messages/text', { to, body })`. An object is sent as JSON, a form as
 * multipart and a buffer as raw bytes. Without `token` the request has no Authorization header.
 */
export async function call(base: string, token: string, route: string, body?: unknown): Promise<Answer> {
  const [method, path] = route.split(' ')
  const response = await fetch(base + path, {
    method,
    ...content(token, body),
    signal: AbortSignal.timeout(30_000),
  })
  const text = await response.text()
  const isJson = response.headers.get('content-type')?.includes('json')
  return {
    status: response.status,
    headers: response.headers,
    body: isJson && text ? JSON.parse(text) : text,
  }
}

function content(token: string, body: unknown): RequestInit {
  const headers: Record<string, string> = token ? { authorization: `Bearer ${token}` } : {}
  if (body === undefined || body instanceof FormData) return { headers, body }
  if (Buffer.isBuffer(body))
    return { headers: { ...headers, 'content-type': 'image/png' }, body: new Uint8Array(body) }
  return { headers: { ...headers, 'content-type': 'application/json' }, body: JSON.stringify(body) }
}

/** Starts one simulator for all tests of a file. Every test takes a new token, so tests do not affect each other. */
export function useSimulator(options: SimulatorOptions = {}) {
  let simulator: Simulator
  let last = 0
  beforeAll(async () => {
    simulator = await startSimulator(options)
  })
  afterAll(() => simulator.close())
  return {
    get url() {
      return simulator.url
    },
    get ledger() {
      return simulator.ledger
    },
    get faults() {
      return simulator.faults
    },
    /** Returns a new token whose channel is linked. */
    linked: () => `test_linked_odd_${++last}`,
    /** Returns a new token whose channel sleeps without a number. */
    unlinked: () => `test_${++last}`,
    call: (token: string, route: string, body?: unknown) => call(simulator.url, token, route, body),
    /** Calls the control API; `GET /ledger` means `GET /_control/ledger`. */
    control: (route: string, body?: unknown) =>
      call(simulator.url, '', route.replace(' /', ' /_control/'), body),
  }
}

/** A PNG of one white pixel. */
export const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8/5+hHgAHggJ/PchI7wAAAABJRU5ErkJggg==',
  'base64',
)

/** Reads one of `test/files`, which ffmpeg made: 0.1 or 0.2 s long, white or silent. */
export const testFile = (name: string) => readFileSync(path.join(import.meta.dirname, 'files', name))
