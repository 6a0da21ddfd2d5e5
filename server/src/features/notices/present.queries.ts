import type { AuditAction } from '@sendroom/contract/audit-actions'
import type { ReviewStep } from '@sendroom/contract/job-life'
import type { NoticeKind } from '@sendroom/contract/notice-kinds'
import type { ReasonCode } from '@sendroom/contract/reasons'
import { expiresSoon, isDown, isStuck, whyDown, whyStuck } from '../../engine/index.ts'
import { areChangesAsked, isWhollyApproved } from '../../platform/approvers.ts'
import type { Sql } from '../../platform/database/sql.ts'
import { join, json, sql } from '../../platform/database/sql.ts'

const stepReason = (what: ReviewStep, code: ReasonCode) => sql`(
  select jsonb_build_object('code', ${code}::text, 'params', jsonb_build_object('user', r.by_user_name))
  from job_reviews r where r.job_id = j.id and r.what = ${what} order by r.id desc limit 1)`

/** Jobs whose approval somebody has decided within the last day, if it still holds. */
const decided = (what: 'approved' | 'overridden', code: ReasonCode) => sql`
  select j.instance_id, j.id, '', ${stepReason(what, code)}
  from jobs j
  where j.review = 'approved' and j.id in (
    select r.job_id from job_reviews r
    where r.what = ${what} and r.at > clock_now() - interval '1 day' and not exists (
      select from job_reviews later
      where later.job_id = r.job_id and later.id > r.id and later.what in ('approved', 'overridden')))`

/** The actions of the audit log that change how a user signs in, or the address that these notices go to. */
const signInChanges: AuditAction[] = [
  'factor.set_up',
  'factor.remove',
  'factor.new_codes',
  'factor.reset',
  'user.password',
  'user.update',
]

/** Changes of one kind that a user is told of in a day. Further ones would only hide other notices. */
const TOLD_A_DAY = 10

/** An older program has not recorded the browser of a change, and a request may have none. */
const browser = sql`coalesce(nullif(details->>'browser', ''), '–')`

/** The reason is called as the action, and after who has done it. */
const changeReason = sql`case
  when details->>'by' = 'command' then jsonb_build_object(
    'code', replace(action, '.', '_') || '_by_command', 'params', '{}'::jsonb)
  when user_id <> object_id then jsonb_build_object(
    'code', replace(action, '.', '_') || '_by', 'params', jsonb_build_object('user', user_name))
  else jsonb_build_object('code', replace(action, '.', '_') || '_from', 'params', jsonb_build_object(
    'browser', ${browser}, 'address', address))
  end`

/**
 * The rows (instance_id, job_id, host, reason) that are in trouble of each kind at the moment. The host of a series is
 * its id, and that of an API key its id with the days that it has left.
 */
