import multipart from '@fastify/multipart'
import fastify, {
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
} from 'fastify'
import { channelRoutes } from './channel-routes.ts'
import type { Channel } from './channels.ts'
import { contactRoutes } from './contacts.ts'
import { controlRoutes } from './control.ts'
import { faultAfter, faultBefore } from './fault-effects.ts'
import type { FaultRule } from './faults.ts'
import { groupRoutes } from './groups.ts'
import { maxMediaBytes } from './media.ts'
import { mediaRoutes } from './media-routes.ts'
import { messageRoutes } from './messages.ts'
import { errorBody, Refusal, refuse } from './refusal.ts'
import { sendRoutes } from './sends.ts'
import { userRoutes } from './users.ts'
import type { World } from './world.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Whose token the request carries; set for every route but control's. */
    channel: Channel
    fault: FaultRule | undefined
  }
}

/** Base64 in JSON is a third larger than the file. */
const bodyLimit = Math.ceil(maxMediaBytes * 1.4)

/** No route has a schema: what Fastify would compile them with need not be loaded (4 MB). */
const withoutSchemas = { compilersFactory: { buildValidator: neverAsked, buildSerializer: neverAsked } }

function neverAsked(): never {
  throw new Error('No route of the simulator has a schema.')
}

/** The HTTP side of a world; all paths stand under `prefix` ('' or '/KEY'), anything else is 404. */
export function createApp(world: World, prefix: string): FastifyInstance {
  const app = fastify({
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
  app.register(multipart, { attachFieldsToBody: 'keyValues', limits: { fileSize: maxMediaBytes } })
  app.addHook('onRequest', (_request, _reply, done) => {
    world.load()
    done()
  })
  app.register(async (control) => controlRoutes(control, world), { prefix: `${prefix}/_control` })
  app.register(async (api) => providerRoutes(api, world, prefix), { prefix })
  return app
}

function providerRoutes(api: FastifyInstance, world: World, prefix: string) {
  api.addHook('onRequest', async (request) => {
    request.channel = authenticate(world, request)
    const path = `${request.method} ${request.routeOptions.url?.slice(prefix.length)}`
    request.channel.requests.set(path, (request.channel.requests.get(path) ?? 0) + 1)
  })
  // After the body is read, as a fault may ask for the recipient.
  api.addHook('preHandler', async (request, reply) => {
    request.fault = world.faults.meet({
      token: request.channel.token,
      method: request.method,
      path: decodeURIComponent(request.url.slice(prefix.length).split('?')[0] ?? ''),
      to: recipientOf(request),
    })
    if (request.fault && (await faultBefore(world, request.fault, request, reply))) return reply
    return undefined
  })
  api.addHook('onSend', async (request, reply, payload) => {
    if (world.clockShiftMs) reply.header('date', new Date(world.now()).toUTCString())
    return request.fault ? faultAfter(request.fault, reply, payload) : payload
  })
  for (const routes of [
    channelRoutes,
    userRoutes,
    groupRoutes,
    contactRoutes,
    mediaRoutes,
    sendRoutes,
    messageRoutes,
  ]) {
    routes(api, world)
  }
}

/** The header only: the provider's own notes warn of `?token=`. A wrong token is 404, not 401. */
function authenticate(world: World, { headers }: FastifyRequest): Channel {
  const token = headers.authorization?.match(/^Bearer\s+(\S+)$/i)?.[1]
  if (!token) throw refuse.notLinked()
  const channel = world.channels.find(token)
  if (!channel) throw refuse.noChannel()
  return channel
}

/** `to` of a send, or the chat of a list. */
function recipientOf({ body, params }: FastifyRequest): string | undefined {
  // anything may have been sent; only texts are used
  const { to, chat } = { ...(body as object | undefined), ...(params as object | undefined) } as Record<
    string,
    unknown
  >
  const recipient = to ?? chat
  return typeof recipient === 'string' ? recipient : undefined
}

/** An unknown path is 404; a known one with another verb is 405. */
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
