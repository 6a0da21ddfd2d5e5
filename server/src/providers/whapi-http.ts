import type { Dispatcher, Pool } from 'undici'
// @ts-expect-error: it has types as a whole only; but loaded as a whole, with fetch and WebSocket, it takes 5 MB more.
import untypedPool from 'undici/lib/dispatcher/pool.js'

const UndiciPool: typeof Pool = untypedPool

export interface Call {
  method: 'GET' | 'POST' | 'PATCH'
  /** Under the base URL, beginning with a slash; its parts are encoded. */
  path: string
  token: string
  query?: Record<string, string | number | boolean>
  body?: { contentType: string; bytes: string | Uint8Array }
  /** From the call to the last byte of the answer. */
  timeoutMs: number
  /** Asked in the tick that writes the request; false: nothing is written. */
  mayWrite?: () => boolean
}

export interface Answer {
  status: number
  /** The parsed body; undefined where it is no JSON. */
  json: unknown
  text: string
  headers: Record<string, string | string[] | undefined>
}

/** An answer, or none; `written` says whether any byte of the request may have left this machine. */
export type Reply = { answer: Answer } | { answer: null; written: boolean }

export interface Http {
  /** Never rejects, and settles within `timeoutMs`. */
  call(call: Call): Promise<Reply>
  /** Ends at once; what is under way settles as lost. */
  close(): Promise<void>
}

/** The largest page of groups we have reason to expect is a third of this. */
const maxAnswerBytes = 64 * 1024 * 1024

/**
 * HTTP/1.1 with as many kept-alive connections as there are calls at once: no call waits behind another,
 * and each write has a tick of its own. An idle connection is closed after 4 s, or a second before the server
 * would (its Keep-Alive header), so that we hardly ever write into one that is just being closed.
 */
export function openHttp(baseUrl: string, connectTimeoutMs: number): Http {
  const base = new URL(baseUrl)
  const prefix = base.pathname.replace(/\/+$/, '')
  const pool = new UndiciPool(base.origin, {
    connections: null,
    pipelining: 1,
    // Over HTTP/2 calls would share a connection, and wait in its queue.
    allowH2: false,
    connectTimeout: connectTimeoutMs,
    // One timer of our own covers all of a call.
    headersTimeout: 0,
    bodyTimeout: 0,
    keepAliveTimeout: 4_000,
    keepAliveMaxTimeout: 60_000,
    maxResponseSize: maxAnswerBytes,
  })
  return {
    call: (call) => exchange(pool, requestOf(prefix, call), call),
    close: () => pool.destroy(),
  }
}

function requestOf(prefix: string, { method, path, query, token, body }: Call): Dispatcher.DispatchOptions {
  const headers = ['authorization', `Bearer ${token}`, 'accept', 'application/json']
  if (body) headers.push('content-type', body.contentType)
  return { method, path: prefix + path, ...(query ? { query } : {}), headers, body: body?.bytes ?? null }
}

/**
 * `dispatch` and not `request`, for it tells when a request is about to be written: only so is "surely
 * nothing went out" a fact, and not a guess from the code of an error.
 */
function exchange(
  pool: Pool,
  request: Dispatcher.DispatchOptions,
  { timeoutMs, mayWrite, token }: Call,
): Promise<Reply> {
  return new Promise((resolve) => {
    let written = false
    let over = false
    let status = 0
    let headers: Answer['headers'] = {}
    const chunks: Buffer[] = []
    let abort: (() => void) | undefined

    function settle(reply: Reply) {
      over = true
      clearTimeout(timer)
      resolve(reply)
    }
    const timer = setTimeout(() => {
      settle({ answer: null, written })
      abort?.()
    }, timeoutMs)

    pool.dispatch(request, {
      onRequestStart(controller) {
        abort = () => controller.abort(new Error('The call is over'))
        // Called again, undici would repeat a request whose connection was lost: a message might go out twice.
        if (over || written || mayWrite?.() === false) return abort()
        written = true
      },
      onResponseStart(_controller, statusCode, responseHeaders) {
        status = statusCode
        headers = responseHeaders
      },
      onResponseData(_controller, chunk) {
        chunks.push(chunk)
      },
      onResponseEnd() {
        settle({ answer: readAnswer(status, headers, Buffer.concat(chunks), token) })
      },
      onResponseError() {
        settle({ answer: null, written })
      },
    })
  })
}

function readAnswer(status: number, headers: Answer['headers'], bytes: Buffer, token: string): Answer {
  const body = bytes.toString()
  // Errors end up in logs and on screens, and some servers repeat the request in them.
  const text = status >= 400 ? body.replaceAll(token, '…') : body
  return { status, headers, text, json: parsed(text) }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
