import cookie from '@fastify/cookie'
import helmet from '@fastify/helmet'
import multipart from '@fastify/multipart'
import rateLimit from '@fastify/rate-limit'
import fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from 'fastify'
import type { Config } from './config.ts'
import { dashboardRoutes } from './features/dashboard/dashboard.routes.ts'
import { eventRoutes } from './features/events/events.routes.ts'
import { groupRoutes } from './features/groups/groups.routes.ts'
import { instanceRoutes } from './features/instances/instances.routes.ts'
import { webhookRoutes } from './features/instances/webhook.routes.ts'
import type { WebhookBase } from './features/instances/webhook.ts'
import { jobRoutes } from './features/jobs/jobs.routes.ts'
import { messageRoutes } from './features/messages/messages.routes.ts'
import { findCaller } from './features/session/session.queries.ts'
import { sessionRoutes } from './features/session/session.routes.ts'
import { tokenHashOf } from './features/session/session.service.ts'
import { userRoutes } from './features/users/users.routes.ts'
import { cutOffStragglers } from './platform/closing.ts'
import type { Pool } from './platform/database/connection.ts'
import { acceptEmptyJson } from './platform/empty-json.ts'
import { guardAgainstForgery } from './platform/forgery.ts'
import { healthRoutes } from './platform/health.ts'
import { answerError, schemaController } from './platform/http.ts'
import { type ImageStore, imageRoutes } from './platform/images.ts'
import { openApi } from './platform/openapi.ts'
import { Refusal } from './platform/refusal.ts'
import type { Secrets } from './platform/secrets.ts'
import { webApp } from './platform/web-app.ts'
import type { Providers } from './providers/provider.ts'

export type Parts = {
  db: Pool
  config: Config
  secrets: Secrets
  images: ImageStore
  providers: Providers
  /** Asks the workers to read an instance's groups. */
  requestSync: (instanceId: number) => Promise<void>
  webhookBase: WebhookBase
  log: FastifyBaseLogger
  onAdminSignIn?: () => Promise<void>
}

/** The API and the web app from their parts; no port, no environment, no engine. */
export async function buildApp(parts: Parts): Promise<FastifyInstance> {
  const { db, config, log } = parts
  const app = fastify({
    // What Fastify itself has to tell at info is only that it listens, which `main.ts` says in words.
    loggerInstance: log.child({}, { level: config.logLevel === 'info' ? 'warn' : config.logLevel }),
    logController: new LogController({ disableRequestLogging: true }),
    trustProxy: config.trustProxy,
    // For a request to arrive whole; Fastify would wait for ever.
    requestTimeout: 5 * 60_000,
    routerOptions: { maxParamLength: 200 },
    schemaController,
  })
  app.setErrorHandler(answerError)
  app.decorateRequest('caller', null)
  app.decorateRequest('uploadedFile', null)
  app.decorate('findCaller', (token: string) => findCaller(db, tokenHashOf(token)))
  app.removeContentTypeParser('text/plain') // a body is JSON or a form
  acceptEmptyJson(app)
  cutOffStragglers(app)

  await app.register(helmet, securityHeaders(config))
  await app.register(cookie)
  await app.register(multipart)
  await app.register(rateLimit, {
    global: false,
    errorResponseBuilder: (_request, { ttl }) => new Refusal('too_many_requests', {}, Math.ceil(ttl / 1000)),
  })
  openApi(app)
  guardAgainstForgery(app)

  healthRoutes(app, db)
  imageRoutes(app, parts.images)
  sessionRoutes(app, {
    db,
    sessionDays: config.sessionDays,
    selfRegistration: config.selfRegistration === 'approval',
    onAdminSignIn: parts.onAdminSignIn ?? (async () => {}),
  })
  userRoutes(app, parts)
  instanceRoutes(app, parts)
  webhookRoutes(app, parts)
  groupRoutes(app, parts)
  messageRoutes(app, parts)
  jobRoutes(app, parts)
  dashboardRoutes(app, parts)
  eventRoutes(app, parts)
  await webApp(app)
  return app
}

const securityHeaders = (config: Config) => ({
  contentSecurityPolicy: {
    directives: {
      defaultSrc: ["'self'"],
      // Mantine writes its theme's variables into a style element.
      styleSrc: ["'self'", "'unsafe-inline'"],
      imgSrc: ["'self'", 'data:', 'blob:'],
      upgradeInsecureRequests: null,
    },
  },
  // Only where the installation is known to be reached over https; what else lives below its name is not ours.
  hsts: config.publicUrl?.startsWith('https:') ? { includeSubDomains: false } : false,
})
