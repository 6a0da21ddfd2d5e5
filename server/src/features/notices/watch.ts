import { limits } from '@sendroom/contract/limits'
import { fixedKinds, type NoticeKind, noticeChannels } from '@sendroom/contract/notice-kinds'
import { notifyChanges } from '../../platform/changes.ts'
import { LOCKS, tryLock } from '../../platform/database/advisory-lock.ts'
import type { Db, Pool } from '../../platform/database/connection.ts'
import { identifier, type Sql, sql } from '../../platform/database/sql.ts'
import { mayKnow } from './notices.queries.ts'
import { presentTroubles, wasOvercome } from './present.queries.ts'

/** How long a trouble lasts before anybody is told. An instance that reconnects at once has not dropped out. */
const PATIENCE = sql`case t.kind when 'job_stuck' then interval '15 minutes' else interval '10 seconds' end`
/** A step that people take, each time of which is news. */
const isStep = sql`(
  t.kind in ('approval_waiting', 'approval_given', 'changes_asked', 'approval_overdue', 'approval_overridden',
    'series_approval', 'new_browser', 'sign_in_changed', 'key_expiring'))`
/**
 * How long a trouble must be gone before it counts as over: 5 minutes, and twice as long after each relapse, up to an
 * hour. Otherwise what comes and goes would be told each time.
 */
const CALM = sql`case when ${isStep} then interval '0'
  else least(interval '5 minutes' * power(2, least(t.relapses, 4)), interval '1 hour') end`
/** Begins once. Only a clock that was set back brings it again. */
const ONCE: NoticeKind[] = [...fixedKinds, 'key_expiring']
/** A trouble that returns within this time after its end has relapsed. */
const RELAPSES_WITHIN = sql`interval '1 day'`
const REMIND_AFTER = sql`interval '1 hour'`
/** An email that could not be sent for this long is no news any more. */
const EMAIL_LASTS = sql`interval '1 day'`
/** Each is weighed for every user: a thousand for a thousand users take a second. The others follow. */
const ANNOUNCED_AT_ONCE = 1000
/** Bounds the rows that one statement deletes. */
const SLICE = 5000

/**
 * Compares what is in trouble now with what was, and writes a notice for each user who has to know. Works from states
 * alone, so nothing is missed while no worker runs, and nothing is told twice, whichever process looks.
 */
export async function lookForTroubles(db: Pool, { hasMail }: { hasMail: boolean }): Promise<void> {
  await db.begin(async (tx) => {
    if (!(await tryLock(tx, LOCKS.notices))) return
    await correctTimes(tx)
    await updateTroubles(tx)
    const told = [
      ...(await announce(tx, hasMail)),
      ...(await remind(tx, hasMail)),
      ...(await end(tx, hasMail)),
    ]
    await queueEmails(tx)
    const users = new Set(told.map(({ userId }) => userId))
    const changed = [...users].map(
      (userId) => ({ feature: 'notices', id: null, instanceId: null, userId }) as const,
    )
    await notifyChanges(tx, changed)
  })
}

/** A clock that was ahead and is set right must not delay a notice by as much. */
const correctTimes = (tx: Db) =>
  tx.run(sql`
    update troubles
    set began_at = least(began_at, clock_now()), gone_at = case when gone_at is not null then least(gone_at, clock_now()) end
    where ended_at is null and greatest(began_at, gone_at) > clock_now()`)

/** Opens new troubles, and marks those that are gone. A trouble that passes before anybody was told leaves no trace. */
async function updateTroubles(tx: Db) {
  await tx.run(sql`
    with present as materialized (${presentTroubles}), seen as (
      insert into troubles as t (kind, instance_id, job_id, host, reason)
      select * from present p where not (p.kind = any(${ONCE}) and exists (
        select from troubles last
        where (last.kind, last.instance_id, last.job_id, last.host) = (p.kind, p.instance_id, p.job_id, p.host)
          and last.ended_at > clock_now() - ${RELAPSES_WITHIN}))
      on conflict (kind, instance_id, job_id, host) where ended_at is null
      do update set gone_at = null, reason = excluded.reason,
        relapses = t.relapses + case when t.gone_at is null then 0 else 1 end
      where t.gone_at is not null or t.reason is distinct from excluded.reason
    )
    update troubles t set gone_at = clock_now()
    where t.ended_at is null and t.gone_at is null
      -- Hashed, however few rows PostgreSQL expects. Thousands compared with thousands would take minutes.
      and (kind, instance_id, job_id, host) not in (select kind, instance_id, job_id, host from present)`)
  await tx.run(sql`
    delete from troubles where ended_at is null and announced_at is null and gone_at is not null`)
  await dateBySignIn(tx)
}

