import { contract } from '@sendroom/contract'
import type { JobRecipientsFilter } from '@sendroom/contract/job-rows'
import type { FastifyInstance, FastifyReply } from 'fastify'
import type { Config } from '../../config.ts'
import {
  cancelJob,
  type EngineDeps,
  openPollReader,
  pauseJob,
  restartJob,
  resumeJob,
  retryFailed,
} from '../../engine/index.ts'
import type { Caller, Recheck } from '../../platform/access.ts'
import { recordRepeated } from '../../platform/audit.ts'
import type { Commands } from '../../platform/commands.ts'
import type { Pool } from '../../platform/database/connection.ts'
import type { Exports } from '../../platform/export/exports.ts'
import { clientSignal } from '../../platform/heavy/client-signal.ts'
import type { HeavyWork } from '../../platform/heavy/heavy-work.ts'
import { route } from '../../platform/http.ts'
import { type Uploads, uploadOf } from '../../platform/images/uploads.ts'
import { orNotFound } from '../../platform/refusal.ts'
import { shareReads } from '../../platform/share-reads.ts'
import { changeWaitingJob } from './change-job.service.ts'
import { exportRecipients } from './export.ts'
import { findRecipientGroup, listMembers } from './job-members.queries.ts'
import { listDeliveries, listLogs } from './job-rows.queries.ts'
import { findJobRow, listJobs } from './jobs.queries.ts'
import { changeJob, getChanges, getJob, removeJobs } from './jobs.service.ts'
import { createJob, type NewJobDeps, sendTestMessage } from './new-job.service.ts'
import { listVoters, readVotes, totalsOf } from './poll.queries.ts'
import { previewJob } from './preview-job.service.ts'
import { listRecipients } from './recipients.queries.ts'
import { reviewJob } from './review.service.ts'

type Deps = {
  db: Pool
  uploads: Uploads
  config: Pick<Config, 'defaultCountry'>
  heavyWork: HeavyWork
  writeMessage: NewJobDeps['writeMessage']
  exports: Exports
  commands: Commands
} & Pick<EngineDeps, 'providers' | 'secrets' | 'log'>

/** A job with 100,000 recipients takes four million characters, and seconds of work. */
const largeJob = { bodyBytes: 6 * 1024 * 1024, rateLimit: { max: 120, timeWindow: 60_000 } }

const exportLimit = { rateLimit: { max: 60, timeWindow: 60_000 } }

type ExportInput = {
  caller: Caller
  recheck: Recheck
  params: { id: number }
  query: JobRecipientsFilter
  reply: FastifyReply
}

