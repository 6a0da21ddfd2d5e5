import { randomUUID } from 'node:crypto'
import cookie from '@fastify/cookie'
import multipart from '@fastify/multipart'
import rateLimit from '@fastify/rate-limit'
import { limits } from '@sendroom/contract/limits'
import fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyRequest,
  LogController,
  type RouteOptions,
} from 'fastify'
import type { Config } from './config.ts'
import { apiKeyRoutes } from './features/api-keys/api-keys.routes.ts'
import { groupSetRoutes } from './features/audiences/group-sets.routes.ts'
import { listOfContactsRoutes } from './features/audiences/lists.routes.ts'
import { auditRoutes } from './features/audit/audit.routes.ts'
import { calendarRoutes } from './features/calendar/calendar.routes.ts'
import { contactRoutes } from './features/contacts/contacts.routes.ts'
import { contactFieldRoutes } from './features/contacts/fields.routes.ts'
import { dashboardRoutes } from './features/dashboard/dashboard.routes.ts'
import { eventRoutes } from './features/events/events.routes.ts'
import { fileRoutes } from './features/files/files.routes.ts'
import { groupRoutes } from './features/groups/groups.routes.ts'
import { importRoutes } from './features/imports/imports.routes.ts'
import { instanceRoutes } from './features/instances/instances.routes.ts'
import { webhookRoutes } from './features/instances/webhook.routes.ts'
import type { WebhookBase } from './features/instances/webhook.ts'
import { jobRoutes } from './features/jobs/jobs.routes.ts'
import { openWithRules } from './features/jobs/large-list.ts'
import { messageRoutes } from './features/messages/messages.routes.ts'
import { writeMessage } from './features/messages/messages.service.ts'
import { noticeRoutes } from './features/notices/notices.routes.ts'
import { numberCheckRoutes } from './features/number-checks/number-checks.routes.ts'
import { optOutRoutes } from './features/opt-outs/opt-outs.routes.ts'
import { personalDataRoutes } from './features/personal-data/personal-data.routes.ts'
import { quotaRoutes } from './features/quotas/quotas.routes.ts'
import { receiverRoutes } from './features/receivers/receivers.routes.ts'
import { retentionRoutes } from './features/retention/retention.routes.ts'
import { seriesRoutes } from './features/series/series.routes.ts'
import { factorRoutes } from './features/session/factor.routes.ts'
import { tokenHashOf } from './features/session/open-session.ts'
import { sessionRoutes } from './features/session/session.routes.ts'
import { sessionsRoutes } from './features/session/sessions.routes.ts'
import type { Metrics } from './features/system/metrics.ts'
import { metricsRoute } from './features/system/metrics-server.ts'
import { systemRoutes } from './features/system/system.routes.ts'
import { userRoutes } from './features/users/users.routes.ts'
import { findCaller } from './platform/access.ts'
import { isApiKey } from './platform/api-key-text.ts'
import { useApiKey } from './platform/api-keys.ts'
import { limitBodyTimes, REQUEST_MS } from './platform/body-times.ts'
import { announceDeparture, cutOffStragglers, type Departure } from './platform/closing.ts'
import { openCommands } from './platform/commands.ts'
import type { Pool } from './platform/database/connection.ts'
import { openExports } from './platform/export/exports.ts'
import { storedFileRoutes } from './platform/files/route.ts'
import type { FileStore } from './platform/files/store.ts'
import { guardAgainstForgery } from './platform/forgery.ts'
import { healthRoutes } from './platform/health.ts'
import { openHeavyWork } from './platform/heavy/heavy-work.ts'
import { answerError, countKey } from './platform/http.ts'
import { imageRoutes } from './platform/images/route.ts'
import type { ImageStore } from './platform/images/store.ts'
import { openUploads } from './platform/images/uploads.ts'
import { parseJsonBodies } from './platform/json-body.ts'
import { limitLargeBodies } from './platform/large-bodies.ts'
import { listRoutes, openApi } from './platform/openapi.ts'
import { Refusal } from './platform/refusal.ts'
import { addRefusals, openRefusals } from './platform/refusals.ts'
import { schemaController } from './platform/schema-controller.ts'
import type { Secrets } from './platform/secrets.ts'
import { openSecurityHeaders } from './platform/security-headers.ts'
import { limitRequests, limitSearches } from './platform/turns.ts'
import { limitUnreadAnswers } from './platform/unread-answers.ts'
import { closeAfterUnreadBodies } from './platform/unread-bodies.ts'
import { webApp } from './platform/web-app.ts'
import type { Providers } from './providers/provider.ts'

export type Deps = {
  db: Pool
  config: Config
  secrets: Secrets
  images: ImageStore
  files: FileStore
  providers: Providers
  webhookBase: WebhookBase
  log: FastifyBaseLogger
  onAdminSignIn?: () => Promise<void>
  metrics?: Metrics | null
}

/** Long enough for an image of five megabytes over a slow phone. Only uploads of files have longer. */
const BODY_MS = 30_000
const HEADERS_MS = 10_000
/** Ten times as many as the server needs for a hundred users with several tabs. */
const MAX_CONNECTIONS = 5000
/** An open page of a running job asks about twice a second. */
const REQUESTS_PER_USER = {
  max: ({ caller }: FastifyRequest) => (caller?.apiKey ? limits.apiKeyRequests : 1200),
  timeWindow: 60_000,
}

/** Builds the API and the web app from their dependencies. Opens no port, reads no environment, starts no engine. */
export async function buildApp(deps: Deps): Promise<FastifyInstance> {
  const app = openFastify(deps)
  const departure = announceDeparture(app)
  cutOffStragglers(app)
  const described = listRoutes(app)
  // Two scopes, because a call of a provider takes a third less time without the hooks for browsers.
  await app.register(async (calls) => webhookRoutes(calls, deps))
  await app.register(async (pages) => addPages(pages, deps, { departure, described }))
  return app
}

