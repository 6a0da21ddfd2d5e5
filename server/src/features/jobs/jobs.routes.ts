import { contract } from '@sendroom/contract'
import type { FastifyInstance } from 'fastify'
import type { Config } from '../../config.ts'
import type { Pool } from '../../platform/database/connection.ts'
import { clientSignal } from '../../platform/heavy/client-signal.ts'
import type { HeavyWork } from '../../platform/heavy/heavy-work.ts'
import { route } from '../../platform/http.ts'
import type { ImageStore } from '../../platform/images/store.ts'
import { orNotFound } from '../../platform/refusal.ts'
import { listDeliveries, listLogs } from './job-rows.queries.ts'
import { findJobRow, listJobs } from './jobs.queries.ts'
import { cancel, getJob, pause, removeJobs, restart, resume, retry } from './jobs.service.ts'
import { createJob, sendTestMessage } from './new-job.service.ts'
import { previewJob } from './preview-job.service.ts'

type Deps = {
  db: Pool
  images: ImageStore
  config: Pick<Config, 'defaultCountry'>
  heavyWork: HeavyWork
}

export function jobRoutes(app: FastifyInstance, { db, images, config, heavyWork }: Deps): void {
  const { jobs } = contract
  const deps = { db, images, defaultCountry: config.defaultCountry, heavyWork }

  route(app, jobs.list, ({ caller, query }) => listJobs(db, caller, query))

  route(app, jobs.get, ({ caller, params }) => getJob(db, caller, params.id))

  route(app, jobs.sentMessages, async ({ caller, params, query }) => {
    orNotFound(await findJobRow(db, caller, params.id))
    return listDeliveries(db, params.id, query)
  })

  route(app, jobs.logs, async ({ caller, params, query }) => {
    orNotFound(await findJobRow(db, caller, params.id))
    return listLogs(db, params.id, query)
  })

  route(app, jobs.create, ({ caller, body, reply }) => createJob(deps, caller, body, clientSignal(reply)))

  route(app, jobs.test, ({ caller, body, file }) => sendTestMessage(deps, caller, body, file))

  route(app, jobs.preview, ({ caller, body, reply }) => previewJob(deps, caller, body, clientSignal(reply)))

  route(app, jobs.restart, ({ caller, params }) => restart(db, caller, params.id))

  route(app, jobs.cancel, ({ caller, params }) => cancel(db, caller, params.id))

  route(app, jobs.pause, ({ caller, params }) => pause(db, caller, params.id))

  route(app, jobs.resume, ({ caller, params }) => resume(db, caller, params.id))

  route(app, jobs.retryFailed, ({ caller, params, body }) => retry(db, caller, params.id, body))

  route(app, jobs.remove, ({ caller, params }) => removeJobs(db, caller, [params.id]))

  route(app, jobs.bulkDelete, ({ caller, body }) => removeJobs(db, caller, body.jobIds))
}
