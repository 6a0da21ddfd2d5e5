import { sql } from '../platform/database/sql.ts'

/*
 * Where the open deliveries of a job `j` are, without walking over those that are settled:
 *
 *   fresh       never tried: all from `fresh_from` on; sending moves that mark forward only
 *   given back  queued with a `not_before`: the index deliveries_given_back
 *   in doubt    the index deliveries_doubt
 *   sending     at most one of an account: `instances.in_flight`
 *
 * `order by … limit 1` on just the columns of an index: whatever the planner believes about the table (fresh
 * statistics come minutes after 100,000 new rows), it takes that index and reads one row.
 */

const isFresh = sql`d.job_id = j.id and d.id >= j.fresh_from`

const isGivenBack = sql`d.job_id = j.id and d.not_before > 'epoch' and d.status = 'queued'`

const firstFresh = sql`(select d.id from deliveries d where ${isFresh} order by d.id limit 1)`

const firstGivenBack = sql`(
  select d.not_before from deliveries d where ${isGivenBack} order by d.not_before limit 1
)`

/** Condition: the job `j` has a delivery that could be sent now. */
export const hasDueDelivery = sql`(
  ${firstFresh} is not null or coalesce(${firstGivenBack} <= clock_now(), false)
)`

/** Condition: the job `j` has a delivery waiting to be sent, now or later. */
export const hasQueuedDelivery = sql`(
  ${firstFresh} is not null or ${firstGivenBack} is not null
)`

/**
 * How many deliveries of the job `j` are queued, without counting them one by one. A few too many where two jobs
 * were created in the same moment, and their ids are mixed.
 */
export const aboutQueued = sql`(
  least(j.recipient_count, (select max(d.id) from deliveries d where d.job_id = j.id) + 1 - j.fresh_from)
  + (select count(*) from deliveries d where ${isGivenBack})
)`

/** Condition: the job `j` has a message in doubt. */
export const hasDoubt = sql`(
  (select d.chat_id from deliveries d
   where d.instance_id = j.instance_id and d.job_id = j.id and d.doubt_since is not null
   order by d.chat_id limit 1) is not null
)`

/** Condition: a message of the job `j` is on its way. */
export const hasInFlight = sql`exists (
  select from instances f join deliveries d on d.id = f.in_flight
  where f.id = j.instance_id and d.job_id = j.id
)`

/** Condition: the job `j` has a delivery that is queued, sending or in doubt. */
export const hasOpenDelivery = sql`(
  ${hasQueuedDelivery} or ${hasDoubt} or ${hasInFlight}
)`

/** For an update of jobs: nothing is left to be tried. */
export const noneFresh = (jobId: number) => sql`
  fresh_from = coalesce((select max(d.id) + 1 from deliveries d where d.job_id = ${jobId}), 0)`

/** The next delivery of the job `j`: one given back goes before a fresh one, for it has waited longer. */
export const nextDelivery = sql`
  (select d.*, false as fresh from deliveries d
   where ${isGivenBack} and d.not_before <= clock_now()
   order by d.not_before limit 1)
  union all
  (select d.*, true as fresh from deliveries d where ${isFresh} order by d.id limit 1)
  order by not_before desc limit 1`
