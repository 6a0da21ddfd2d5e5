import type { CountryCode } from 'libphonenumber-js'
import type { Deps } from './app.ts'
import {
  applyDueReplies,
  applyStoredReceipts,
  deleteOldRows,
  deleteUnmatchedReceipts,
  type EngineDeps,
  failOverdue,
  finishJobs,
  markOverdue,
  notifyMoved,
  openIncomingReader,
  openLidReader,
  openPolling,
  skipOptedOut,
  stepUpWarmUps,
} from './engine/index.ts'
import { deleteExpiredApiKeys } from './features/api-keys/api-keys.queries.ts'
import { deleteOldPeopleCounts } from './features/dashboard/people.queries.ts'
import { repeatSyncs } from './features/groups/sync.queries.ts'
import { syncDueGroups } from './features/groups/sync.ts'
import { deleteOldImports } from './features/imports/imports.queries.ts'
import { workOnImports } from './features/imports/work.ts'
import { readDueStatuses } from './features/instances/status.ts'
import { setDueWebhooks } from './features/instances/webhook.ts'
import { createJobOfRun } from './features/jobs/new-job.service.ts'
import { reportDisk } from './features/notices/disks.ts'
import { sendDueEmails } from './features/notices/emails.ts'
import { deleteOldNotices, lookForTroubles } from './features/notices/watch.ts'
import { deleteOldNumberChecks } from './features/number-checks/check-numbers.queries.ts'
import { openNumberChecker } from './features/number-checks/check-numbers.ts'
import { forgetNumbers } from './features/personal-data/forget.ts'
import type { openSender } from './features/receivers/send.ts'
import { makeDueRuns, planDueSeries } from './features/series/make-due.ts'
import { deleteOldFailures } from './features/session/attempts.queries.ts'
import { deleteOldRegistrations } from './features/session/registration.queries.ts'
import { deleteEnded } from './features/session/sessions.queries.ts'
import { deleteOldAudit } from './platform/audit.ts'
import { foldCounts } from './platform/count-fold.ts'
import type { Pool } from './platform/database/connection.ts'
import { dropFormerQueues } from './platform/database/former-queues.ts'
import { sweepFiles, sweepImages } from './platform/images/clean-up.ts'
import type { Task } from './platform/recurring.ts'

/*
 * All that Sendroom does again and again by the clock, and nothing else: a new kind of recurring work is a line here.
 * `platform/recurring.ts` says what a line means and runs it. Three things have timers of their own instead. The
 * engine's loop takes up what rows say is due and what NOTIFY reports; its heartbeat and its leases must not wait for
 * anything; and what concerns a single connection or process, such as the comments that keep an event stream open, is
 * in its own file.
 *
 * `one` is for work on the database alone: two processes would do it twice or wait for each other. `each` is for work
 * that calls somebody else, because a process may lack the simulator, or the way to a mail server. It claims its rows.
 */

const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** A notice leaves after at most two looks, since the second one announces the trouble, and one round of emails. */
export const LOOK_EVERY_MS = 15 * SECOND
export const SEND_EVERY_MS = 5 * SECOND

/** Bounds the memory: a page of groups may have 64 MB. */
const SYNCS_AT_ONCE = 3

/** A provider that answers one account slowly holds up no other, until it does so for that many. */
const READINGS_AT_ONCE = 10

/** Each waits for an answer of the provider, one at a time for an account. */
const CHECKS_AT_ONCE = 3

/** The connections of all tasks together. Few run at the same time, and hardly any for long. */
export const TASK_CONNECTIONS = 6

const one = (name: string, every: number, run: Task['run']): Task => ({ name, every, by: 'one', run })
const each = (name: string, every: number, run: Task['run']): Task => ({ name, every, by: 'each', run })

/** The tasks of every process, also of a server without delivery. */
export const processTasks = (deps: Deps): Task[] => [each('report the disk', MINUTE, () => reportDisk(deps))]

type DeliveryDeps = EngineDeps & { accountWaitMs: number }