/** A notice of one’s sign-in is dated by the event, and not by when a process looked, which may be hours later. */
const dateBySignIn = (tx: Db) =>
  tx.run(sql`
    update troubles t
    set began_at = least(began_at, (select a.at from audit_log a where a.id = t.host::bigint))
    where t.ended_at is null and t.announced_at is null and t.kind = any(${[...fixedKinds]}::text[])`)

type Told = { userId: number }

/**
 * Another trouble of the instance says the same as the trouble `t` of a job: the instance is down, or another of its
 * jobs has stood still for longer. What holds a job back holds back its instance. A trouble that has been gone for
 * longer than a job may stand still explains nothing, although its calm may last for an hour.
 */
const isExplained = sql`exists (
  select from troubles other
  where other.instance_id = t.instance_id and other.ended_at is null
    and coalesce(other.gone_at > clock_now() - interval '15 minutes', true)
    and (other.kind = 'account_down' or (other.kind = 'job_stuck' and other.id < t.id)))`

/** Tells users of troubles that have lasted. Those of an instance are told once, and not again for each of its jobs. */
const announce = (tx: Db, hasMail: boolean) =>
  tx.many<Told>(sql`
  with begun as (
    update troubles t
    set announced_at = clock_now(),
      relapses = coalesce((
        select last.relapses + 1 from troubles last
        where (last.kind, last.instance_id, last.job_id, last.host) = (t.kind, t.instance_id, t.job_id, t.host)
          and last.ended_at > clock_now() - ${RELAPSES_WITHIN}
        order by last.ended_at desc limit 1), 0)
    where t.id in (
      select t.id from troubles t
      where t.ended_at is null and t.announced_at is null and t.began_at <= clock_now() - ${PATIENCE}
        and not (t.kind = 'job_stuck' and ${isExplained})
      order by t.id limit ${ANNOUNCED_AT_ONCE})
    returning t.*
  )
  ${tell('begin', sql`begun t join users u on ${mayKnow}`, hasMail)}`)

/** Whoever has read the notice knows. Of a key that expires the second notice is the reminder. */
const remind = (tx: Db, hasMail: boolean) =>
  tx.many<Told>(sql`
  with lasting as (
    update troubles t set reminded_at = clock_now()
    where t.ended_at is null and t.gone_at is null and t.reminded_at is null
      and t.announced_at <= clock_now() - ${REMIND_AFTER} and t.kind <> 'key_expiring'
    returning t.*
  )
  ${tell('reminder', sql`${thoseTold('lasting')} and n.read_at is null`, hasMail)}`)

const end = (tx: Db, hasMail: boolean) =>
  tx.many<Told>(sql`
  with ended as (
    update troubles t set ended_at = t.gone_at
    where t.ended_at is null and t.gone_at <= clock_now() - ${CALM}
    returning t.*, ${wasOvercome} as was_overcome
  )
  ${tell('end', sql`${thoseTold('ended')} and t.was_overcome`, hasMail)}`)

/** The users who know how the troubles of this CTE began. */
const thoseTold = (troubles: 'lasting' | 'ended') => sql`
  ${identifier(troubles)} t
  join notices n on n.trouble_id = t.id and n.moment = 'begin'
  join users u on u.id = n.user_id and ${mayKnow}`

/** Writes the notices of `troubles`, rows of a trouble `t` and a user `u`, by the channels that the user has chosen. */
const tell = (moment: string, troubles: Sql, hasMail: boolean) => sql`
  insert into notices (user_id, trouble_id, moment, in_bell, email_due)
  select u.id, t.id, ${moment}, chosen.bell, chosen.email
  from ${troubles}
  cross join lateral (
    select 'bell' = any(channels) as bell, 'email' = any(channels) and ${hasMail} as email
    from (select coalesce(
      (select c.channels from notice_choices c where c.user_id = u.id and c.kind = t.kind and c.kind <> all(${[...fixedKinds]}::text[])),
      ${[...noticeChannels]}::text[]) as channels) c
  ) chosen
  where chosen.bell or chosen.email
  -- The bell lists notices by their ids, so the latest trouble gets the highest.
  order by t.id
  on conflict do nothing
  returning user_id`

/** Queues an email for each user with notices due. As all rows are read, this repairs the queue as well. */
async function queueEmails(tx: Db) {
  await tx.run(sql`
    update notices set email_due = false where email_due and created_at < clock_now() - ${EMAIL_LASTS}`)
  await tx.run(sql`
    insert into due_emails (user_id) select distinct user_id from notices where email_due on conflict do nothing`)
}

/** Recurring work: deletes troubles that ended long ago, with their notices. */
export async function deleteOldNotices(db: Pool): Promise<void> {
  const old = sql`ended_at < clock_now() - ${limits.noticeDays} * interval '1 day'`
  for (let count = SLICE; count === SLICE; )
    count = await db.run(sql`
      delete from troubles where id in (select id from troubles where ${old} order by ended_at limit ${SLICE})`)
}
