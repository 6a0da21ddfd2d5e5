import { createHash } from 'node:crypto'
import type { ErrorCode } from '@sendroom/contract/errors'
import type { FieldKey } from '@sendroom/contract/field-words'
import type { NewJob } from '@sendroom/contract/new-jobs'
import type { ReasonCode } from '@sendroom/contract/reasons'
import type { Reason } from '@sendroom/contract/values'
import { reopenCheck } from '../../engine/index.ts'
import { type Begin, type Caller, hasAccess, lockAuthor, seesInstance } from '../../platform/access.ts'
import type { Pool, Tx } from '../../platform/database/connection.ts'
import { quotaOf } from '../../platform/database/errors.ts'
import { InvalidInput, Refusal } from '../../platform/refusal.ts'
import {
  approveJobOfRun,
  type DueSeries,
  endFinished,
  findDueSeries,
  findSeriesToPlan,
  lockDueRuns,
  lockDueSeries,
  markFailed,
  markMade,
  markRuns,
  pauseWith,
  recordOutcomes,
} from './due.queries.ts'
import { decide } from './due.ts'
import { planSeries } from './runs.queries.ts'

type Order = Omit<NewJob, 'message' | 'mentionsAll'> & { requestId: string; scheduledAt: string }

export type MakeDeps = {
  db: Pool
  /** Creates the job of a run, in the transaction that `begin` opens, as jobs are created for people. */
  createJob: (begin: Begin, order: Order) => Promise<{ id: number }>
}

/** Bounds what a round reads. Series that are left have their turn in the next one. */
const SERIES_AT_ONCE = 100

/**
 * Recurring work: makes the runs that are due, and records how the jobs of former ones ended. What fails unexpectedly
 * for one series is tried again, and holds up no other.
 */
export async function makeDueRuns(deps: MakeDeps, signal: AbortSignal): Promise<void> {
  await recordOutcomes(deps.db)
  const errors: unknown[] = []
  for (const id of await findDueSeries(deps.db, SERIES_AT_ONCE)) {
    if (signal.aborted) return
    await makeDueRun(deps, id).catch((error: unknown) => errors.push(error))
  }
  if (errors.length > 0) throw errors[0]
}

/** Recurring work: plans the runs of series further ahead, and ends those that have no more. */
export async function planDueSeries(db: Pool, signal: AbortSignal): Promise<void> {
  for (const id of await findSeriesToPlan(db, 1000)) {
    if (signal.aborted) return
    await db.begin(async (tx) => {
      if (await lockDueSeries(tx, id)) await planSeries(tx, id)
    })
  }
  await endFinished(db)
}

type Chosen = { series: DueSeries; run: Awaited<ReturnType<typeof lockDueRuns>>[number] }

/** Makes the run of a series, or says why there is none. Does nothing while somebody else has the series. */
async function makeDueRun(deps: MakeDeps, seriesId: number): Promise<void> {
  const chosen = await deps.db.begin((tx) => chooseRun(tx, seriesId))
  if (!chosen) return
  try {
    await makeRun(deps, chosen)
  } catch (error) {
    if (error instanceof SomebodyWasFaster) return
    const effect = effectOf(error, chosen.series)
    if (!effect) throw error
    await deps.db.begin((tx) => apply(tx, chosen, effect))
  }
}

/** Settles all due runs but the one that is to be made. */
async function chooseRun(tx: Tx, seriesId: number): Promise<Chosen | null> {
  const series = await lockDueSeries(tx, seriesId)
  if (!series) return null
  const due = await lockDueRuns(tx, seriesId)
  if (series.state !== 'active') {
    const reason: Reason = { code: 'run_series_paused', params: {} }
    await markRuns(
      tx,
      due.map(({ id }) => ({ id, state: 'skipped', reason })),
    )
    return null
  }
  const { make, marks } = decide(due, series)
  await markRuns(tx, marks)
  const run = due.find(({ id }) => id === make?.id)
  return run ? { series, run } : null
}

/** The run was made, skipped, moved or changed since it was chosen, or is late by now. */
class SomebodyWasFaster extends Error {}

/** The series can make no run, until a person changes something. */
class CannotGoOn extends Error {
  readonly reason: Reason
  constructor(reason: Reason) {
    super(reason.code)
    this.reason = reason
  }
}

/** Makes the job and marks the run in one transaction, so that neither is without the other. */
async function makeRun({ db, createJob }: MakeDeps, { series, run }: Chosen): Promise<void> {
  const begin: Begin = (work) =>
    db.begin(async (tx) => {
      const author = await lockEverything(tx, { series, run })
      await reopenCheck(tx, series.instanceId, run.dueAt)
      const job = await work(tx, author)
      // Before the run is marked: it has its own message only as long as it is to come.
      await approveJobOfRun(tx, series.id, run.id, idOf(job))
      await markMade(tx, series, run.id, idOf(job))
      return job
    })
  await createJob(begin, orderOf(series, run))
}