export function jobRoutes(
  app: FastifyInstance,
  { db, uploads, config, heavyWork, writeMessage, exports, commands, ...engine }: Deps,
): void {
  const { jobs } = contract
  const polls = openPollReader({ db, ...engine })
  app.addHook('onClose', polls.stop)
  // A vote makes everybody who looks at the job read again.
  const readVotesOnce = shareReads((jobId) => readVotes(db, jobId))
  const deps = { db, uploads, defaultCountry: config.defaultCountry, heavyWork, writeMessage }

  /** Records that the caller sees members of the recipient. Throws unless that is a group. */
  async function recordView(caller: Caller, { id, recipientId }: { id: number; recipientId: number }) {
    const group = orNotFound(await findRecipientGroup(db, id, recipientId))
    const entry = { action: 'group.view_members', object: { type: 'group', ...group } } as const
    await db.begin((tx) => recordRepeated(tx, caller, entry))
  }

  const exportAs = (format: 'csv' | 'xlsx', { params: { id }, query: filter, reply, ...of }: ExportInput) =>
    exportRecipients({ db, exports }, of, { id, format, filter }, clientSignal(reply))

  route(app, jobs.list, ({ caller, query }) => listJobs(db, caller, query))

  route(app, jobs.get, ({ caller, params }) => getJob(db, caller, params.id))

  route(app, jobs.changes, ({ caller, params, query }) => getChanges(db, caller, params.id, query.afterLog))

  route(app, jobs.sentMessages, async ({ caller, params, query }) => {
    orNotFound(await findJobRow(db, caller, params.id))
    return listDeliveries(db, params.id, query)
  })

  route(app, jobs.recipients, async ({ caller, params, query }) => {
    orNotFound(await findJobRow(db, caller, params.id))
    return listRecipients(db, params.id, query)
  })

  route(app, jobs.exportCsv, (input) => exportAs('csv', input), exportLimit)

  route(app, jobs.exportXlsx, (input) => exportAs('xlsx', input), exportLimit)

  route(app, jobs.members, async ({ caller, params, query }) => {
    orNotFound(await findJobRow(db, caller, params.id))
    await recordView(caller, params)
    return listMembers(db, params.recipientId, query)
  })

  route(app, jobs.poll, async ({ caller, params }) => {
    const job = orNotFound(await findJobRow(db, caller, params.id))
    const poll = orNotFound(job.content?.kind === 'poll' ? job.content : null)
    polls.read(job)
    return totalsOf(await readVotesOnce(job.id), poll.options)
  })

  route(app, jobs.voters, async ({ caller, params, query }) => {
    orNotFound(await findJobRow(db, caller, params.id))
    await recordView(caller, params)
    return listVoters(db, params.recipientId, query)
  })

  route(app, jobs.logs, async ({ caller, params, query }) => {
    orNotFound(await findJobRow(db, caller, params.id))
    return listLogs(db, params.id, query)
  })

  route(
    app,
    jobs.create,
    ({ begin, caller, body, ...input }) => {
      const order = { ...body, image: uploadOf({ caller, ...input }) }
      return createJob(deps, begin, caller, order, clientSignal(input.reply))
    },
    largeJob,
  )

  route(
    app,
    jobs.change,
    ({ begin, caller, params: { id }, body, reply }) =>
      commands.run({ caller, name: 'change', kind: 'job', ids: [id] }, () =>
        changeWaitingJob(deps, begin, caller, id, body, clientSignal(reply)),
      ),
    largeJob,
  )

  route(app, jobs.test, (input) => sendTestMessage(deps, input.begin, input.body, uploadOf(input)), {
    rateLimit: { max: 60, timeWindow: 60_000 },
  })

  route(
    app,
    jobs.preview,
    ({ caller, body, reply }) => previewJob(deps, caller, body, clientSignal(reply)),
    largeJob,
  )

  for (const action of ['takeBack', 'ask', 'approve', 'askChanges', 'override'] as const)
    route(app, jobs[action], ({ caller, begin, params: { id }, body }) =>
      commands.run({ caller, name: `${action} ${body.version}`, kind: 'job', ids: [id] }, () =>
        reviewJob(begin, id, action, body),
      ),
    )

  const changes = { restart: restartJob, cancel: cancelJob, pause: pauseJob, resume: resumeJob }
  for (const action of ['restart', 'cancel', 'pause', 'resume'] as const)
    route(app, jobs[action], ({ caller, begin, params: { id } }) =>
      commands.run({ caller, name: action, kind: 'job', ids: [id] }, () =>
        changeJob(begin, id, action, changes[action]),
      ),
    )

  route(app, jobs.retryFailed, ({ caller, begin, params: { id }, body }) =>
    commands.run({ caller, name: `retry ${body.includeUnknown}`, kind: 'job', ids: [id] }, () =>
      changeJob(begin, id, 'retry', (...job) => retryFailed(...job, body), body),
    ),
  )

  route(app, jobs.remove, ({ caller, begin, params: { id } }) =>
    commands.run({ caller, name: 'delete', kind: 'job', ids: [id] }, () => removeJobs(db, begin, [id])),
  )

  route(app, jobs.bulkDelete, ({ caller, begin, body: { jobIds } }) =>
    commands.run({ caller, name: 'delete', kind: 'job', ids: jobIds }, () => removeJobs(db, begin, jobIds)),
  )
}
