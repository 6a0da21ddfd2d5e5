import type { EndpointName, EndpointNamed } from '@sendroom/contract'
import type { Input, Output } from '@sendroom/contract/endpoint'
import { isIdle } from './activity.ts'
import { askForPassword } from './confirmation.ts'
import { takeEarly } from './early.ts'
import { Failure } from './failure.ts'
import { setConnection } from './network.ts'
import { expireSession, updateUser } from './session.ts'
import { currentToken, signedInId } from './stored-session.ts'

export type InputOf<N extends EndpointName> = Input<EndpointNamed<N>>
export type OutputOf<N extends EndpointName> = Output<EndpointNamed<N>>

/**
 * Calls an endpoint by its name, such as `POST /jobs/:id/restart`. Resolves to its answer, rejects with a
 * `Failure`. Imports only the contract's types, so that no schema is loaded.
 */
export async function call<N extends EndpointName>(
  name: N,
  input: InputOf<N>,
  signal?: AbortSignal,
  send?: Send,
): Promise<OutputOf<N>> {
  const response = await request(name, input, signal, send)
  const text = await response.text()
  // The cast is safe: an endpoint whose output is undefined answers with an empty body.
  return (text === '' ? undefined : JSON.parse(text)) as OutputOf<N>
}

/** Sends a request as `fetch` does. Rejects with a `TypeError` when no answer arrives. */
export type Send = (url: string, init: RequestInit) => Promise<Response>

/** Any endpoint's input. `InputOf` has already checked it against the contract. */
type AnyInput = { params?: Record<string, unknown>; query?: Record<string, unknown>; body?: unknown }

/**
 * Like `call`, but resolves to the raw response, for files and streams. If the server wants the password first, this
 * asks for it and calls again.
 */
export async function request<N extends EndpointName>(
  name: N,
  input: InputOf<N>,
  signal?: AbortSignal,
  send: Send = sendOrTakeEarly,
): Promise<Response> {
  const { body } = input as AnyInput
  const [method = 'GET'] = name.split(' ')
  const token = currentToken()
  const askedBy = signedInId()
  const response = await fromServer(
    send(urlOf(name, input), {
      method,
      headers: headersFor(method, body, token),
      ...bodyOf(body),
      ...(signal && { signal }),
    }),
  )
  const now = signedInId()
  // Somebody else has signed in meanwhile, whom neither a success nor a failure concerns.
  if (askedBy && now && now !== askedBy) throw new DOMException('', 'AbortError')
  if (response.ok) {
    setConnection('good')
    return response
  }
  if (response.status === 401 && !name.startsWith('POST /auth/login')) expireSession(token)
  const failure = new Failure(response.status, await response.json().catch(() => ({})))
  setConnection(failure.code === 'database_unavailable' ? 'unavailable' : 'good')
  // A factor is required from a moment ago on. The page then shows the set-up.
  if (failure.code === 'factor_setup_required') readUserAgain()
  if (failure.code === 'confirm_password' && (await askForPassword()))
    return request(name, input, signal, send)
  throw failure
}

/** The address of a call, query included. */
export function urlOf<N extends EndpointName>(name: N, input: InputOf<N>) {
  const { params = {}, query = {} } = input as AnyInput
  const [, path = ''] = name.split(' ')
  const filled = path.replace(/:(\w+)/g, (_, key: string) => encodeURIComponent(String(params[key])))
  return `/api${filled}${queryText(query)}`
}

/** Reads who the user is: their name, rights and second factor. Leaves nobody if the session has ended. */
export async function readUser(): Promise<void> {
  const token = currentToken()
  try {
    const user = await call('GET /auth/me', {})
    if (token === currentToken()) return updateUser(user)
  } catch (error) {
    if (token === currentToken()) throw error
  }
  // Another tab has signed in, or has a new token, and the answer was about the former one.
  if (currentToken() !== null) return readUser()
}

/** Reads what may have changed of the user. After a failure the user stays as known. */
export const readUserAgain = () => readUser().catch(() => {})

const sendOrTakeEarly: Send = (url, init) => (init.method === 'GET' && takeEarly(url)) || fetch(url, init)

async function fromServer(answer: Promise<Response>) {
  try {
    const response = await answer
    if (!isProxyError(response)) return response
  } catch (error) {
    // The message of this error is in the browser's own words.
    if (!(error instanceof TypeError)) throw error
  }
  setConnection('unreachable')
  throw new Failure(0)
}

/** Whether a proxy answered because Sendroom is down, as during a restart. Sendroom's own errors are JSON. */
const isProxyError = ({ status, headers }: Response) =>
  [502, 503, 504].includes(status) && !headers.get('content-type')?.includes('json')

function headersFor(method: string, body: unknown, token: string | null) {
  const headers = new Headers()
  if (token !== null) headers.set('Authorization', `Bearer ${token}`)
  if (isIdle()) headers.set('X-Idle', '1')
  // For a form the browser sets the content type itself, with the boundary.
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
  const entries = Object.entries(query).filter(([, value]) => value !== undefined)
  const text = new URLSearchParams(entries.map(([key, value]) => [key, String(value)])).toString()
  return text === '' ? '' : `?${text}`
}

function cookie(name: string) {
  const found = document.cookie.split('; ').find((pair) => pair.startsWith(`${name}=`))
  return found && decodeURIComponent(found.slice(name.length + 1))
}