/** The tasks of a worker that concern deliveries. */
export function deliveryTasks(deps: DeliveryDeps): Task[] {
  const { db, accountWaitMs } = deps
  return [
    one('apply receipts', SECOND / 2, async () => notifyMoved(db, await applyStoredReceipts(db))),
    each('poll receipts', 10 * SECOND, openPolling(deps)),
    each('read LIDs', 5 * SECOND, openLidReader(deps)),
    { ...each('read incoming', SECOND, openIncomingReader(deps)), atOnce: READINGS_AT_ONCE },
    one('apply replies', 2 * SECOND, () => applyDueReplies(db)),
    one('skip opted out', 5 * SECOND, (signal) => skipOptedOut(db, signal)),
    one('finish jobs', 2 * SECOND, () => finishJobs(db)),
    one('mark overdue', 2 * SECOND, async () => void (await markOverdue(db))),
    one('fail overdue', 2 * SECOND, (signal) => failOverdue(db, accountWaitMs, signal)),
    one('fold counts', 5 * SECOND, (signal) => foldCounts(db, () => signal.aborted)),
    one('step up warm-ups', 5 * MINUTE, () => stepUpWarmUps(db)),
    one('delete unmatched receipts', 10 * MINUTE, () => deleteUnmatchedReceipts(db)),
  ]
}

/** The tasks of a worker that concern series. */
export const seriesTasks = (db: Pool, defaultCountry: CountryCode): Task[] => [
  one('make runs', SECOND, (signal) =>
    makeDueRuns({ db, createJob: (begin, order) => createJobOfRun(defaultCountry, begin, order) }, signal),
  ),
  one('plan series', 10 * MINUTE, (signal) => planDueSeries(db, signal)),
]

/** The other tasks of a worker. */
export function workerTasks(deps: Deps, { sendDue }: Pick<ReturnType<typeof openSender>, 'sendDue'>): Task[] {
  const { db, config, images, files } = deps
  const hasMail = config.mail !== null
  const checkNumbers = openNumberChecker(deps)
  return [
    each('send webhooks', SECOND, sendDue),
    each('send emails', SEND_EVERY_MS, (signal) => sendDueEmails(deps, signal)),
    one('look for troubles', LOOK_EVERY_MS, () => lookForTroubles(db, { hasMail })),
    each('read statuses', 5 * MINUTE, (signal) => readDueStatuses(deps, signal)),
    each('set webhooks', 5 * MINUTE, (signal) => setDueWebhooks(deps, signal)),
    ...seriesTasks(db, config.defaultCountry),
    { ...each('sync groups', 2 * SECOND, (signal) => syncDueGroups(deps, signal)), atOnce: SYNCS_AT_ONCE },
    { ...each('check numbers', SECOND, checkNumbers), atOnce: CHECKS_AT_ONCE },
    each('work on imports', 2 * SECOND, (signal) => workOnImports(deps, signal)),
    one('forget numbers', 5 * SECOND, (signal) => forgetNumbers(db, config.defaultCountry, signal)),
    one('delete old imports', 10 * MINUTE, (signal) => deleteOldImports(db, signal)),
    one('delete old number checks', 10 * MINUTE, (signal) => deleteOldNumberChecks(db, signal)),
    one('repeat syncs', 10 * MINUTE, () => repeatSyncs(db)),
    one('delete old rows', 10 * MINUTE, (signal) => deleteOldRows(db, signal)),
    one('delete old failures', 10 * MINUTE, () => deleteOldFailures(db)),
    one('sweep images', 30 * MINUTE, () => sweepImages(db, images)),
    one('sweep files', 30 * MINUTE, () => sweepFiles(db, files)),
    one('delete old notices', HOUR, () => deleteOldNotices(db)),
    one('delete expired API keys', HOUR, () => deleteExpiredApiKeys(db)),
    one('delete ended sessions', 10 * MINUTE, (signal) => deleteEnded(db, signal)),
    one('delete old registrations', HOUR, () => deleteOldRegistrations(db)),
    one('drop former queues', DAY, () => dropFormerQueues(db)),
    one('delete old people counts', DAY, () => deleteOldPeopleCounts(db)),
    one('delete old audit entries', DAY, (signal) => deleteOldAudit(db, config.auditDays, signal)),
  ]
}
