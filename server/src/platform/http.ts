import type { Endpoint, Output, Parsed } from '@sendroom/contract/endpoint'
import { errorWords, fill } from '@sendroom/contract/errors'
import { type FieldKey, fieldWords } from '@sendroom/contract/field-words'
import { limits } from '@sendroom/contract/limits'
import type { Problem } from '@sendroom/contract/problem'
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { z } from 'zod'
import {
  type Begin,
  type Caller,
  lockCaller,
  type Recheck,
  type Rule,
  recheckCaller,
  requireAccess,
} from './access.ts'
import { countedAs, turnOf } from './api-keys.ts'
import type { Pool } from './database/connection.ts'
import { isDatabaseDown, isKeptFromLock, isTimedOut, isUnstorable, quotaOf } from './database/errors.ts'
import { describeEndpoint } from './describe-endpoint.ts'
import type { Download } from './export/exports.ts'
import { contentDisposition } from './export/file-name.ts'
import { readForm, type UploadedFile } from './images/multipart.ts'
import { isLarge, type LargeBodies, type UploadLimit } from './large-bodies.ts'
import { InvalidInput, Refusal, STATUS } from './refusal.ts'
import type { Refusals } from './refusals.ts'
import type { InTurn } from './turns.ts'

declare module 'fastify' {
  interface FastifyInstance {
    db: Pool
    /** Browsers use https, whatever the connection of a proxy is. */
    usesHttps: boolean
    largeBodies: LargeBodies
    refusals: Refusals
    /** Runs a search when it is the user's turn. */
    searchInTurn: InTurn
    /** Runs the handler of a user's request when it is the user's turn. */
    requestInTurn: InTurn
    /** Counts a request of its user. */
    countRequest: ReturnType<FastifyInstance['createRateLimit']>
    /** Finds the user of a session token or of an API key. */
    findCaller: (token: string, address: string) => Promise<Caller | null>
    /** Writes the last use of the caller's session. Set by the session feature. */
    recordUse: (caller: Caller) => Promise<unknown>
    /** Writes the last request of the caller's session that is no use. */
    recordIdle: (caller: Caller) => Promise<unknown>
  }
  interface FastifyContextConfig {
    isDefence?: boolean
  }
  interface FastifyRequest {
    caller: Caller | null
    uploadedFile: UploadedFile | null
  }
}

type RouteInput<E extends Endpoint> = Parsed<E> & {
  caller: E['access'] extends 'public' ? null : Caller
  /** Opens the transaction in which the endpoint writes. Every endpoint that writes uses it. */
  begin: E['access'] extends 'public' ? null : E['method'] extends 'GET' ? null : Begin
  /** A download or a call of the provider may take minutes: each checks the caller again before anything leaves. */
  recheck: E['access'] extends 'public' ? null : Recheck
  file: UploadedFile | null
  request: FastifyRequest
  reply: FastifyReply
}

// An endpoint without a response in the contract sends no body, whatever its handler returns.
type Answer<E extends Endpoint> = E extends { response: z.ZodType }
  ? Promise<Output<E>>
  : E extends { download: string }
    ? Promise<Download>
    : Promise<unknown>

const BODY_BYTES = 64 * 1024
/** For ten thousand ids. */
export const IDS_BODY_BYTES = 256 * 1024
const PUBLIC_BODY_BYTES = 16 * 1024

/** A caller who is revoked in the last second of a read may still get its answer: it could have left before. */
const RECHECK_AFTER_MS = 1000

/** A page sends this header with a request that nobody's input has caused. Such a request keeps no session alive. */
const IDLE = 'x-idle'

/** For rate limits: counts the requests of each user, and of each API key. */
export const userKey = ({ caller }: FastifyRequest) => String(caller && countedAs(caller))

/** The same for all requests together, but for those that end a stolen session: each session has its own of these. */
export const countKey = (request: FastifyRequest) =>
  request.routeOptions.config.isDefence ? `session ${request.caller?.sessionId}` : userKey(request)

