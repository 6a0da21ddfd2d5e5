import type { EndpointName, EndpointNamed } from '@sendroom/contract'
import type { Input, Output } from '@sendroom/contract/endpoint'
import type { SignedIn } from '@sendroom/contract/session'

type AnyInput = { params?: Record<string, unknown>; query?: Record<string, unknown>; body?: unknown }

/** An API client signed in as one user. Scenarios use it to prepare data and to check results behind the screen. */
export class Api {
  readonly url: string
  session: SignedIn
  readonly #password: string

  private constructor(url: string, session: SignedIn, password: string) {
    this.url = url
    this.session = session
    this.#password = password
  }

  static async signIn(url: string, username: string, password: string): Promise<Api> {
    return new Api(url, await openSession(url, username, password), password)
  }

  /** Another session of the user. A page has one of its own, because its token changes when the password is entered. */
  anotherSession(): Promise<SignedIn> {
    return openSession(this.url, this.session.user.username, this.#password)
  }

  /** Enters the password once more, because the scenarios of a worker share a session for longer than ten minutes. */
  async confirm(): Promise<void> {
    const { token } = await this.call('POST /auth/confirm', { body: { password: this.#password } })
    if (token !== null) this.session = { ...this.session, token }
  }

  /** Calls an endpoint by its name, such as `POST /jobs/:id/restart`. Rejects if the server refuses the call. */
  async call<N extends EndpointName>(
    name: N,
    input: Input<EndpointNamed<N>>,
  ): Promise<Output<EndpointNamed<N>>> {
    const { params = {}, query = {}, body } = input as AnyInput // the parameter's type has checked it already
    const [method = '', path = ''] = name.split(' ')
    const filled = path.replace(/:(\w+)/g, (_, key: string) => String(params[key]))
    const search = new URLSearchParams()
    for (const [field, value] of Object.entries(query)) search.set(field, String(value))
    const headers = new Headers({ authorization: `Bearer ${this.session.token}` })
    const isForm = body instanceof FormData
    if (body !== undefined && !isForm) headers.set('content-type', 'application/json')
    const init = { method, headers, body: isForm ? body : JSON.stringify(body) }
    return read(await fetch(`${this.url}/api${filled}?${search}`, init))
  }
}

/** The local storage of a browser with this session, whose app is in this language. */
export function storageOf({ token, user: { id, role } }: SignedIn, lang: string): Record<string, string> {
  return { token, user: JSON.stringify({ id, role }), lang }
}

function openSession(url: string, username: string, password: string): Promise<SignedIn> {
  const init = { method: 'POST', headers: { 'content-type': 'application/json' } }
  return fetch(`${url}/api/auth/login`, { ...init, body: JSON.stringify({ username, password }) }).then(
    read<SignedIn>,
  )
}

async function read<T>(response: Response): Promise<T> {
  const text = await response.text()
  if (!response.ok) throw new Error(`${response.url} answered ${response.status}: ${text}`)
  return (text === '' ? undefined : JSON.parse(text)) as T // the server's tests ensure that answers follow the contract
}
