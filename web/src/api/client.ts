import type { EndpointName, EndpointNamed } from '@sendroom/contract'
import type { Input, Output } from '@sendroom/contract/endpoint'
import { Failure } from './failure.ts'
import { setReached } from './network.ts'
import { expireSession } from './session.ts'
import { currentToken } from './stored-session.ts'

export type InputOf<N extends EndpointName> = Input<EndpointNamed<N>>
export type OutputOf<N extends EndpointName> = Output<EndpointNamed<N>>

/**
 * Calls an endpoint by its name, such as `POST /jobs/:id/restart`. Resolves to its answer, rejects with a
 * `Failure`. Only the contract's types are used, so no schema is loaded.
 */
export async function call<N extends EndpointName>(
  name: N,
  input: InputOf<N>,
  signal?: AbortSignal,
): Promise<OutputOf<N>> {
  const response = await request(name, input, signal)
  const text = await response.text()
  // An endpoint without an answer of its own sends an empty body, and its output is undefined.
  return (text === '' ? undefined : JSON.parse(text)) as OutputOf<N>
}

/** What an input may hold at all; which of it an endpoint takes, `InputOf` has checked. */
type AnyInput = { params?: Record<string, unknown>; query?: Record<string, unknown>; body?: unknown }

/** The same, for answers that are not JSON. */
export async function request<N extends EndpointName>(name: N, input: InputOf<N>, signal?: AbortSignal) {
  const { params = {}, query = {}, body } = input as AnyInput
  const [method = 'GET', path = ''] = name.split(' ')
  const filled = path.replace(/:(\w+)/g, (_, key: string) => encodeURIComponent(String(params[key])))
  const token = currentToken()
  const response = await reach(`/api${filled}${queryText(query)}`, {
    method,
    headers: headersFor(method, body, token),
    ...bodyOf(body),
    ...(signal && { signal }),
  })
  if (response.ok) return response
  if (response.status === 401 && name !== 'POST /auth/login') expireSession(token)
  throw new Failure(response.status, await response.json().catch(() => ({})))
}

async function reach(url: string, init: RequestInit) {
  try {
    const response = await fetch(url, init)
    setReached(!isProxyAlone(response))
    if (isProxyAlone(response)) throw new Failure(0)
    return response
  } catch (error) {
    // fetch throws a TypeError, with words of the browser's own, when there is no answer at all.
    if (!(error instanceof TypeError)) throw error
    setReached(false)
    throw new Failure(0)
  }
}

/** A proxy's own words for a server that is away, as while it restarts: what we answer ourselves is JSON. */
const isProxyAlone = ({ status, headers }: Response) =>
  [502, 503, 504].includes(status) && !headers.get('content-type')?.includes('json')

function headersFor(method: string, body: unknown, token: string | null) {
  const headers = new Headers()
  if (token !== null) headers.set('Authorization', `Bearer ${token}`)
  // The browser itself writes the type of a form, with its boundary.
  if (body !== undefined && !(body instanceof FormData)) headers.set('Content-Type', 'application/json')
  const forgeryToken = method !== 'GET' && cookie('XSRF-TOKEN')
  if (forgeryToken) headers.set('X-XSRF-TOKEN', forgeryToken)
  return headers
}

function bodyOf(body: unknown): RequestInit {
  if (body === undefined) return {}
  return { body: body instanceof FormData ? body : JSON.stringify(body) }
}

function queryText(query: Record<string, unknown>) {
  const given = Object.entries(query).filter(([, value]) => value !== undefined)
  const text = new URLSearchParams(given.map(([key, value]) => [key, String(value)])).toString()
  return text === '' ? '' : `?${text}`
}

function cookie(name: string) {
  const found = document.cookie.split('; ').find((pair) => pair.startsWith(`${name}=`))
  return found && decodeURIComponent(found.slice(name.length + 1))
}
