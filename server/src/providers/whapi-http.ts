import { Readable } from 'node:stream'
import type { Dispatcher, Pool } from 'undici'
// @ts-expect-error: undici has no types for single files. All of undici, with fetch and WebSocket, takes 5 MB more.
import untypedPool from 'undici/lib/dispatcher/pool.js'
import { meter } from '../platform/meter.ts'

const UndiciPool: typeof Pool = untypedPool

export interface Call {
  method: 'GET' | 'POST' | 'PATCH'
  /** The path below the base URL. It begins with a slash, and its segments are encoded. */
  path: string
  token: string
  query?: Record<string, string | number | boolean>
  /** A stream needs its `size` in bytes, and its owner destroys it after the call. */
  body?: { contentType: string } & ({ bytes: string } | { bytes: Readable; size: number })
  /** The limit from the call to the last byte of the answer. */
  timeoutMs: number
  /** Called in the tick that writes the request. If it returns false, nothing is written. */
  mayWrite?: () => boolean
}

export interface Answer {
  status: number
  /** The parsed body. Undefined if the body is not JSON. */
  json: unknown
  text: string
  headers: Record<string, string | string[] | undefined>
}

/**
 * An answer, or none. Then `written` says whether any byte of the request may have left this machine, and
 * `isBodyBroken` whether the stream of the body failed or had another size.
 */
export type Reply = { answer: Answer } | { answer: null; written: boolean; isBodyBroken?: boolean }

export interface Http {
  /** Never rejects, and resolves within `timeoutMs`. */
  call(call: Call): Promise<Reply>
  /** Closes all connections at once. Calls in flight resolve without an answer. */
  close(): Promise<void>
}

/** Three times the largest page of groups that we expect. */
const maxAnswerBytes = 64 * 1024 * 1024

/**
 * Opens an HTTP/1.1 client with one connection for each concurrent call: no call waits for another, and each request is
 * written in a tick of its own. An idle connection closes after 4 s, or a second before the server's limit (its
 * Keep-Alive header), so that we rarely write to a connection that the server is closing.
 */
export function openHttp(baseUrl: string, connectTimeoutMs: number): Http {
  const base = new URL(baseUrl)
  const prefix = base.pathname.replace(/\/+$/, '')
  const pool = new UndiciPool(base.origin, {
    connections: null,
    pipelining: 1,
    // With HTTP/2, calls would share a connection and wait in its queue.
    allowH2: false,
    connectTimeout: connectTimeoutMs,
    // Our own timer covers the whole call.
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
  if (body && 'size' in body) headers.push('content-length', `${body.size}`)
  return { method, path: prefix + path, ...(query ? { query } : {}), headers, body: body?.bytes ?? null }
}

/**
 * Makes one call. Uses undici's `dispatch`, not `request`, because only `dispatch` reports when a request is about to
 * be written. So we know whether anything was written, and need not guess from the code of an error.
 */
function exchange(
  pool: Pool,
  request: Dispatcher.DispatchOptions,
  { method, path, timeoutMs, mayWrite, token, body }: Call,
): Promise<Reply> {
  return new Promise((resolve) => {
    let written = false
    let over = false
    let isWithheld = false
    const beganAt = performance.now()
    let status = 0
    let headers: Answer['headers'] = {}
    const chunks: Buffer[] = []
    let abort: (() => void) | undefined
    const stream = body?.bytes instanceof Readable ? body.bytes : null

    function settle(reply: Reply) {
      over = true
      clearTimeout(timer)
      // Ids follow the first segment of a path.
      const call = `${method} /${path.split('/')[1]}`
      if (!isWithheld) meter.called(call, reply.answer?.status ?? null, performance.now() - beganAt)
      resolve(reply)
    }
    const timer = setTimeout(() => {
      settle({ answer: null, written })
      abort?.()
    }, timeoutMs)

    // Nobody may take the half of a file for the whole, so the connection breaks off, too.
    stream?.on('error', () => {
      if (over) return
      settle({ answer: null, written, isBodyBroken: true })
      abort?.()
    })

    pool.dispatch(request, {
      onRequestStart(controller) {
        abort = () => controller.abort(new Error('The call is over'))
        // undici calls this again to repeat a request after a lost connection, which could send a message twice.
        isWithheld = !over && !written && mayWrite?.() === false
        if (over || written || isWithheld) return abort()
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
      onResponseError(_controller, error) {
        const isBodyBroken = 'code' in error && error.code === 'UND_ERR_REQ_CONTENT_LENGTH_MISMATCH'
        settle({ answer: null, written, isBodyBroken })
      },
    })
  })
}

function readAnswer(status: number, headers: Answer['headers'], bytes: Buffer, token: string): Answer {
  const body = bytes.toString()
  // Errors are logged and shown, and some servers repeat the request in them.
  const text = status >= 400 ? body.replaceAll(token, '…') : body
  return { status, headers, text, json: parseJson(text) }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