const presentOf: Record<NoticeKind, Sql> = {
  // While somebody links an instance again, the trouble lasts.
  account_down: sql`
    select i.id, 0, '', coalesce(${whyDown}, ${json({ code: 'account_not_linked', params: {} })})
    from instances i
    where ${isDown} or (i.is_active and i.status = 'Connecting' and exists (
      select from troubles t where t.kind = 'account_down' and t.instance_id = i.id and t.ended_at is null))`,
  account_expiring: sql`
    select i.id, 0, '', null from instances i where ${expiresSoon}`,
  // A job stays Failed for ever, so an older one is no news.
  job_failed: sql`
    select j.instance_id, j.id, '', null from jobs j
    where j.status = 'Failed' and j.completed_at > clock_now() - interval '1 day'`,
  job_stuck: sql`
    select j.instance_id, j.id, '', ${whyStuck} from jobs j join instances i on i.id = j.instance_id
    where ${isStuck}`,
  approval_waiting: sql`
    select j.instance_id, j.id, '', null from jobs j where j.status = 'Pending' and j.review = 'in_review'`,
  changes_asked: sql`
    select j.instance_id, j.id, '', ${stepReason('changes_asked', 'changes_asked_by')}
    from jobs j where j.status = 'Pending' and j.review = 'changes_asked'
    union all
    select s.instance_id, 0, s.id::text, jsonb_build_object('code', 'changes_asked_by',
      'params', jsonb_build_object('user', s.changes_asked_by_name))
    from series s join instances i on i.id = s.instance_id
    where s.state <> 'ended' and i.approval <> 'never' and ${areChangesAsked}`,
  approval_overdue: sql`
    select j.instance_id, j.id, '', null from jobs j where j.status = 'Pending' and j.review = 'overdue'`,
  approval_given: decided('approved', 'approved_by'),
  approval_overridden: decided('overridden', 'overridden_by'),
  series_approval: sql`
    select s.instance_id, 0, s.id::text, null from series s join instances i on i.id = s.instance_id
    where s.state = 'active' and i.approval <> 'never' and not ${isWhollyApproved}
      and not ${areChangesAsked}`,
  // Whoever pauses a series, or restores a backup, knows.
  series_paused: sql`
    select s.instance_id, 0, s.id::text, s.paused_reason from series s
    where s.state = 'paused' and s.paused_reason->>'code' not in ('series_paused_by', 'series_paused_by_restore')`,
  series_missed: sql`
    select distinct on (s.id) s.instance_id, 0, s.id::text, r.reason from series_runs r join series s on s.id = r.series_id
    where r.state = 'missed' and r.due_at > clock_now() - interval '1 day' order by s.id, r.due_at desc`,
  // A backup that was killed has no end. Without any row, other programs make the backups, or nobody does.
  backup_failed: sql`
    select 0, 0, '', null from (
      select (array_agg(error order by id desc) filter (where finished_at is not null))[1] as last_error,
        coalesce(max(finished_at) filter (where error is null), min(started_at)) as good_until
      from backups
    ) b
    where last_error is not null or good_until <= clock_now() - interval '48 hours'`,
  // The entry says it also if the session has already ended.
  new_browser: sql`
    select 0, 0, a.id::text, jsonb_build_object('code', 'signed_in_by', 'params', jsonb_build_object(
      'browser', ${browser}, 'address', a.address))
    from audit_log a
    where a.action = 'session.sign_in' and a.at > clock_now() - interval '1 day' and a.details ? 'isNewBrowser'`,
  sign_in_changed: sql`
    select 0, 0, id::text, ${changeReason}
    from (
      select *, row_number() over (partition by coalesce(object_id, user_id), action order by id) as nth
      from audit_log a
      where action = any(${signInChanges}) and at > clock_now() - interval '1 day'
        and (action <> 'user.update' or details->'changes' ? 'email')
    ) a
    where nth <= ${TOLD_A_DAY} order by a.id`,
  // A key that was made for fewer days is no news.
  key_expiring: sql`
    select 0, 0, k.id || ' ' || due.days, ${json({ code: 'key_expires', params: {} })}
    from api_keys k, lateral (
      select case when k.expires_at <= clock_now() + interval '1 day' then 1 else 14 end as days) due
    where k.expires_at > clock_now() and k.expires_at <= clock_now() + interval '14 days'
      and k.created_at < k.expires_at - due.days * interval '1 day'`,
  disk_low: sql`
    select 0, 0, d.host, null from disks d where d.is_low and d.checked_at > clock_now() - interval '5 minutes'`,
}

/** A query for all that is in trouble at the moment. */
export const presentTroubles = join(
  Object.entries(presentOf).map(
    ([kind, rows]) => sql`
  select ${kind}::text as kind, instance_id, job_id, host, reason::jsonb from (${rows}) p (instance_id, job_id, host, reason)`,
  ),
  ' union all ',
)

/**
 * Condition: the trouble `t`, which is no longer seen, was overcome. Otherwise it ends without a notice: a person has
 * deleted, stopped or switched off what was in trouble, and nothing can be said of it.
 */
export const wasOvercome = sql`
  case t.kind
    -- A person has ended the jobs of an outage, or the night has. It may go on, with this error or another.
    when 'account_down' then exists (
      select from instances i where i.id = t.instance_id and i.is_active
        and (i.busy is null or t.reason->>'code' like 'account%'))
    when 'account_expiring' then exists (select from instances i where i.id = t.instance_id and i.is_active)
    when 'job_failed' then exists (select from jobs j where j.id = t.job_id and j.status <> 'Failed')
    when 'job_stuck' then exists (
      select from jobs j join instances i on i.id = j.instance_id
      where j.id = t.job_id and (j.status = 'Completed' or (j.status = 'Running' and i.last_intent_at > t.began_at)))
    when 'approval_waiting' then exists (select from jobs j where j.id = t.job_id and j.review = 'approved')
    when 'approval_overdue' then exists (
      select from jobs j where j.id = t.job_id and coalesce(j.review, 'approved') in ('in_review', 'approved'))
    when 'changes_asked' then false
    when 'approval_given' then false
    when 'approval_overridden' then false
    when 'new_browser' then false
    when 'sign_in_changed' then false
    when 'key_expiring' then false
    when 'series_approval' then exists (select from series s where s.id::text = t.host and ${isWhollyApproved})
    when 'series_paused' then exists (select from series s where s.id::text = t.host and s.state = 'active')
    when 'series_missed' then exists (
      select from series_runs r where r.series_id::text = t.host and r.state = 'made' and r.due_at > t.began_at)
    when 'disk_low' then exists (select from disks d where d.host = t.host and not d.is_low)
    else true
  end`