/** Registers an endpoint of the contract with its handler. */
export function route<E extends Endpoint>(
  app: FastifyInstance,
  endpoint: E,
  handler: (input: RouteInput<E>) => Answer<E>,
  options: {
    /** A limit of its own, for each user. A public endpoint counts by address. */
    rateLimit?: { max: number; timeWindow: number }
    /** Authenticates a public call in its own way. Throws to refuse the call. */
    guard?: (request: FastifyRequest) => Promise<void>
    /** The most bytes of a JSON body, if not 64 kB. */
    bodyBytes?: number
    /** The handler reads the form with the file itself, while it arrives. It may take minutes. */
    streamsUpload?: UploadLimit
  } = {},
): void {
  const { access, needsConfirmation = false, allowsApiKeys = false, isBeforeFactor = false } = endpoint
  const { isDefence = false } = endpoint
  const rule = access === 'public' ? null : { access, needsConfirmation, allowsApiKeys, isBeforeFactor }
  app.route({
    method: endpoint.method,
    // A HEAD request would open a stream that nobody reads or ends.
    exposeHeadRoute: !endpoint.stream && !endpoint.download && !endpoint.hasEffect,
    url: `/api${endpoint.path}`,
    schema: describeEndpoint(endpoint),
    bodyLimit: options.bodyBytes ?? (access === 'public' ? PUBLIC_BODY_BYTES : BODY_BYTES),
    config: {
      isDefence,
      ...(options.rateLimit && {
        rateLimit: { ...options.rateLimit, ...(access !== 'public' && { keyGenerator: userKey }) },
      }),
    },
    // Runs before the body is read.
    onRequest: async (request, reply) => {
      // Answers hold customers' data, session tokens and provider tokens, which no cache may keep.
      reply.header('cache-control', 'no-store')
      await options.guard?.(request)
      if (!rule) return
      const token = bearerToken(request)
      // Set before the check, so that a refusal is counted for its user.
      request.caller = token ? await app.findCaller(token, request.ip) : null
      const caller = requireAccess(request.caller, rule)
      const count = await app.countRequest(request)
      if (!count.isAllowed && count.isExceeded) throw new Refusal('too_many_requests', {}, count.ttlInSeconds)
      const isIdle = endpoint.stream || IDLE in request.headers
      if (isIdle && caller.isIdleOld) await app.recordIdle(caller)
      if (!isIdle && caller.isUseOld) await app.recordUse(caller)
      const isLargeBody = endpoint.method !== 'GET' && isLarge(request)
      if (isLargeBody) await app.largeBodies(turnOf(caller), reply.raw, options.streamsUpload)
    },
    preValidation: async (request) => {
      // Webhooks have no such method: forms are not registered for them.
      if (request.isMultipart?.() && !options.streamsUpload)
        Object.assign(request, await readForm(request, endpoint))
    },
    handler: async (request, reply) => {
      const { params, query, body, uploadedFile: file } = request
      const beganAt = performance.now()
      // A download that began with a confirmation may take longer than that lasts.
      const recheck =
        rule && request.caller
          ? recheckAs(app.db, request.caller, { ...rule, needsConfirmation: false })
          : null
      async function run() {
        // The body may have taken half a minute, and so may the wait for this turn. The caller may have lost the right.
        if (rule && request.caller && (endpoint.method !== 'GET' || endpoint.hasEffect))
          request.caller = await recheckAs(app.db, request.caller, rule)()
        const { caller } = request
        const begin = rule && caller ? beginAs(app.db, caller, rule) : null
        const input = { params, query, body, caller, begin, recheck, file, request, reply }
        return handler(input as unknown as RouteInput<E>) // parsed by Fastify with the endpoint's own schemas
      }
      const { caller } = request
      // A download waits for a turn of its own (export/exports.ts), and a search for one more.
      const turn = caller && (isDefence ? `defence of ${caller.id}` : turnOf(caller))
      const inTurn = () => (turn && !endpoint.download ? app.requestInTurn(turn, run) : run())
      const isSearch = caller && (hasSearch(query) || hasSearch(body))
      const result = isSearch ? await app.searchInTurn(turnOf(caller), inTurn) : await inTurn()
      if (reply.sent) return reply
      const hasWaited = performance.now() - beganAt > RECHECK_AFTER_MS
      if (hasWaited && endpoint.method === 'GET' && !endpoint.hasEffect) await recheck?.()
      if (endpoint.download) return sendFile(reply.type(endpoint.download), result as Download)
      if (endpoint.stream) return reply.headers(streamHeaders).type(endpoint.stream).send(result)
      if (!endpoint.response) return reply.code(endpoint.status ?? 204).send()
      return reply.code(endpoint.status ?? 200).send(result)
    },
  })
  if (endpoint.hasEffect)
    app.head(`/api${endpoint.path}`, { schema: { hide: true } }, async (_, reply) =>
      reply.code(405).header('allow', endpoint.method).send(),
    )
}

