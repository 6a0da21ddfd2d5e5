import { contract } from '@sendroom/contract'
import type { FastifyInstance } from 'fastify'
import type { Config } from '../../config.ts'
import type { Sql } from '../../platform/database/connection.ts'
import { answer } from '../../platform/http.ts'
import type { ImageStore } from '../../platform/images.ts'
import { seen } from '../../platform/refusal.ts'
import { listLogs, listSentMessages } from './job-rows.queries.ts'
import { findJobRow, listJobs } from './jobs.queries.ts'
import { cancel, getJob, pause, removeJobs, restart, resume, retry } from './jobs.service.ts'
import { createJob, testMessage } from './new-job.service.ts'
import { previewJob } from './preview-job.service.ts'

type Parts = { sql: Sql; images: ImageStore; config: Pick<Config, 'defaultCountry'> }

export function jobRoutes(app: FastifyInstance, { sql, images, config: { defaultCountry } }: Parts): void {
  const { jobs } = contract
  const parts = { sql, images, defaultCountry }

  answer(app, jobs.list, ({ caller, query }) => listJobs(sql, caller, query))

  answer(app, jobs.get, ({ caller, params }) => getJob(sql, caller, params.id))

  answer(app, jobs.sentMessages, async ({ caller, params, query }) => {
    seen(await findJobRow(sql, caller, params.id))
    return listSentMessages(sql, params.id, query)
  })

  answer(app, jobs.logs, async ({ caller, params, query }) => {
    seen(await findJobRow(sql, caller, params.id))
    return listLogs(sql, params.id, query)
  })

  answer(app, jobs.create, ({ caller, body }) => createJob(parts, caller, body))

  answer(app, jobs.test, ({ caller, body, file }) => testMessage(parts, caller, body, file))

  answer(app, jobs.preview, ({ caller, body }) => previewJob(parts, caller, body))

  answer(app, jobs.restart, ({ caller, params }) => restart(sql, caller, params.id))

  answer(app, jobs.cancel, ({ caller, params }) => cancel(sql, caller, params.id))

  answer(app, jobs.pause, ({ caller, params }) => pause(sql, caller, params.id))

  answer(app, jobs.resume, ({ caller, params }) => resume(sql, caller, params.id))

  answer(app, jobs.retryFailed, ({ caller, params, body }) => retry(sql, caller, params.id, body))

  answer(app, jobs.remove, ({ caller, params }) => removeJobs(sql, caller, [params.id]))

  answer(app, jobs.bulkDelete, ({ caller, body }) => removeJobs(sql, caller, body.jobIds))
}
