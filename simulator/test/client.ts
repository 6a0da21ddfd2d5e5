import { afterAll, beforeAll } from 'vitest'
import { type Simulator, type SimulatorOptions, startSimulator } from '../src/index.ts'

// biome-ignore lint/suspicious/noExplicitAny: what an answer holds is what the tests are there to find out
export type Body = any

export interface Answer {
  status: number
  headers: Headers
  body: Body
}

/** Asks as a channel's client does. An object goes as JSON, a form as multipart, bytes as they are. */
export async function call(base: string, token: string, what: string, body?: unknown): Promise<Answer> {
  const [method, path] = what.split(' ')
  const response = await fetch(base + path, {
    method,
    ...content(token, body),
    signal: AbortSignal.timeout(5000),
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

/** One simulator for the tests of a file; each test takes a token of its own. */
export function useSimulator(options: SimulatorOptions = {}) {
  let simulator: Simulator
  let last = 0
  beforeAll(async () => {
    simulator = await startSimulator(options)
  })
  afterAll(() => simulator.close())
  return {
    get it() {
      return simulator
    },
    linked: () => `test_linked_${++last}`,
    fresh: () => `test_${++last}`,
    call: (token: string, what: string, body?: unknown) => call(simulator.url, token, what, body),
    control: (what: string, body?: unknown) =>
      call(simulator.url, '', what.replace(' /', ' /_control/'), body),
  }
}

/** One white pixel. */
export const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8/5+hHgAHggJ/PchI7wAAAABJRU5ErkJggg==',
  'base64',
)
