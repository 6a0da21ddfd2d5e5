import type { JobType } from '@sendroom/contract/job-life'
import { expiryDays } from '@sendroom/contract/limits'
import type { ReasonCode } from '@sendroom/contract/reasons'
import type { Reason } from '@sendroom/contract/values'
import type { Db } from '../../platform/database/connection.ts'
import { asInstant, join, json, type Sql, sql } from '../../platform/database/sql.ts'
import { isCleared } from '../shared/approval.ts'
import { capFreeAt, privateCap } from '../shared/daily-cap.ts'
import { needsHistoryCheck } from '../shared/era.ts'
import { incomingIsKnown } from '../shared/incoming.ts'
import { isRunning, jobMaySend } from '../shared/pace.ts'
import {
  cappedUntil,
  limitsAllow,
  newPeopleUntil,
  privateHoursUntil,
  quarterHourUntil,
  restDayUntil,
  waitsForNewPeople,
} from '../shared/private-pace.ts'
import {
  hasDoubt,
  hasDueDelivery,
  hasInFlight,
  hasOpenDelivery,
  hasQueuedDelivery,
  requeuedUntil,
  whyPutOff,
} from '../shared/queue.ts'

/*
 * Why an instance or a job does not proceed. The page of a job, the dashboard, the lists, the notices and the System
 * page all ask here, so they say the same. Answers are reasons; the sentence of each is the text `REASON.<code>` in
 * web/public/i18n, for pages and emails. *Waits*, *down* and *stuck* are words of the glossary. All SQL is about the
 * instance `i` and the job `j`.
 */

const because = (code: ReasonCode) => json({ code, params: {} })

const quietUntil = sql`quiet_until(i.quiet_from, i.quiet_to, i.time_zone, clock_now())`

const isRestricted = sql`(i.restricted_until > clock_now())`

// -- Instances

/**
 * Why the instance itself waits, or may not write to people; null if the engine knows of nothing. `instances.waiting`
 * is set by the outcome of a send (sending/outcome-effects.ts) and by a status (health/instance-status.ts).
 */
export const whyInstanceWaits = sql`
  coalesce(i.waiting, case
    when ${isRestricted} then ${because('account_restricted')}
    when ${cappedUntil} is not null then ${because('capped_by_whatsapp')} end)`

/** When that ends by itself; null if it does not. */
export const instanceWaitsUntil = sql`
  case when i.waiting is null then case when ${isRestricted} then i.restricted_until else ${cappedUntil} end end`

/** The provider's last word about an instance that was linked before. One that was never linked has not dropped out. */
const statusTrouble = sql`
  case when i.last_sync_at is not null then
    case i.status
      when 'BadToken' then ${because('account_bad_token')}
      when 'Unpaid' then ${because('account_unpaid')}
      when 'Disconnected' then ${because('provider_unreachable')}
      when 'NeedsLogin' then ${because('account_not_linked')}
    end
  end`

/** A provider that answers again within this time was busy, and nobody need know. */
const OUTAGE_AFTER = sql`interval '15 minutes'`

/**
 * The provider holds the instance up. One failed attempt does not say so if the pace has the next one wait for longer.
 */
const isHeldByProvider = sql`(
  i.busy is not null and (i.busy_in_a_row > 1
    or greatest(i.group_pause_to_ms, i.private_pause_to_ms) * interval '1 ms' <= ${OUTAGE_AFTER})
)`

/**
 * The provider has neither taken nor refused a message of the instance for 15 minutes, although a job has open
 * deliveries. Between two attempts nothing is due, so what is due does not matter. A job that began later counts from
 * then. In quiet hours and beyond the cap nothing is tried, so only an attempt as late as that proves an outage.
 */
const hasOutage = sql`(
  ${isHeldByProvider} and exists (
    select from jobs j
      cross join lateral (select greatest(i.busy_since, j.started_at, j.resumed_at) + ${OUTAGE_AFTER} as at) alarm
    where j.instance_id = i.id and ${isRunning} and j.paused_at is null and alarm.at <= clock_now()
      and (alarm.at <= i.last_intent_at or ${quietUntil} is null and ${capFreeAt} is null and ${limitsAllow})
      and ${hasOpenDelivery})
)`

/** Why the instance can't send, or not to people, until a person or the provider steps in. Null if it is not down. */
export const whyDown = sql`
  case when i.is_active then
    coalesce(${whyInstanceWaits}, ${statusTrouble}, case when ${hasOutage} then i.busy end)
  end`

export const isDown = sql`(${whyDown} is not null)`

/** Condition: the active instance expires soon or has expired. */
export const expiresSoon = sql`(
  i.is_active and i.expired_time < clock_now() + ${expiryDays.warning} * interval '1 day'
)`

/** Condition: the dashboard and its list name the instance. */
export const instanceNeedsAttention = sql`(${isDown} or ${expiresSoon})`

