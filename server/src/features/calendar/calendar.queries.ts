import type { CalendarEntry } from '@sendroom/contract/calendar'
import { limits } from '@sendroom/contract/limits'
import { type Caller, canSeeInstance } from '../../platform/access.ts'
import type { Db } from '../../platform/database/connection.ts'
import { type Sql, sql } from '../../platform/database/sql.ts'

/** A day, from its midnight to the next (ISO 8601). */
export type Span = { since: string; until: string }

/** The accounts whose entries are read. Null means all. */
export type InstanceIds = readonly number[] | null

// The expression of the indexes jobs_calendar and jobs_calendar_of_instance.
const jobTime = sql`coalesce(j.started_at, j.scheduled_at, j.created_at)`

const daysOf = (spans: readonly Span[]) => sql`
  unnest(${spans.map(({ since }) => since)}::timestamptz[], ${spans.map(({ until }) => until)}::timestamptz[])
    with ordinality d (since, until, place)`

/** The rows of one kind, and the indexed columns by which they are found. */
type Source = { kind: Sql; from: Sql; id: Sql; at: Sql; instanceId: Sql; isListed: Sql }

const jobs: Source = {
  ...{ kind: sql`'job'`, from: sql`jobs j`, id: sql`j.id`, at: jobTime, instanceId: sql`j.instance_id` },
  isListed: sql`true`,
}
const runs: Source = {
  ...{
    kind: sql`'run'`,
    from: sql`series_runs r`,
    id: sql`r.id`,
    at: sql`r.due_at`,
    instanceId: sql`r.instance_id`,
  },
  // Those that were made are listed as jobs.
  isListed: sql`r.state <> 'made'`,
}

/**
 * The earliest rows of the day `d`. Each account has its own walk along an index: one walk over all accounts would read
 * the rows of others, and sorting those of several accounts would read all of them.
 */
function firstOf(
  { kind, from, id, at, instanceId, isListed }: Source,
  instanceIds: InstanceIds,
  limit: number,
): Sql {
  const walk = (isOf: Sql) => sql`
    (select ${kind} as kind, ${id} as id, ${at} as at, ${instanceId} as instance_id from ${from}
    where ${isOf} and ${isListed} and ${at} >= d.since and ${at} < d.until order by ${at}, ${id} limit ${limit})`
  return instanceIds === null
    ? walk(sql`true`)
    : sql`(select f.* from unnest(${instanceIds}::bigint[]) shown_id cross join lateral
        ${walk(sql`${instanceId} = shown_id`)} f)`
}

const firstOfBoth = (instanceIds: InstanceIds, limit: number) => sql`(
  select * from ${firstOf(jobs, instanceIds, limit)} jobs union all select * from ${firstOf(runs, instanceIds, limit)} runs)`

/** Counts the jobs and runs of each day, up to one more than a calendar says. */
export async function countByDay(
  db: Db,
  instanceIds: InstanceIds,
  spans: readonly Span[],
): Promise<number[]> {
  const most = limits.calendarCount + 1
  const days = await db.many<{ count: number }>(sql`
    select (select count(*) from (select from ${firstOfBoth(instanceIds, most)} found limit ${most}) counted) as count
    from ${daysOf(spans)} order by d.place`)
  return days.map(({ count }) => count)
}

export type Key = Pick<CalendarEntry, 'kind' | 'id'> & { place: number; instanceId: number }

/** The first entries of each day, in the order of time. `place` is that of the day, from 1. */
export const findFirstOfDays = (db: Db, instanceIds: InstanceIds, spans: readonly Span[], perDay: number) =>
  db.many<Key>(sql`
    select d.place, e.kind, e.id, e.instance_id
    from ${daysOf(spans)} cross join lateral (
      select * from ${firstOfBoth(instanceIds, perDay)} found order by found.at, found.kind, found.id limit ${perDay}
    ) e
    order by d.place, e.at, e.kind, e.id`)

/** An entry without what the pace of its account says. */
export type Found = Omit<CalendarEntry, 'instance' | 'endsAt' | 'competes'> & {
  instanceId: number
  completedAt: string | null
  /** The messages that are still to be sent. Null if nobody knows how many. */
  left: number | null
}

/** A job that has left the account of its series is there without it for those who don't see that account. */
export const findJobs = (db: Db, caller: Caller, ids: readonly number[]) =>
  db.many<Found>(sql`
    select 'job' as kind, j.id, s.id as series_id,
      coalesce(nullif(j.name, ''), s.name, left(j.text_content, 100)) as name, j.instance_id, j.job_type,
      j.status as state, j.paused_at is not null as is_paused, ${jobTime} as starts_at, j.completed_at,
      case when j.status = 'Pending' then j.review end as review, j.recipient_count, j.version,
      j.status = 'Pending' and j.started_at is null and j.review is distinct from 'in_review' as is_movable,
      case j.status when 'Pending' then j.recipient_count when 'Running' then j.recipient_count - (
        select coalesce(sum(c.sent + c.failed + c.skipped), 0)::int from job_counts c where c.job_id = j.id) end as left
    from jobs j left join series_runs r on r.job_id = j.id
      left join series s on s.id = r.series_id and ${canSeeInstance(caller, 's.instance_id')}
    where j.id = any(${ids}::bigint[])`)

/**
 * About how many recipients the next run of the series `s` has: as many as the last one, or those chosen for a first
 * one. Null if only a filter knows.
 */
const aboutRecipients = sql`
  coalesce(
    jsonb_array_length(s.frozen->'ids') + jsonb_array_length(s.frozen->'numbers'),
    (
      select j.recipient_count from series_runs l join jobs j on j.id = l.job_id
      where l.series_id = s.id and l.due_at <= clock_now() order by l.due_at desc, l.id desc limit 1
    ),
    case when not exists (
      select from series_lists sl join lists l on l.id = sl.list_id
      where sl.series_id = s.id and not sl.is_excluded and l.filter is not null
    ) then
      jsonb_array_length(s.recipients->'groupIds') + jsonb_array_length(s.recipients->'contactIds')
      + coalesce(cardinality(regexp_split_to_array(nullif(trim(s.recipients->>'phoneNumbers'), ''), '[,;\t\n]+')), 0)
      + (
        select count(distinct g.group_id)::int
        from series_group_sets sg join group_set_groups g on g.group_set_id = sg.group_set_id where sg.series_id = s.id
      ) + (
        select coalesce(sum(c.n), 0)::int from series_lists sl join counts c on c.owner = 'list ' || sl.list_id
        where sl.series_id = s.id and not sl.is_excluded
      )
    end)`

export const findRuns = (db: Db, ids: readonly number[]) =>
  db.many<Found>(sql`
    with run as materialized (
      select * from series_runs where id = any(${ids}::bigint[])
    ), of_series as materialized (
      select s.id, s.name, s.instance_id, s.job_type, s.state, ${aboutRecipients} as recipients
      from series s where s.id in (select series_id from run)
    )
    select 'run' as kind, r.id, s.id as series_id, s.name, s.instance_id, s.job_type, r.state,
      s.state = 'paused' as is_paused, null as review, r.due_at as starts_at, null as completed_at, s.recipients as recipient_count,
      null::int as version, r.state = 'planned' as is_movable,
      case when r.state in ('planned', 'waiting') then s.recipients end as left
    from run r join of_series s on s.id = r.series_id`)
