import type { SeriesPeople } from '@sendroom/contract/series'
import type { Named, Reason } from '@sendroom/contract/values'
import { isApprovedSeries, unapprovedRuns } from '../../platform/approvers.ts'
import { record } from '../../platform/audit.ts'
import type { Db, Pool, Tx } from '../../platform/database/connection.ts'
import { json, sql } from '../../platform/database/sql.ts'
import { entryOf } from './audit.ts'
import type { DueRun, Mark } from './due.ts'

/** So many failed runs in a row pause a series. */
const FAILED_IN_A_ROW = 3

/** The series with a run to make now. Indexes have the due runs, and those that wait for a job that has ended. */
export async function findDueSeries(db: Db, limit: number): Promise<number[]> {
  const due = await db.many<{ id: number }>(sql`
    select id from (
      select series_id as id, min(due_at) as due_at from (
        select series_id, due_at from series_runs
        where state = 'planned' and due_at <= clock_now() order by due_at limit ${limit * 10}
      ) planned group by series_id
      union
      select w.series_id, min(w.due_at) from series_runs w
      where w.state = 'waiting' and not exists (
        select from series_runs o where o.series_id = w.series_id and o.state = 'made' and o.outcome is null)
      group by w.series_id
    ) due group by id order by min(due_at), id limit ${limit}`)
  return due.map(({ id }) => id)
}

/** A series of which a run is due, with the message that its runs take in turn. */
export type DueSeries = {
  id: number
  name: string
  state: 'active' | 'paused' | 'ended'
  version: number
  instanceId: number
  jobType: 'SendToGroups' | 'SendToUsers'
  overlap: 'skip' | 'wait'
  recipients: SeriesPeople
  frozen: { ids: number[]; numbers: string[] } | null
  authorId: number | null
  authorName: string
  messageId: number | null
  groupSetIds: number[]
  listIds: number[]
  excludedListIds: number[]
  /** The database's clock. */
  now: string
  isFormerLive: boolean
  /** Why no run of this account can be made, as long as that lasts. */
  accountReason: Reason | null
}

/** Locks the series. Null if somebody else has it: another process that makes its run, or a person who changes it. */
export async function lockDueSeries(tx: Tx, id: number): Promise<DueSeries | null> {
  const isFree = await tx.run(sql`select from series where id = ${id} for update skip locked`)
  if (isFree === 0) return null
  return tx.one<DueSeries>(sql`
    select s.id, s.name, s.state, s.version, s.instance_id, s.job_type, s.overlap, s.recipients, s.frozen, s.author_id,
      s.author_name, clock_now() as now, (
        select sm.message_id from series_messages sm where sm.series_id = s.id and sm.position = s.next_position
      ) as message_id,
      array(select group_set_id from series_group_sets where series_id = s.id) as group_set_ids,
      array(select list_id from series_lists where series_id = s.id and not is_excluded) as list_ids,
      array(select list_id from series_lists where series_id = s.id and is_excluded) as excluded_list_ids,
      exists (
        select from series_runs o join jobs j on j.id = o.job_id
        -- Also one that was sent again after its end. One that nobody has approved in time sends nothing.
        where o.series_id = s.id and o.state = 'made'
          and (j.status in ('Pending', 'Running') and j.review is distinct from 'overdue' or j.settling)
      ) as is_former_live,
      case when not i.is_active then ${json({ code: 'account_inactive', params: {} })}
        when i.waiting->>'code' = 'account_unpaid' then i.waiting end as account_reason
    from series s join instances i on i.id = s.instance_id where s.id = ${id}`)
}

export const lockDueRuns = (tx: Tx, seriesId: number) =>
  tx.many<DueRun & { localTime: string; messageId: number | null }>(sql`
    select id, state, due_at, local_time, message_id from series_runs
    where series_id = ${seriesId} and state in ('planned', 'waiting') and due_at <= clock_now()
    order by due_at, id for update`)

export async function markRuns(tx: Tx, marks: readonly Mark[]): Promise<void> {
  for (const { id, state, reason } of marks)
    await tx.run(sql`update series_runs set state = ${state}, reason = ${json(reason)} where id = ${id}`)
}

/** The next run sends the next message. */
export async function markMade(tx: Tx, { id: seriesId }: { id: number }, runId: number, jobId: number) {
  await tx.run(sql`
    update series_runs set state = 'made', reason = null, job_id = ${jobId} where id = ${runId}`)
  await tx.run(sql`
    update series s set next_position = (s.next_position + 1) % (
      select count(*) from series_messages sm where sm.series_id = s.id)
    where s.id = ${seriesId}`)
}

/**
 * The approval of a series is one of its run's job, up to a fifth more recipients than were approved. A message that
 * the run has of its own must be approved, too.
 */