// -- Jobs

/** Why a job waits while the condition holds, and until when, if that is known. Without a reason it does not wait. */
type Rule = { if: Sql; why?: Sql; until?: Sql; isTrouble?: true }

/** The instance has just sent or tried to, and rests. */
const isBetween = sql`(i.next_due_at > clock_now())`

/** Condition: the file of the job has to be uploaded before its next message. */
const needsUpload = sql`(j.media_id is null and coalesce(j.image_id, j.file_id) is not null)`

/** A worker has the instance, and uploads a file for one of its jobs. 100 MB may take minutes on a slow line. */
const isUploading = sql`(i.lease_until > clock_now() and exists (
  select from jobs j where j.instance_id = i.id and ${jobMaySend} and ${needsUpload}))`

/** The instance should have sent for a minute and has not, for none of its jobs: those may take turns. */
const isOverdue = sql`(
  greatest(i.next_due_at, i.last_intent_at, j.started_at, j.resumed_at) < clock_now() - interval '1 minute'
  and not ${isUploading}
)`

/** Another job of the instance has a message due. Within the subquery `j` is that job; `asked` is the first one. */
const othersTakeTurns = sql`exists (
  select from jobs j
  where j.instance_id = i.id and j.id <> asked.id and ${jobMaySend} and ${hasDueDelivery}
)`

/** A limit of the instance for jobs to people, with when it ends; null while it does not hold. */
const toPeople = (until: Sql) => ({ if: sql`j.job_type = 'SendToUsers' and ${until} is not null`, until })

/** The step of the warm-up is what counts, not the cap. */
const isWarmUp = sql`(j.job_type = 'SendToUsers' and ${privateCap} = i.warm_up_step)`

const waits: Rule = { if: sql`i.waiting is not null`, why: sql`i.waiting`, isTrouble: true }

/** WhatsApp holds back the messages to people. */
const heldByWhatsApp: Rule[] = [
  {
    if: sql`j.job_type = 'SendToUsers' and ${isRestricted}`,
    why: because('account_restricted'),
    until: sql`i.restricted_until`,
    isTrouble: true,
  },
  { ...toPeople(cappedUntil), why: because('capped_by_whatsapp'), isTrouble: true },
]

/** The limits of the instance's own pace. Of the job they know its type alone, and whether it waits for new people. */
const heldByPace = (forNewPeople: Sql): Rule[] => [
  { if: sql`${quietUntil} is not null`, why: because('quiet_hours'), until: quietUntil },
  { ...toPeople(restDayUntil), why: because('rest_day') },
  {
    if: sql`${capFreeAt} is not null`,
    why: sql`case when ${isWarmUp} then ${because('warm_up')} else ${because('daily_cap')} end`,
    until: capFreeAt,
  },
  { if: forNewPeople, why: because('new_people'), until: newPeopleUntil },
  { ...toPeople(privateHoursUntil), why: because('private_hours') },
  { ...toPeople(quarterHourUntil), why: because('quarter_hour') },
]

/**
 * The first rule that holds says why a job sends nothing at the moment. The instance or its provider cause a trouble.
 */
const rules: Rule[] = [
  { if: sql`j.status not in ('Pending', 'Running')` },
  { if: sql`j.paused_at is not null`, why: because('paused') },
  {
    if: sql`j.status = 'Pending' and not ${isCleared}`,
    why: sql`case j.review
      when 'in_review' then ${because('in_review')}
      when 'changes_asked' then ${because('changes_asked')}
      when 'taken_back' then ${because('taken_back')}
      else ${because('approval_overdue')} end`,
  },
  {
    if: sql`j.status = 'Pending' and j.scheduled_at > clock_now()`,
    why: because('scheduled'),
    until: sql`j.scheduled_at`,
  },
  // While the provider is away, attempts look like sending. The last message of a job may be the one that is tried.
  { if: sql`not ${isHeldByProvider} and ${hasInFlight}` },
  {
    if: sql`not ${hasQueuedDelivery} and not ${hasInFlight}`,
    why: sql`case when ${hasDoubt} then ${because('checking_outcome')} end`,
  },
  { if: sql`not i.is_active`, why: because('account_inactive'), isTrouble: true },
  waits,
  {
    if: needsHistoryCheck,
    why: because('checking_history'),
    until: sql`greatest(clock_now(), (select history_complete_at from heartbeat))`,
  },
  ...heldByWhatsApp,
  { if: sql`not ${incomingIsKnown}`, why: because('reading_incoming') },
  ...heldByPace(waitsForNewPeople),
  {
    if: isHeldByProvider,
    why: sql`i.busy`,
    until: sql`case when ${isBetween} then i.next_due_at when not ${hasDueDelivery} then ${requeuedUntil} end`,
    isTrouble: true,
  },
  // See `OTHERS_FIRST` (sending/hold-instance.ts): only a failed preparation sets this to a later time.
  {
    if: sql`${needsUpload} and j.last_turn_at > clock_now() and ${othersTakeTurns}`,
    why: because('upload_put_off'),
  },
  { if: isBetween, why: because('pause_between'), until: sql`i.next_due_at` },
  {
    if: sql`not ${hasDueDelivery}`,
    why: sql`case
      when ${hasDoubt} then ${because('checking_outcome')}
      else coalesce(${whyPutOff}, ${because('provider_busy')}) end`,
    until: requeuedUntil,
  },
  { if: sql`${needsUpload} and ${isUploading}`, why: because('uploading_file') },
  { if: sql`${othersTakeTurns} and not ${isOverdue}`, why: because('taking_turns') },
]