const hasSearch = (fields: unknown) =>
  typeof fields === 'object' && fields !== null && 'search' in fields && Boolean(fields.search)

const sendFile = (reply: FastifyReply, { fileName, file }: Download) =>
  reply.header('content-disposition', contentDisposition(fileName)).send(file)

const recheckAs =
  (db: Pool, caller: Caller, rule: Rule): Recheck =>
  () =>
    recheckCaller(db, caller, rule)

const beginAs =
  (db: Pool, caller: Caller, rule: Rule): Begin =>
  (work, lockFirst) =>
    db.begin(async (tx) => {
      await lockFirst?.(tx)
      return work(tx, await lockCaller(tx, caller, rule))
    })

/** Keep proxies from buffering the stream. Its connection serves nothing else, so a stop need not wait for it. */
const streamHeaders = { 'x-accel-buffering': 'no', connection: 'close' }

export function bearerToken(request: FastifyRequest): string | null {
  const match = /^Bearer ([\w-]+)$/.exec(request.headers.authorization ?? '')
  return match?.[1] ?? null
}

/** The one place that turns a thrown error into a response. */
export function answerError(error: FastifyError, request: FastifyRequest, reply: FastifyReply) {
  const { status, problem, retryAfterSeconds } = problemOf(error)
  const isWorthLogging =
    status === 500 || isTimedOut(error) || (error instanceof Refusal && error.cause !== undefined)
  // The path as registered: a real one may have a search term or a webhook's key.
  const facts = { method: request.method, route: request.routeOptions?.url, userId: request.caller?.id }
  if (isWorthLogging) request.log.error({ err: error, ...facts }, 'A request failed')
  request.server?.refusals?.note(problem.code, request)
  if (retryAfterSeconds !== null) reply.header('retry-after', String(retryAfterSeconds))
  return reply.code(status).type('application/json').send(problem)
}

type Answered = { status: number; problem: Problem; retryAfterSeconds: number | null }

function problemOf(error: FastifyError): Answered {
  if (error instanceof InvalidInput) return invalidProblem(error)
  const refusal = error instanceof Refusal ? error : refusalOf(error)
  const { code, params, retryAfterSeconds } = refusal
  const sentence = fill(errorWords[code], { ...limits, ...params })
  return { status: STATUS[code], problem: { code, error: sentence, params }, retryAfterSeconds }
}

function invalidProblem({ fields, params }: InvalidInput): Answered {
  const known = (message: string): message is FieldKey => Object.hasOwn(fieldWords, message)
  const sentences = Object.entries(fields).map(([field, message]) => [
    field,
    known(message) ? fill(fieldWords[message], { ...limits, ...params }) : message,
  ])
  const keys = Object.entries(fields).map(([field, message]) => [
    field,
    known(message) ? message : 'FIELD.INVALID',
  ])
  return {
    status: 400,
    problem: {
      code: 'invalid_input',
      error: Object.fromEntries(sentences),
      fields: Object.fromEntries(keys),
      ...(Object.keys(params).length > 0 && { params }),
    },
    retryAfterSeconds: null,
  }
}

/** Turns the errors of libraries into refusals. An unknown error is our bug, and its details stay inside. */
function refusalOf(error: FastifyError): Refusal {
  if (isDatabaseDown(error)) return new Refusal('database_unavailable', {}, 2)
  if (isKeptFromLock(error)) return new Refusal('job_busy', {}, 2)
  if (isTimedOut(error)) return new Refusal('unavailable', {}, 2)
  const quota = quotaOf(error)
  if (quota) return new Refusal(quota.code, { limit: quota.limit })
  if (isUnstorable(error)) return new Refusal('invalid_input')
  if (error.statusCode === 413) return new Refusal('too_large')
  if (error.statusCode === 415) return new Refusal('unsupported_type')
  if (error.statusCode === 429) return new Refusal('too_many_requests')
  if (error.statusCode !== undefined && error.statusCode < 500) return new Refusal('invalid_input')
  return new Refusal('internal')
}