export const approveJobOfRun = (tx: Tx, seriesId: number, runId: number, jobId: number) =>
  tx.run(sql`
    with approved as (
      update jobs j set review = 'approved'
      from series s
      where j.id = ${jobId} and j.review = 'in_review' and s.id = ${seriesId}
        and ${isApprovedSeries} and j.recipient_count <= s.approved_recipients * 1.2
        and not exists (select ${unapprovedRuns} and r.id = ${runId})
      returning j.id, s.approved_by_name, j.review_hash
    )
    insert into job_reviews (job_id, what, by_user_name, hash)
    select id, 'approved', approved_by_name, review_hash from approved`)

export async function markFailed(tx: Tx, seriesId: number, runId: number, reason: Reason): Promise<void> {
  await tx.run(sql`
    update series_runs set state = 'failed', reason = ${json(reason)} where id = ${runId}`)
  await countFailure(tx, seriesId)
}

/** Nobody is signed in, so the entry of the audit log has no user. */
const NOBODY = { id: null, username: '', address: '' }

/** Pauses an active series, of which this may be a condition. The reason makes it a trouble: see notices. */
export async function pauseWith(
  tx: Tx,
  seriesId: number,
  reason: Reason,
  condition = sql`true`,
): Promise<void> {
  const paused = await tx.maybeOne<Named>(sql`
    update series set state = 'paused', paused_reason = ${json(reason)}
    where id = ${seriesId} and state = 'active' and ${condition} returning id, name`)
  if (paused) await record(tx, NOBODY, entryOf('series.pause', paused, { reason: reason.code }))
}

async function countFailure(tx: Tx, seriesId: number): Promise<void> {
  await tx.run(sql`
    update series set failed_in_a_row = failed_in_a_row + 1 where id = ${seriesId}`)
  await pauseWith(
    tx,
    seriesId,
    { code: 'series_runs_failed', params: { count: FAILED_IN_A_ROW } },
    sql`failed_in_a_row >= ${FAILED_IN_A_ROW}`,
  )
}

/** A made run `r` whose job has ended and is not recorded yet. An index has the few whose job goes on. */
const endedRuns = sql`
  from series_runs r left join jobs j on j.id = r.job_id
  where r.state = 'made' and r.outcome is null
    and (j.id is null or (j.status in ('Completed', 'Failed', 'Cancelled') and not j.settling))`

type Ended = { seriesId: number; outcome: 'completed' | 'failed' | 'cancelled' | 'deleted' }

/** Records how the jobs of runs have ended, each once. */
export async function recordOutcomes(db: Pool): Promise<void> {
  const { hasEnded } = await db.one<{ hasEnded: boolean }>(
    sql`select exists (select ${endedRuns}) as has_ended`,
  )
  if (hasEnded) await db.begin(writeOutcomes)
}

async function writeOutcomes(tx: Tx): Promise<void> {
  const ended = await tx.many<Ended>(sql`
    with locked as materialized (
      select s.id from series s where s.id in (select r.series_id ${endedRuns})
      order by s.id limit 1000 for update skip locked
    ), ended as (
      select r.id, case j.status when 'Completed' then 'completed' when 'Failed' then 'failed'
        when 'Cancelled' then 'cancelled' else 'deleted' end as outcome
      ${endedRuns} and r.series_id in (select id from locked)
    )
    update series_runs r set outcome = ended.outcome from ended where r.id = ended.id and r.outcome is null
    returning r.series_id, r.outcome`)
  for (const { seriesId, outcome } of ended) {
    if (outcome === 'failed') await countFailure(tx, seriesId)
    if (outcome === 'completed')
      await tx.run(sql`
        update series set failed_in_a_row = 0 where id = ${seriesId} and failed_in_a_row > 0`)
  }
}

/** Series whose runs are to be planned further ahead. */
export async function findSeriesToPlan(db: Db, limit: number): Promise<number[]> {
  const series = await db.many<{ id: number }>(sql`
    select id from series
    where state = 'active' and planned_until < clock_now() + interval '61 days' order by planned_until limit ${limit}`)
  return series.map(({ id }) => id)
}

/** Ends the series whose rule has no more runs, after the last one. */
export const endFinished = (db: Pool) =>
  db.begin(async (tx) => {
    const locked = await tx.many<{ id: number }>(sql`
      select id from series where state = 'active' and planned_until = 'infinity' order by id for update skip locked`)
    // Another statement, because this one sees the runs of an edit that held the lock before.
    await tx.run(sql`
      update series s set state = 'ended'
      where s.id = any(${locked.map(({ id }) => id)}::bigint[]) and not exists (
        select from series_runs r where r.series_id = s.id and r.state in ('planned', 'waiting'))`)
  })