const first = (of: Rule[], answer: (rule: Rule) => Sql) => sql`
  case ${join(
    of.map((rule) => sql`when ${rule.if} then ${answer(rule)}`),
    ' ',
  )} end`

const whyOf = ({ why }: Rule) => why ?? sql`null::jsonb`
const untilOf = ({ until }: Rule) => until ?? sql`null::timestamptz`

/**
 * The limit or the trouble that holds back the instance `i` for jobs of this type, and until when, as `Hold`; null if
 * none does. `from` leaves out what ends before that moment.
 */
export function holdOf(
  jobType: JobType,
  { from, toNewPeople = true }: { from?: string | null; toNewPeople?: boolean } = {},
) {
  const newPeople = sql`j.job_type = 'SendToUsers' and ${toNewPeople} and ${newPeopleUntil} is not null`
  const lasting = [waits, ...heldByWhatsApp, ...heldByPace(newPeople)].map((rule) =>
    from
      ? { ...rule, if: sql`${rule.if} and coalesce(${untilOf(rule)} > ${from}::timestamptz, true)` }
      : rule,
  )
  return sql`(
    select jsonb_build_object('why', why, 'until', ${asInstant(sql`until`)})
    from (select ${jobType}::text as job_type) j
      cross join lateral (select ${first(lasting, whyOf)} as why, ${first(lasting, untilOf)} as until) hold
    where why is not null)`
}

/** Why the instance or its provider holds the job up; null if neither does. */
export const whyStuck = first(
  rules.filter(({ isTrouble }) => isTrouble),
  whyOf,
)

/**
 * Condition: the job sends nothing at the moment, although neither its pace, its quiet hours and its cap nor a pause by
 * a person hold it up. A job may be stuck for some seconds now and then.
 */
export const isStuck = sql`(
  ${isRunning} and j.paused_at is null and (${whyStuck} is not null or ${isOverdue})
  and ${quietUntil} is null and ${capFreeAt} is null and ${limitsAllow}
  -- Between two attempts of an outage nothing is due.
  and (${hasDueDelivery} or (i.busy is not null and ${hasOpenDelivery}))
)`

/**
 * Condition: the trouble `t` says that the job has been stuck for a minute. A worker writes that down
 * (features/notices/watch.ts), because it takes a look at each running job to know. A job that was paused, or whose
 * instance was resumed since, is left out at once.
 */
export const isKnownStuck = sql`(
  t.kind = 'job_stuck' and t.ended_at is null and t.gone_at is null and t.began_at < clock_now() - interval '1 minute'
  and j.status = 'Running' and j.paused_at is null and (t.reason is null or ${whyStuck} is not null)
)`

const FAILED_DAYS = 7

/** Condition: the job has ended lately with failed recipients. A job that is sent again has no `completed_at`. */
export const endedWithFailures = sql`(
  j.has_failures and j.completed_at > clock_now() - ${FAILED_DAYS} * interval '1 day'
)`

export type Waiting = {
  /** Null when the job waits for nothing, or has ended. */
  waiting: Reason | null
  /** When its next message may go, as far as that is known (ISO 8601). */
  nextSendAt: string | null
}

/**
 * Why a job sends nothing at the moment, for its page. The job's log names a trouble of the instance when it begins
 * (shared/job-log.ts, `troubleLines`); the page shows the present one, which may differ.
 */
export async function whyWaiting(db: Db, jobId: number): Promise<Waiting> {
  return (await whyAllWait(db, [jobId])).get(jobId) ?? { waiting: null, nextSendAt: null }
}

/** The same for some jobs, by their ids. Those that do not exist are left out. */
export async function whyAllWait(db: Db, jobIds: readonly number[]): Promise<Map<number, Waiting>> {
  const found = await db.many<Waiting & { id: number }>(sql`
    select j.id, ${first(rules, whyOf)} as waiting,
      ${first(rules, untilOf)} as next_send_at
    from unnest(${jobIds}::bigint[]) asked (id)
      join jobs j on j.id = asked.id join instances i on i.id = j.instance_id`)
  return new Map(found.map(({ id, ...waiting }) => [id, waiting]))
}
