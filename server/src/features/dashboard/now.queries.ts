import type { DashboardJob, InstanceAttention } from '@sendroom/contract/dashboard'
import {
  endedWithFailures,
  instanceNeedsAttention,
  instanceWaitsUntil,
  isKnownStuck,
  whyDown,
} from '../../engine/index.ts'
import { type Caller, canSeeInstance, isAdmin, managesContacts } from '../../platform/access.ts'
import type { Db } from '../../platform/database/connection.ts'
import { type Sql, sql } from '../../platform/database/sql.ts'
import { hasGeneratedPassword } from '../../platform/user-row.ts'

/** How many rows of each list the dashboard shows. */
const SHOWN = 5

/** A row of a list that is cut off. `total` counts all its rows. */
export type Counted<Row> = Row & { total: number }

export const findInstancesInTrouble = (db: Db, caller: Caller) =>
  db.many<Counted<InstanceAttention>>(sql`
    select jsonb_build_object('id', i.id, 'name', i.name) as instance, reason,
      case when reason is null then i.expired_time else ${instanceWaitsUntil} end as until,
      count(*) over () as total
    from instances i cross join lateral (select ${whyDown} as reason) down
    where ${canSeeInstance(caller, 'i.id')} and ${instanceNeedsAttention}
    order by reason is null, i.waiting is null, i.expired_time, i.name limit ${SHOWN}`)

/** Counts up to 1,000, in an index. */
export async function countPossibleOptOuts(db: Db, caller: Caller): Promise<number> {
  if (!managesContacts(caller)) return 0
  const { count } = await db.one<{ count: number }>(sql`
    select count(*) as count from (select from possible_opt_outs where decided_at is null limit 1000) open`)
  return count
}

export async function signsInWithGenerated(db: Db, caller: Caller): Promise<boolean> {
  const user = await db.maybeOne(sql`select from users where id = ${caller.id} and ${hasGeneratedPassword}`)
  return user !== undefined
}

type Known = 'waiting' | 'nextSendAt' | 'endsAt'
/** A job as its row has it. `left` counts its recipients who wait. */
export type JobFacts = Omit<DashboardJob, Known> & { left: number }

const jobFacts = sql`
  j.id, left(j.text_content, 100) as message_title,
  (select i.name from instances i where i.id = j.instance_id) as instance_name,
  j.status, j.paused_at is not null as is_paused, j.recipient_count, counted.sent as sent_count, j.failed_count,
  j.scheduled_at, j.completed_at, greatest(j.recipient_count - counted.settled, 0) as left`

const counted = sql`
  cross join lateral (
    select coalesce(sum(c.sent), 0) as sent, coalesce(sum(c.sent + c.failed + c.skipped), 0) as settled
    from job_counts c where c.job_id = j.id
  ) counted`

const findJobs = (db: Db, caller: Caller, status: 'Running' | 'Pending', order: Sql) =>
  db.many<JobFacts>(sql`
    select ${jobFacts}
    from (
      select * from ${openJobs(caller)} j where j.status = ${status} order by ${order} limit ${SHOWN}
    ) j ${counted}
    order by ${order}`)

/**
 * An Admin's first jobs are found by an index. A Member's might be the last ones there, so all open ones of their
 * instances are read: `offset 0` keeps the planner from looking for the first ones among those of others.
 */
const openJobs = (caller: Caller) =>
  isAdmin(caller)
    ? sql`jobs`
    : sql`(
      select * from jobs j
      where (j.status in ('Pending', 'Running') or j.settling) and ${canSeeInstance(caller, 'j.instance_id')} offset 0
    )`

export const findRunningJobs = (db: Db, caller: Caller) => findJobs(db, caller, 'Running', sql`j.id desc`)

export const findUpcomingJobs = (db: Db, caller: Caller) =>
  findJobs(db, caller, 'Pending', sql`coalesce(j.scheduled_at, 'epoch'), j.id`)

/** Jobs that should send and have not for a minute. */
export const findStuckJobs = (db: Db, caller: Caller) =>
  db.many<Counted<JobFacts>>(sql`
    select ${jobFacts}, j.total
    from (
      select j.*, t.began_at, count(*) over () as total
      from troubles t join jobs j on j.id = t.job_id join instances i on i.id = j.instance_id
      where ${isKnownStuck} and ${canSeeInstance(caller, 'j.instance_id')}
      order by t.began_at, j.id limit ${SHOWN}
    ) j ${counted}
    order by j.began_at, j.id`)

/** The newest first. They are counted apart, because an index has all that their number takes. */
export const findFailedJobs = (db: Db, caller: Caller) => {
  const failed = sql`jobs j where ${endedWithFailures} and ${canSeeInstance(caller, 'j.instance_id')}`
  return db.many<Counted<JobFacts>>(sql`
    select ${jobFacts}, (select count(*) from ${failed}) as total
    from (select * from ${failed} order by j.completed_at desc, j.id limit ${SHOWN}) j ${counted}
    order by j.completed_at desc, j.id`)
}
