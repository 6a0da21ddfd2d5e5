import { type Sql, sql } from '../../platform/database/sql.ts'

/*
 * Where the open deliveries of a job `j` are found, without reading those that are settled:
 *
 *   untried    from `jobs.cursor` on; sending moves the cursor forward only
 *   requeued   queued with a `not_before`: the index deliveries_requeued. So are those that were brought forward before
 *              they were tried, because their people are known now (migrations/0063-known-people-first.sql)
 *   in doubt   the index deliveries_doubt
 *   sending    at most one of an instance: `instances.in_flight`
 *
 * `order by … limit 1` on just the columns of an index makes the planner take that index and read one row, whatever it
 * believes about the table: fresh statistics come minutes after 100,000 new rows.
 */

export const isUntried = sql`d.job_id = j.id and d.id >= j.cursor`

export const isRequeued = sql`d.job_id = j.id and d.not_before > 'epoch' and d.status = 'queued'`

const firstUntried = sql`(select d.id from deliveries d where ${isUntried} order by d.id limit 1)`

const firstRequeued = sql`(
  select d.not_before from deliveries d where ${isRequeued} order by d.not_before limit 1
)`

/** Condition: the job `j` has a delivery that could be sent now. */
export const hasDueDelivery = sql`(
  ${firstUntried} is not null or coalesce(${firstRequeued} <= clock_now(), false)
)`

/** Condition: the job `j` has a delivery waiting to be sent, now or later. */
export const hasQueuedDelivery = sql`(
  ${firstUntried} is not null or ${firstRequeued} is not null
)`

/** When the first requeued delivery of the job `j` is due; null when there is none. */
export const requeuedUntil = firstRequeued

/** The same for the last one. */
export const requeuedUntilLast = sql`(
  select d.not_before from deliveries d where ${isRequeued} order by d.not_before desc limit 1
)`

/** Why the person of the first requeued delivery of the job `j` gets no message for now; null if that has no reason. */
export const whyPutOff = sql`(
  select case when d.reason->>'code' in ('person_limit', 'number_key_missing') then d.reason end
  from deliveries d where ${isRequeued} order by d.not_before limit 1
)`

/**
 * How many deliveries of the job `j` are queued, without counting them one by one. Slightly too many when two jobs were
 * created at the same moment and their ids are mixed.
 */
export const aboutQueued = sql`(
  least(j.recipient_count, (select max(d.id) from deliveries d where d.job_id = j.id) + 1 - j.cursor)
  + (select count(*) from deliveries d where ${isRequeued} and d.id < j.cursor)
)`

/** Condition: the job `j` has a message in doubt. */
export const hasDoubt = sql`(
  (select d.chat_id from deliveries d
   where d.instance_id = j.instance_id and d.job_id = j.id and d.doubt_since is not null
   order by d.chat_id limit 1) is not null
)`

/** Condition: a message of the job `j` is being sent. */
export const hasInFlight = sql`exists (
  select from instances f join deliveries d on d.id = f.in_flight
  where f.id = j.instance_id and d.job_id = j.id
)`

/** Condition: the job `j` has a delivery that is queued, sending or in doubt. */
export const hasOpenDelivery = sql`(
  ${hasQueuedDelivery} or ${hasDoubt} or ${hasInFlight}
)`

/** In an update of jobs: moves the cursor behind the last delivery, so that none counts as untried. */
export const cursorAtEnd = (jobId: number) => sql`
  cursor = coalesce((select max(d.id) + 1 from deliveries d where d.job_id = ${jobId}), 0)`

/** The next delivery is chosen among so many requeued ones. */
const REQUEUED_AT_ONCE = 100

/**
 * The next delivery of the job `j`. A requeued one goes before an untried one, since it has waited longer. `mayGo` is a
 * condition about a requeued delivery `d`: one that has to wait holds back no other.
 */
export const nextDelivery = (mayGo: Sql) => sql`
  (select d.*, false as is_untried from (
     select d.* from deliveries d
     where ${isRequeued} and d.not_before <= clock_now()
     order by d.not_before limit ${REQUEUED_AT_ONCE}) d
   where ${mayGo}
   order by d.not_before limit 1)
  union all
  (select d.*, true as is_untried from deliveries d where ${isUntried} order by d.id limit 1)
  order by not_before desc limit 1`

/** In an update of jobs `j`: moves the cursor over deliveries that were found sent, or behind the last delivery. */
export const cursorAtFirstQueued = sql`
  cursor = coalesce(
    (select d.id from deliveries d where ${isUntried} and d.status = 'queued' order by d.id limit 1),
    (select max(d.id) + 1 from deliveries d where d.job_id = j.id), 0)`
