import { contract } from '@sendroom/contract'
import type { FastifyInstance } from 'fastify'
import type { Config } from '../../config.ts'
import type { Pool } from '../../platform/database/connection.ts'
import { answer } from '../../platform/http.ts'
import type { ImageStore } from '../../platform/images.ts'
import { seen } from '../../platform/refusal.ts'
import { listLogs, listSentMessages } from './job-rows.queries.ts'
import { findJobRow, listJobs } from './jobs.queries.ts'
import { cancel, getJob, pause, removeJobs, restart, resume, retry } from './jobs.service.ts'
import { createJob, testMessage } from './new-job.service.ts'
import { previewJob } from './preview-job.service.ts'

type Parts = { db: Pool; images: ImageStore; config: Pick<Config, 'defaultCountry'> }

export function jobRoutes(app: FastifyInstance, { db, images, config: { defaultCountry } }: Parts): void {
  const { jobs } = contract
  const parts = { db, images, defaultCountry }

  answer(app, jobs.list, ({ caller, query }) => listJobs(db, caller, query))

  answer(app, jobs.get, ({ caller, params }) => getJob(db, caller, params.id))

  answer(app, jobs.sentMessages, async ({ caller, params, query }) => {
    seen(await findJobRow(db, caller, params.id))
    return listSentMessages(db, params.id, query)
  })

  answer(app, jobs.logs, async ({ caller, params, query }) => {
    seen(await findJobRow(db, caller, params.id))
    return listLogs(db, params.id, query)
  })

  answer(app, jobs.create, ({ caller, body }) => createJob(parts, caller, body))

  answer(app, jobs.test, ({ caller, body, file }) => testMessage(parts, caller, body, file))

  answer(app, jobs.preview, ({ caller, body }) => previewJob(parts, caller, body))

  answer(app, jobs.restart, ({ caller, params }) => restart(db, caller, params.id))

  answer(app, jobs.cancel, ({ caller, params }) => cancel(db, caller, params.id))

  answer(app, jobs.pause, ({ caller, params }) => pause(db, caller, params.id))

  answer(app, jobs.resume, ({ caller, params }) => resume(db, caller, params.id))

  answer(app, jobs.retryFailed, ({ caller, params, body }) => retry(db, caller, params.id, body))

  answer(app, jobs.remove, ({ caller, params }) => removeJobs(db, caller, [params.id]))

  answer(app, jobs.bulkDelete, ({ caller, body }) => removeJobs(db, caller, body.jobIds))
}