function openFastify({ db, config, log }: Deps): FastifyInstance {
  const usesHttps = config.publicUrl?.startsWith('https:') ?? false
  const setSecurityHeaders = openSecurityHeaders(usesHttps)
  const app = fastify({
    // At level info Fastify only logs that it listens, which `main.ts` prints already.
    loggerInstance: log.child({}, { level: config.logLevel === 'info' ? 'warn' : config.logLevel }),
    logController: new LogController({ disableRequestLogging: true }),
    // Unique over all processes. The answer has it too, so that a report leads to the lines of the log.
    genReqId: () => randomUUID(),
    trustProxy: config.trustProxy,
    // The time for any request to arrive, and how often Node looks. Fastify's default is to wait for ever.
    requestTimeout: REQUEST_MS,
    http: { headersTimeout: HEADERS_MS, connectionsCheckingInterval: 5000 },
    routerOptions: { maxParamLength: 200 },
    schemaController,
    // Fastify gives up a start after ten seconds, which a busy machine exceeds.
    pluginTimeout: 0,
    // Requests that still arrive during a stop are served.
    return503OnClosing: false,
    // For paths that no route can have, such as /api/jobs/%. Fastify's own answer is no problem of the contract, and
    // its hooks do not run.
    frameworkErrors: (error, request, reply) => {
      setSecurityHeaders(reply.raw)
      answerError(error, request, reply)
    },
  })
  app.server.maxConnections = MAX_CONNECTIONS
  closeAfterUnreadBodies(app.server)
  limitBodyTimes(app.server, BODY_MS)
  app.setErrorHandler(answerError)
  app.addHook('onRequest', (_, reply, done) => {
    setSecurityHeaders(reply.raw)
    done()
  })
  app.decorate('db', db)
  app.decorate('usesHttps', usesHttps)
  app.decorate('searchInTurn', limitSearches(db))
  app.decorate('requestInTurn', limitRequests())
  addRefusals(app, openRefusals(db, log))
  app.decorate('findCaller', (token: string, address: string) =>
    isApiKey(token) ? useApiKey(db, token, address) : findCaller(db, tokenHashOf(token), address),
  )
  app.decorateRequest('caller', null)
  app.decorateRequest('uploadedFile', null)
  app.removeContentTypeParser('text/plain') // a body is JSON or a form
  return app
}

type Shared = { departure: Departure; described: RouteOptions[] }

/** Everything for browsers and for programs with a session. */
async function addPages(app: FastifyInstance, deps: Deps, { departure, described }: Shared): Promise<void> {
  const { db, config } = deps
  app.addHook('onRequest', async (request, reply) => void reply.header('x-request-id', request.id))
  limitUnreadAnswers(app)
  app.decorate('largeBodies', limitLargeBodies())
  parseJsonBodies(app)
  await app.register(cookie)
  await app.register(multipart)
  await app.register(rateLimit, {
    global: false,
    errorResponseBuilder: (_request, { ttl }) => new Refusal('too_many_requests', {}, Math.ceil(ttl / 1000)),
  })
  app.decorate('countRequest', app.createRateLimit({ ...REQUESTS_PER_USER, keyGenerator: countKey }))
  guardAgainstForgery(app)

  const heavyWork = openHeavyWork()
  // Not before the last answer: running work is finished, unless its client is cut off.
  app.addHook('onClose', heavyWork.stop)
  const commands = openCommands()
  const exports = openExports()
  app.addHook('onClose', exports.stop)
  const uploads = openUploads(db, deps.images)
  app.addHook('onClose', uploads.stop)

  openApi(app, described)
  healthRoutes(app, db, departure)
  metricsRoute(app, deps.metrics ?? null)
  imageRoutes(app, deps.images)
  storedFileRoutes(app, deps.files)
  sessionRoutes(app, {
    db,
    secrets: deps.secrets,
    lasting: { days: config.sessionDays, idleMs: config.sessionIdleMs },
    selfRegistration: config.selfRegistration === 'approval',
    passwordMin: config.passwordMin,
    onAdminSignIn: deps.onAdminSignIn ?? (async () => {}),
  })
  sessionsRoutes(app, deps)
  factorRoutes(app, deps)
  userRoutes(app, deps)
  instanceRoutes(app, { ...deps, commands })
  groupRoutes(app, { ...deps, exports })
  contactRoutes(app, { ...deps, exports })
  contactFieldRoutes(app, deps)
  listOfContactsRoutes(app, deps)
  groupSetRoutes(app, deps)
  importRoutes(app, { ...deps, exports, heavyWork })
  optOutRoutes(app, { ...deps, exports, heavyWork })
  numberCheckRoutes(app, { ...deps, heavyWork })
  messageRoutes(app, { ...deps, uploads, heavyWork })
  fileRoutes(app, deps)
  jobRoutes(app, { ...deps, uploads, heavyWork, writeMessage, exports, commands })
  seriesRoutes(app, { db, withRules: openWithRules(heavyWork, config.defaultCountry) })
  calendarRoutes(app, db)
  dashboardRoutes(app, { ...deps, exports })
  noticeRoutes(app, deps)
  auditRoutes(app, { ...deps, exports })
  personalDataRoutes(app, { ...deps, exports })
  retentionRoutes(app, deps)
  quotaRoutes(app, deps)
  apiKeyRoutes(app, db)
  systemRoutes(app, deps)
  receiverRoutes(app, deps)
  eventRoutes(app, deps)
  await webApp(app)
}
