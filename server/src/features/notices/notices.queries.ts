import type { Language } from '@sendroom/contract/languages'
import { type chosenKinds, fixedKinds, type NoticeChannel } from '@sendroom/contract/notice-kinds'
import type { Notice } from '@sendroom/contract/notices'
import type { Reason } from '@sendroom/contract/values'
import { type Caller, canSeeInstance } from '../../platform/access.ts'
import { canApproveFor, isNoAuthor, isNoAuthorOfSeries } from '../../platform/approvers.ts'
import type { Db, Pool } from '../../platform/database/connection.ts'
import { sql } from '../../platform/database/sql.ts'

const LISTED = 200
/** A job is named by the beginning of its message. */
const TITLE_LENGTH = 50

/** Condition: the trouble is one user's, whatever accounts they see. Its `instance_id` is 0, which is nobody's. */
const isPersonal = sql`(t.kind in ('new_browser', 'sign_in_changed', 'key_expiring'))`

/** Condition: the trouble concerns how a user signs in. */
const isOfSignIn = sql`(t.kind = any(${[...fixedKinds]}::text[]))`

/** The id of the API key that the trouble is about. */
const keyId = sql`case when t.kind = 'key_expiring' then split_part(t.host, ' ', 1)::bigint end`

/** The columns of a notice of the trouble `t`. Rows whose instance or job was deleted are left out. */
const columns = sql`
  t.id, t.kind, case when s.id is null and not ${isPersonal} then t.host else '' end as host, t.reason, t.began_at,
  t.ended_at, coalesce(k.expires_at, i.expired_time) as expires_at,
  case when k.id is not null then jsonb_build_object('id', k.id, 'name', k.name) end as api_key,
  case when i.id is not null then jsonb_build_object('id', i.id, 'name', i.name) end as instance,
  case when j.id is not null then
    jsonb_build_object('id', j.id, 'name', left(j.text_content, ${TITLE_LENGTH})) end as job,
  case when s.id is not null then jsonb_build_object('id', s.id, 'name', s.name) end as series`

/** The host of a trouble of a series is the id of the series. */
const isOfSeries = sql`(
  t.kind in ('series_approval', 'series_paused', 'series_missed') or t.kind = 'changes_asked' and t.host <> '')`

const subjects = sql`
  left join instances i on i.id = t.instance_id
  left join jobs j on j.id = t.job_id
  left join series s on s.id::text = t.host and ${isOfSeries}
  left join api_keys k on k.id = ${keyId}`

const subjectExists = sql`((t.instance_id = 0 or i.id is not null) and (t.job_id = 0 or j.id is not null)
  and (not ${isOfSeries} or s.id is not null) and (${keyId} is null or k.id is not null))`

const isOfAuthor = sql`exists (select from jobs j where j.id = t.job_id and not ${isNoAuthor(sql`u.id`)})`
/** The host of a sign-in, or of a change, is its entry in the audit log. */
const isOfOwnSignIn = sql`exists (
  select from audit_log a where a.id = t.host::bigint and coalesce(a.object_id, a.user_id) = u.id)`
const isOfApprover = canApproveFor('u', sql`t.instance_id`)

/** Condition: the trouble `t` is for the user `u`. Those of an approval are for a few of those who see the job. */
const concerns = sql`
  case t.kind
    when 'approval_waiting' then ${isOfApprover} and not ${isOfAuthor}
    when 'series_approval' then ${isOfApprover} and not exists (
      select from series s where s.id::text = t.host and not ${isNoAuthorOfSeries(sql`u.id`)})
    when 'approval_overdue' then ${isOfApprover} or ${isOfAuthor}
    when 'approval_overridden' then ${isOfApprover}
    when 'approval_given' then ${isOfAuthor}
    when 'new_browser' then ${isOfOwnSignIn}
    when 'sign_in_changed' then ${isOfOwnSignIn}
    when 'key_expiring' then exists (select from api_keys k where k.id = ${keyId} and k.user_id = u.id)
    when 'changes_asked' then ${isOfAuthor} or exists (
      select from series s where s.id::text = t.host and s.author_id = u.id)
    else true
  end`

/**
 * Condition: the user `u` sees what the trouble `t` is about, and may still sign in. Who is locked is told of their
 * sign-in as well: a thief with an Admin's session could lock a user, take over the sign-in and unlock them again.
 */
export const mayKnow = sql`(
  (u.is_active or (${isOfSignIn} and not u.is_waiting)) and (u.role = 'Admin' or ${isPersonal} or exists (
    select from user_instances ui where ui.user_id = u.id and ui.instance_id = t.instance_id))
  and ${concerns}
)`

/**
 * Troubles that last come first, so that no number of those that are over hides them. Among them the sign-in comes
 * first, because a thief can make hundreds of jobs fail. Only Admins see troubles of no instance, unless they are
 * personal.
 */
