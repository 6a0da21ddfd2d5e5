import multipart from '@fastify/multipart'
import fastify, {
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
} from 'fastify'
import { applyAfter, applyBefore } from './faults/effects.ts'
import type { FaultRule } from './faults/rules.ts'
import { channelRoutes } from './routes/channel.ts'
import { contactRoutes } from './routes/contacts.ts'
import { controlRoutes } from './routes/control.ts'
import { groupRoutes } from './routes/groups.ts'
import { mediaRoutes } from './routes/media.ts'
import { messageRoutes } from './routes/messages.ts'
import { newsletterRoutes } from './routes/newsletters.ts'
import { sendRoutes } from './routes/send.ts'
import { userRoutes } from './routes/users.ts'
import type { Channel } from './state/channels.ts'
import type { State } from './state/state.ts'
import { errorBody, Refusal, refuse } from './wire/refusal.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The channel of the request's token. Control routes have none. */
    channel: Channel
    /** The fault that applies to the request. */
    fault: FaultRule | undefined
  }
}

/** Files inside of a send are in memory, so this limit is lower than that of `POST /media`. */
const maxInlineBytes = 16 * 1024 * 1024
/** A file as base64 in JSON is a third larger than the file itself. */
const bodyLimit = Math.ceil(maxInlineBytes * 1.4)

/** Replaces Fastify's schema compilers, which take 4 MB of memory. No route has a schema. */
const withoutSchemas = { compilersFactory: { buildValidator: neverCalled, buildSerializer: neverCalled } }

function neverCalled(): never {
  throw new Error('No route of the simulator has a schema.')
}

/** Creates the HTTP app. All paths begin with `prefix`, which is '' or '/KEY'; every other path is 404. */
export function createApp(state: State, prefix: string): FastifyInstance {
  const app = fastify({
    // Fastify gives up a start after ten seconds, which a busy machine exceeds.
    pluginTimeout: 0,
    bodyLimit,
    forceCloseConnections: true,
    routerOptions: { maxParamLength: 500 },
    schemaController: withoutSchemas,
  })
  app.decorateRequest('fault', undefined)
  app.setErrorHandler(answerError)
  answerUnknownPaths(app)
  app.removeContentTypeParser('text/plain')
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
  app.register(multipart, { attachFieldsToBody: 'keyValues', limits: { fileSize: maxInlineBytes } })
  app.addHook('onRequest', (_request, _reply, done) => {
    state.load()
    done()
  })
  app.register(async (control) => controlRoutes(control, state), { prefix: `${prefix}/_control` })
  app.register(async (api) => providerRoutes(api, state, prefix), { prefix })
  return app
}

function providerRoutes(api: FastifyInstance, state: State, prefix: string) {
  api.addHook('onRequest', async (request) => {
    request.channel = authenticate(state, request)
    const path = `${request.method} ${request.routeOptions.url?.slice(prefix.length)}`
    request.channel.requests.set(path, (request.channel.requests.get(path) ?? 0) + 1)
  })
  // A preHandler runs after the body is parsed. Faults need the body to know the recipient.
  api.addHook('preHandler', async (request, reply) => {
    request.fault = state.faults.match({
      token: request.channel.token,
      method: request.method,
      path: decodeURIComponent(request.url.slice(prefix.length).split('?')[0] ?? ''),
      to: recipientOf(request),
    })
    if (request.fault && (await applyBefore(state, request.fault, request, reply))) return reply
    return undefined
  })
  api.addHook('onSend', async (request, reply, payload) => {
    if (state.clockShiftMs) reply.header('date', new Date(state.now()).toUTCString())
    return request.fault ? applyAfter(request.fault, reply, payload) : payload
  })
  for (const routes of [
    channelRoutes,
    userRoutes,
    groupRoutes,
    contactRoutes,
    mediaRoutes,
    sendRoutes,
    messageRoutes,
    newsletterRoutes,
  ]) {
    routes(api, state)
  }
}

/**
 * Returns the channel of the Authorization header. `?token=` is ignored: Whapi's OpenAPI file allows that form, but its
 * agent skill says that the form does not work. A missing token is 401, a wrong one 404.
 */
function authenticate(state: State, { headers }: FastifyRequest): Channel {
  const token = headers.authorization?.match(/^Bearer\s+(\S+)$/i)?.[1]
  if (!token) throw refuse.notLinked()
  const channel = state.channels.find(token)
  if (!channel) throw refuse.noChannel()
  return channel
}

/** Returns the `to` of a send or the chat of a list. */
function recipientOf({ body, params }: FastifyRequest): string | undefined {
  // The body may be anything. Only texts are used.
  const { to, chat } = { ...(body as object | undefined), ...(params as object | undefined) } as Record<
    string,
    unknown
  >
  const recipient = to ?? chat
  return typeof recipient === 'string' ? recipient : undefined
}

/** Answers unknown paths with 404, and known paths with another method with 405. */
function answerUnknownPaths(app: FastifyInstance) {
  const known: RegExp[] = []
  app.addHook('onRoute', ({ url }) => {
    known.push(new RegExp(`^${url.replace(/:\w+/g, '[^/]+')}$`))
  })
  app.setNotFoundHandler((request, reply) => {
    const path = request.url.split('?')[0] ?? ''
    const status = known.some((pattern) => pattern.test(path)) ? 405 : 404
    return reply.code(status).send(errorBody(status, status === 405 ? 'method not allowed' : 'not found'))
  })
}

function answerError(error: FastifyError | Refusal, _request: FastifyRequest, reply: FastifyReply) {
  if (error instanceof Refusal) {
    return reply.code(error.status).send(errorBody(error.status, error.message, error.details))
  }
  const status = error.statusCode ?? 500
  return reply.code(status).send(errorBody(status, status === 413 ? 'request body too large' : error.message))
}