/** `Begin` does not know what its work returns. */
const idOf = (job: unknown) => (job as { id: number }).id

/** Locks the author first, as the deletion of a user does. */
async function lockEverything(tx: Tx, { series, run }: Chosen): Promise<Caller> {
  const author = await lockAuthor(tx, series.authorId)
  const present = await lockDueSeries(tx, series.id)
  const due = await lockDueRuns(tx, series.id)
  const isSame = present?.version === series.version && present.state === 'active'
  // Decided anew: a machine that slept in between must not make a run that is hours late by now.
  const make = isSame ? decide(due, present).make : null
  if (!isSame || make?.id !== run.id || make.dueAt !== run.dueAt) throw new SomebodyWasFaster()
  if (present.accountReason) throw new CannotGoOn(present.accountReason)
  if (!author) throw authorCannot('series_author_gone', present)
  if (!hasAccess(author, 'canCreateJobs')) throw authorCannot('series_author_no_right', present)
  if (!seesInstance(author, present.instanceId)) throw authorCannot('series_author_no_account', present)
  return author
}

const authorCannot = (code: ReasonCode, { authorName }: Pick<DueSeries, 'authorName'>) =>
  new CannotGoOn({ code, params: { user: authorName } })

function orderOf(series: DueSeries, run: Chosen['run']): Order {
  const { recipients, frozen, jobType } = series
  const isToGroups = jobType === 'SendToGroups'
  const current = {
    groupSetIds: series.groupSetIds,
    listIds: series.listIds,
    excludedListIds: series.excludedListIds,
  }
  const kept = {
    groupSetIds: [],
    listIds: [],
    excludedListIds: [],
    ...(isToGroups
      ? { groupIds: frozen?.ids ?? [] }
      : { contactIds: frozen?.ids ?? [], phoneNumbers: frozen?.numbers.join('\n') ?? '' }),
  }
  return {
    ...recipients,
    ...(frozen ? kept : current),
    jobType,
    instanceId: series.instanceId,
    messageId: run.messageId ?? series.messageId,
    name: series.name,
    scheduledAt: run.dueAt,
    requestId: requestIdOf(series.id, run.localTime),
  }
}

/**
 * A UUID that only this run has. Its version is 0, which no request may have (`requestId` of `NewJob`): otherwise the
 * author could make a job with it beforehand, which would be taken for that of the run and approved with the series.
 */
function requestIdOf(seriesId: number, localTime: string): string {
  const hash = createHash('sha256').update(`series ${seriesId} ${localTime}`).digest('hex')
  return hash.slice(0, 32).replace(/^(.{8})(.{4}).(.{3})(.{4})(.{12})$/, '$1-$2-0$3-$4-$5')
}

type Effect = { pause: Reason } | { fail: Reason }

/** The author may no longer use what the series was saved with. */
const LOST_SOURCES: readonly string[] = [
  'JOB.MESSAGE_REQUIRED',
  'JOB.LIST_INVALID',
  'JOB.GROUP_SET_INVALID',
] satisfies FieldKey[]

const NOBODY: readonly string[] = [
  'JOB.NOBODY_LEFT',
  'JOB.GROUP_REQUIRED',
  'JOB.PHONE_REQUIRED',
] satisfies FieldKey[]

const failures: Partial<Record<ErrorCode, ReasonCode>> = {
  too_many_recipients: 'run_too_many',
  values_missing: 'run_values_missing',
  texts_too_long: 'run_texts_too_long',
  quota_recipients_user: 'run_quota',
  quota_recipients_account: 'run_quota',
  phone_unreadable: 'run_refused',
}

/** The meaning of a refused job for its series. Null for an error that may pass, or is a bug. */
function effectOf(error: unknown, { authorName }: DueSeries): Effect | null {
  if (error instanceof CannotGoOn) return { pause: error.reason }
  if (quotaOf(error)) return { fail: { code: 'run_quota', params: {} } }
  if (error instanceof InvalidInput) {
    const keys = Object.values(error.fields)
    if (keys.some((key) => LOST_SOURCES.includes(key)))
      return { pause: { code: 'series_author_no_source', params: { user: authorName } } }
    const isNobody = keys.every((key) => NOBODY.includes(key))
    return { fail: { code: isNobody ? 'run_nobody' : 'run_refused', params: {} } }
  }
  const code = error instanceof Refusal ? failures[error.code] : undefined
  return code ? { fail: { code, params: {} } } : null
}

async function apply(tx: Tx, { series, run }: Chosen, effect: Effect): Promise<void> {
  const present = await lockDueSeries(tx, series.id)
  const due = await lockDueRuns(tx, series.id)
  if (present?.version !== series.version || !due.some(({ id }) => id === run.id)) return
  if ('fail' in effect) return markFailed(tx, series.id, run.id, effect.fail)
  await pauseWith(tx, series.id, effect.pause)
  await markRuns(tx, [{ id: run.id, state: 'skipped', reason: { code: 'run_series_paused', params: {} } }])
}