export const listNotices = (db: Db, caller: Caller) =>
  db.many<Notice>(sql`
    with told as (
      select trouble_id, bool_and(read_at is not null) as is_read, max(id) as newest
      from notices where user_id = ${caller.id} and in_bell group by trouble_id
    )
    select ${columns}, told.is_read
    from told join troubles t on t.id = told.trouble_id ${subjects}
    where (${isPersonal} or ${canSeeInstance(caller, 't.instance_id')}) and ${subjectExists}
    order by t.ended_at is not null, not ${isOfSignIn}, told.newest desc limit ${LISTED}`)

/** Returns whether anything has changed. */
export async function markRead(db: Db, userId: number, troubleIds: number[]): Promise<boolean> {
  const count = await db.run(sql`
    update notices set read_at = clock_now()
    where user_id = ${userId} and trouble_id = any(${troubleIds}::bigint[]) and read_at is null`)
  return count > 0
}

type Choice = { kind: (typeof chosenKinds)[number]; channels: NoticeChannel[] }

export const listChoices = (db: Db, userId: number) =>
  db.many<Choice>(sql`select kind, channels from notice_choices where user_id = ${userId}`)

export const saveChoice = (db: Db, userId: number, { kind, channels }: Choice) =>
  db.run(sql`
    insert into notice_choices (user_id, kind, channels) values (${userId}, ${kind}, ${channels}::text[])
    on conflict (user_id, kind) do update set channels = excluded.channels`)

export type Recipient = { id: number; username: string; email: string; language: Language }

export const findRecipient = (db: Db, id: number) =>
  db.one<Recipient>(sql`select id, username, email, language from users where id = ${id}`)

/** The address that the user had a day ago, if it has changed: a thief could do that before everything else. */
export const findFormerEmail = (db: Db, userId: number) =>
  db.maybeOne<{ email: string }>(sql`
    select details->'changes'->'email'->>0 as email from audit_log
    where action = 'user.update' and at > clock_now() - interval '1 day' and object_id = ${userId}
      and details->'changes' ? 'email'
    order by id limit 1`)

/** A notice that waits for an email. `moment` is the latest: nobody wants to read that an ended trouble began. */
export type DueNotice = Omit<Notice, 'isRead' | 'reason'> & {
  moment: 'begin' | 'reminder' | 'end'
  /** Stored by the engine; the codes of a newer program may be among them. */
  reason: Reason | null
}

/** The user's notices that wait for an email. */
export async function findDueIds(db: Db, userId: number): Promise<number[]> {
  const due = await db.many<{ id: number }>(
    sql`select id from notices where user_id = ${userId} and email_due`,
  )
  return due.map(({ id }) => id)
}

/** Reads these notices of a user, one for each trouble, without those that the user may no longer see. */
export const describeDue = (db: Db, userId: number, ids: number[]) =>
  db.many<DueNotice>(sql`
    select ${columns}, n.moment
    from (
      select distinct on (trouble_id) * from notices where id = any(${ids}::bigint[]) order by trouble_id, id desc
    ) n join troubles t on t.id = n.trouble_id ${subjects} join users u on u.id = n.user_id
    where n.user_id = ${userId} and ${mayKnow} and ${subjectExists}
    order by t.began_at, i.name, t.id`)

export type DueEmail = { userId: number; tries: number }

/**
 * Claims a user to whom an email is due. Until `try_at` no other process does. The wait grows from one minute to five.
 */
export async function claimEmail(db: Pool): Promise<DueEmail | null> {
  const due = await db.maybeOne<DueEmail>(sql`
    update due_emails set tries = tries + 1,
      try_at = clock_now() + least(power(2, least(tries, 10)), 5) * interval '1 minute'
    where user_id = (
      select user_id from due_emails where try_at <= clock_now() order by try_at limit 1 for update skip locked)
    returning user_id, tries`)
  return due ?? null
}

/** The time between two emails to a user. */
const EMAIL_EVERY = sql`interval '5 minutes'`

/**
 * These notices have left, or need not. After an email the user stays in the queue without notices, so that the next
 * one waits. Without an email, what came meanwhile is due at once.
 */
export async function finishEmail(tx: Db, userId: number, ids: number[], isSent: boolean): Promise<void> {
  await tx.run(sql`update notices set email_due = false where id = any(${ids}::bigint[])`)
  const wait = isSent ? EMAIL_EVERY : sql`interval '0'`
  await tx.run(sql`
    update due_emails set tries = 0, try_at = clock_now() + ${wait} where user_id = ${userId}`)
  if (isSent) return
  const isMoreDue = sql`exists (select from notices where user_id = ${userId} and email_due)`
  await tx.run(sql`delete from due_emails where user_id = ${userId} and not ${isMoreDue}`)
}
