import { limits } from '@sendroom/contract/limits'
import type { SeriesRule } from '@sendroom/contract/series-rule'
import type { SeriesRun, SeriesRunsQuery } from '@sendroom/contract/series-runs'
import type { Reason } from '@sendroom/contract/values'
import type { Caller } from '../../platform/access.ts'
import type { Db, Tx } from '../../platform/database/connection.ts'
import { json, sql } from '../../platform/database/sql.ts'
import { listPage } from '../../platform/list.ts'
import { type KnownRun, latest, localDay, type Plan, planRuns, type Quiet, runsAfterChange } from './plan.ts'
import { isToCome, messageOfRun } from './series.queries.ts'

const runColumns = sql`
  select r.id, r.local_time, r.due_at, r.number, r.state, r.reason, r.job_id, r.outcome, ${messageOfRun} as message`

export const listRuns = (db: Db, seriesId: number, query: SeriesRunsQuery) => {
  const isNext = sql`(${isToCome} or r.due_at > clock_now())`
  return listPage<SeriesRun>(
    db,
    { ...query, sortDirection: query.period === 'next' ? 'asc' : 'desc' },
    {
      select: runColumns,
      from: sql`
        from series_runs r
        where r.series_id = ${seriesId} and ${query.period === 'next' ? isNext : sql`not ${isNext}`}`,
      sortBy: sql`r.due_at`,
      id: sql`r.id`,
      countKey: ['runs of a series', seriesId, query.period],
    },
  )
}

export async function findRun(db: Db, seriesId: number, runId: number): Promise<SeriesRun | null> {
  const run = await db.maybeOne<SeriesRun>(sql`
    ${runColumns} from series_runs r where r.id = ${runId} and r.series_id = ${seriesId}`)
  return run ?? null
}

/** The facts that the runs of a series depend on. Until `plannedUntil` the runs are rows. */
type Planning = Quiet & { now: string; rule: SeriesRule; plannedUntil: string }

const quietHours = sql`
  case when i.quiet_from is not null then jsonb_build_object(
    'from', left(i.quiet_from::text, 5), 'to', left(i.quiet_to::text, 5), 'timeZone', i.time_zone) end as quiet_hours`

const readPlanning = (tx: Db, seriesId: number) =>
  tx.one<Planning>(sql`
    select clock_now() as now, s.rule, s.quiet_days, s.quiet_policy, ${quietHours},
      -- Infinity is no instant on the wire.
      least(s.planned_until, clock_now() + interval '1 year') as planned_until
    from series s join instances i on i.id = s.instance_id where s.id = ${seriesId}`)

/**
 * Writes the next runs of a series, 62 days ahead, after those that are written. The caller has locked the series. A
 * rule without further runs is planned until the end of time: `endFinished` ends its series after the last one.
 */
export async function planSeries(tx: Db, seriesId: number): Promise<void> {
  const { now, rule, plannedUntil, ...quiet } = await readPlanning(tx, seriesId)
  await writePlan(tx, seriesId, planRuns(rule, quiet, { after: latest(plannedUntil, now), now }))
}

/** Condition: the run `r` is skipped because of quiet days or hours, which nobody has chosen for this run. */
const isQuiet = sql`(r.state = 'skipped' and r.reason->>'code' = 'run_quiet')`

/** Condition: a change of the rule may give the run `r` another time, or drop it. One that is due is being made. */
const isOpen = sql`((${isToCome} or ${isQuiet}) and r.due_at > clock_now())`

/** Writes the runs of a changed rule in place of those to come, from tomorrow on. */
export async function planAnew(tx: Db, seriesId: number): Promise<void> {
  const { now, rule, ...quiet } = await readPlanning(tx, seriesId)
  const today = localDay(now, rule.timeZone)
  const known = await tx.many<KnownRun>(sql`
    select r.local_time, ${isOpen} as is_to_come from series_runs r
    where r.series_id = ${seriesId} and r.due_at > clock_now() - interval '367 days'
      and (not ${isQuiet} or r.due_at > clock_now() and left(r.local_time, 10) > ${today})`)
  await tx.run(sql`
    delete from series_runs r
    where r.series_id = ${seriesId} and ${isOpen} and left(r.local_time, 10) > ${today}`)
  const { runs, until } = planRuns(rule, quiet, { after: now, now })
  await writePlan(tx, seriesId, { runs: runsAfterChange(runs, known, rule, today), until })
}

async function writePlan(tx: Db, seriesId: number, { runs, until }: Plan): Promise<void> {
  const skipped: Reason = { code: 'run_quiet', params: {} }
  await tx.run(sql`
    insert into series_runs (series_id, local_time, due_at, number, state, reason)
    select ${seriesId}, r.local_time, r.due_at, r.number, case when r.is_skipped then 'skipped' else 'planned' end,
      case when r.is_skipped then ${json(skipped)} end
    from unnest(${runs.map((run) => run.localTime)}::text[], ${runs.map((run) => run.dueAt)}::timestamptz[],
      ${runs.map((run) => run.number)}::int[], ${runs.map((run) => run.isSkipped)}::boolean[])
      as r (local_time, due_at, number, is_skipped)
    on conflict do nothing`)
  await tx.run(sql`
    update series set planned_until = coalesce(${until}::timestamptz, 'infinity') where id = ${seriesId}`)
}

/** Runs whose time comes while the series is paused are skipped, and none is made after a resume. */
export const skipPassed = (tx: Db, seriesId: number) =>
  tx.run(sql`
    update series_runs r set state = 'skipped', reason = ${json({ code: 'run_series_paused', params: {} })}
    where r.series_id = ${seriesId} and ${isToCome} and (r.due_at <= clock_now() or r.state = 'waiting')`)

export const dropRunsToCome = (tx: Db, seriesId: number) =>
  tx.run(sql`delete from series_runs r where r.series_id = ${seriesId} and ${isToCome}`)

export const skipRunBy = (tx: Db, runId: number, user: string) =>
  tx.run(sql`
    update series_runs r set state = 'skipped', reason = ${json({ code: 'run_skipped_by', params: { user } })}
    where r.id = ${runId} and ${isToCome}`)

/** Returns 0 if the run is no longer planned. */
export const moveRunTo = (tx: Db, runId: number, dueAt: string) =>
  tx.run(sql`
    update series_runs set due_at = ${dueAt} where id = ${runId} and state = 'planned'`)

/** Returns 0 if the run is no longer planned. Its message is another one for those who approve. */
export const setMessageOfRun = (tx: Tx, runId: number, messageId: number | null, by: Caller) =>
  tx.run(sql`
    with changed as (
      update series_runs set message_id = ${messageId}, message_by_user_id = ${by.id}, approved_message = null
      where id = ${runId} and state = 'planned' returning series_id
    )
    update series s set version = version + 1 from changed where s.id = changed.series_id`)

/** Whether an instant is ahead, and not further than runs are planned. */
export const isAhead = async (db: Db, moment: string) =>
  (
    await db.one<{ isAhead: boolean }>(sql`
    select ${moment}::timestamptz > clock_now()
      and ${moment}::timestamptz < clock_now() + ${limits.seriesDaysAhead} * interval '1 day' as is_ahead`)
  ).isAhead
