import type { Db } from '../../platform/database/connection.ts'
import { identifier, type Sql, sql } from '../../platform/database/sql.ts'
import { nextDelivery } from './queue.ts'

/*
 * The pace of messages to people, which protects an account where WhatsApp watches it
 * (docs/decisions/0035-safe-pace.md). The limits are columns of `instances`, and 0 is none. As with quiet hours and the
 * daily cap, SQL functions (migrations/0053-private-pace.sql) hold back a message in the statement that writes its
 * intent, under the instance's lock. That statement counts its message, too, if the instance has any such limit:
 *
 *   sent_by_hour       messages by hour (daily-cap.ts): the cap, the warm-up, the hours of a day
 *   sent_by_day        by day of the account's time zone: 'p' messages, 'n' new people without an answer, 'r' refusals
 *   last_private_at    the times of the last 15 minutes
 *   instance_people    for each person the first message and the last ones, and whether they have answered
 *
 * A message that was certainly not sent is refunded wherever the daily cap is. Whoever writes `instance_people` locks
 * the instance first: an intent has that lock when it writes the person.
 */

/** The number in the chat id that this column has. */
export const phoneOf = (chatId: string) => sql`split_part(${identifier(chatId)}, '@', 1)`

const today = sql`local_day(clock_now(), i.time_zone)`

const isUsed = (times: Sql) => sql`case when ${times} > clock_now() then ${times} end`

/** Until when WhatsApp lets the instance `i` begin no chats; null if it does. */
export const cappedUntil = isUsed(sql`i.capped_until`)

/** When 15 minutes allow the instance `i` another message to a person. This may be past; null if they always did. */
export const quarterFreeAt = sql`quarter_free_at(i.last_private_at, i.private_per_quarter)`

/** When a limit of the instance `i` allows another message to a person; null for now. */
export const quarterHourUntil = isUsed(quarterFreeAt)
export const privateHoursUntil = sql`
  private_hours_free_at(i.sent_by_hour, i.private_hours, i.time_zone, clock_now())`
export const restDayUntil = sql`rest_day_ends(i.sent_by_day, i.private_days, i.time_zone, clock_now())`
/** When the instance `i` may write to somebody new; null for now. */
export const newPeopleUntil = sql`
  new_people_free_at(i.sent_by_day, i.new_people_cap, i.new_people_left, i.new_people_until, i.time_zone, clock_now())`

/** Condition about the row `p` of `instance_people`: the instance has written to the person, or they have answered. */
const isKnown = sql`(p.first_sent_at is not null or p.replied_at is not null)`

/** Condition: the person with this number is no new one for this instance. */
export const isKnownPerson = (instanceId: Sql, phone: Sql) => sql`exists (
  select from instance_people p
  where p.instance_id = ${instanceId} and p.phone = ${phone} and ${isKnown})`

const goesToKnownPerson = isKnownPerson(sql`d.instance_id`, phoneOf('d.chat_id'))

/** The next delivery of the job `j` of the instance `i`. While it may write to nobody new, known people are next. */
export const nextDeliveryWithin = nextDelivery(sql`(
  j.job_type = 'SendToGroups' or not i.has_people_limits or ${newPeopleUntil} is null or ${goesToKnownPerson}
)`)

/** Condition: the next delivery of the job `j` goes to a known person, or is settled already. */
const nextIsKnown = sql`exists (
  select from (${nextDeliveryWithin}) d where d.status <> 'queued' or ${goesToKnownPerson})`

/** Condition: the job `j` is to people, and its next one is new while the instance `i` may write to nobody new. */
export const waitsForNewPeople = sql`(
  j.job_type = 'SendToUsers' and ${newPeopleUntil} is not null and not ${nextIsKnown}
)`

/** Condition: the limits of the instance `i` allow its job `j` a message. A limit of one person puts off that one. */
export const limitsAllow = sql`(
  j.job_type = 'SendToGroups' or not i.has_people_limits or (
    ${quarterHourUntil} is null and ${privateHoursUntil} is null and ${restDayUntil} is null
    and (${newPeopleUntil} is null or ${nextIsKnown}))
)`

/** Condition: as far as the provider told, WhatsApp lets the instance `i` send messages of its job `j`. */
export const whatsAppAllows = sql`(
  j.job_type = 'SendToGroups' or coalesce(greatest(i.restricted_until, i.capped_until), 'epoch') <= clock_now()
)`

/**
 * Condition that always holds. A trigger refuses a turn for a job to people in a transaction that has not tested it, if
 * the instance has limits: see migrations/0053-private-pace.sql.
 */
export const knowsLimits = sql`set_config('sendroom.knows_limits', 'true', true) = 'true'`

/** Condition: the job `j` is to people, and the instance `i` has limits for it. Else nothing is counted for them. */
export const hasLimits = sql`(i.has_people_limits and j.job_type = 'SendToUsers')`

/**
 * For a job with limits: the person of the delivery `d`, whether they are known, and until when they may get nothing.
 * The offset keeps PostgreSQL from looking up the person where there are no limits.
 */
export const personOfDelivery = sql`
  select ${isKnown} as is_known, ${isUsed(sql`person_free_at(p.last_sent_at, i.person_cap, i.person_rest_days)`)} as free_at
  from instance_people p
  where ${hasLimits} and p.instance_id = d.instance_id and p.phone = ${phoneOf('d.chat_id')}
  offset 0`

const countToday = sql`coalesce((i.sent_by_day ->> ('p' || ${today}))::int, 0)`

/** The pause after a private message, in ms. From so many private messages of the day on, it is the second one. */
export const privatePauseMs = sql`(
  case when i.private_slow_after > 0 and ${countToday} + 1 >= i.private_slow_after
    then i.private_slow_pause_from_ms + random() * (i.private_slow_pause_to_ms - i.private_slow_pause_from_ms)
    else i.private_pause_from_ms + random() * (i.private_pause_to_ms - i.private_pause_from_ms) end
  * case when i.warned_until > clock_now() then 2 else 1 end
)`

/**
 * In an update of instances `i` by the intent in `row` (with has_limits and is_new): the columns that count a message
 * to a person.
 */
export const countPrivate = (row: string) => {
  const isNew = identifier(`${row}.is_new`)
  const isCounted = identifier(`${row}.has_limits`)
  const counted = sql`record_day(i.sent_by_day, 'p', ${today}, 1)`
  return sql`
    sent_by_day = case
      when ${isNew} then record_day(${counted}, 'n', ${today}, 1)
      when ${isCounted} then ${counted}
      else i.sent_by_day end,
    last_private_at = case when ${isCounted} and i.private_per_quarter > 0
      then times_after(i.last_private_at, clock_now() - interval '15 minutes') || clock_now()
      else i.last_private_at end,
    new_people_left = i.new_people_left - ${isNew}::int`
}

/** Records to whom the intents of this relation go. It has instance_id, chat_id and has_limits. */
export const recordPeople = (intents: string) => sql`
  insert into instance_people as p (instance_id, phone, first_sent_at, last_sent_at)
  select instance_id, ${phoneOf('chat_id')}, clock_now(), array[clock_now()]
  from ${identifier(intents)} where has_limits
  on conflict (instance_id, phone) do update
  set first_sent_at = coalesce(p.first_sent_at, excluded.first_sent_at),
    last_sent_at = person_times(p.last_sent_at, clock_now()) || excluded.last_sent_at`

/**
 * In an update of instances `i`: the columns that `countPrivate` counts, without a message that was not sent. `unsent`
 * names a relation with its job_type, chat_id, instance_id and intent_at. Where the condition does not hold, the
 * columns stay. `refused` says that WhatsApp refused it, which counts for today.
 */
export const refundPrivate = (unsent: string, condition = sql`true`, refused = sql`false`) => {
  const at = identifier(`${unsent}.intent_at`)
  const day = sql`local_day(${at}, i.time_zone)`
  const isRefund = sql`(${condition} and ${identifier(`${unsent}.job_type`)} = 'SendToUsers')`
  const isNew = sql`(${isRefund} and ${wasNew(unsent)})`
  const counted = sql`case
    when ${isNew} then take_back(i.sent_by_day, array['p' || ${day}, 'n' || ${day}])
    when ${isRefund} then take_back(i.sent_by_day, array['p' || ${day}])
    else i.sent_by_day end`
  return sql`
    sent_by_day = case when ${refused} then record_day(${counted}, 'r', ${today}, 1) else ${counted} end,
    last_private_at = case when ${isRefund} then array_remove(i.last_private_at, ${at}) else i.last_private_at end,
    new_people_left = case when ${isNew} then i.new_people_left + 1 else i.new_people_left end`
}

/** Whether the message was the first one to its person, who has not answered either. */
const wasNew = (unsent: string) => sql`exists (
  select from instance_people p
  where p.instance_id = ${identifier(`${unsent}.instance_id`)} and p.phone = ${phoneOf(`${unsent}.chat_id`)}
    and p.first_sent_at = ${identifier(`${unsent}.intent_at`)} and p.replied_at is null)`

/** Takes messages that were not sent, as in `refundPrivate`, off their people. */
export const refundPeople = (unsent: string, condition = sql`true`) => sql`
  update instance_people p
  set first_sent_at = nullif(p.first_sent_at, ${identifier(`${unsent}.intent_at`)}),
    last_sent_at = array_remove(p.last_sent_at, ${identifier(`${unsent}.intent_at`)})
  from ${identifier(unsent)}
  where ${identifier(`${unsent}.job_type`)} = 'SendToUsers' and ${condition}
    and p.instance_id = ${identifier(`${unsent}.instance_id`)} and p.phone = ${phoneOf(`${unsent}.chat_id`)}`

/** Messages to people that were found in the history: rows of one local day and kind, as in `sent_by_day`. */
export type SentOnDay = { kind: 'p' | 'n'; day: number; count: number }

/** Reads what these deliveries add to `sent_by_day`. Call this before `recordFoundPeople`. */
export const readFoundDays = (db: Db, deliveryIds: number[]) =>
  db.many<SentOnDay>(sql`
    with found as (
      select local_day(d.sent_at, i.time_zone) as day,
        row_number() over (partition by d.chat_id order by d.sent_at) = 1
          and not ${isKnownPerson(sql`d.instance_id`, phoneOf('d.chat_id'))} as is_new
      from deliveries d join jobs j on j.id = d.job_id join instances i on i.id = d.instance_id
      where d.id = any(${deliveryIds}) and j.job_type = 'SendToUsers'
    )
    select 'p' as kind, day, count(*) as count from found group by day
    union all
    select 'n', day, count(*) from found where is_new group by day
    order by day`)

/** In an update of instances `i`: the columns with these messages, and the times of those of the last 15 minutes. */
export const countFound = (days: readonly SentOnDay[], deliveryIds: number[]) => sql`
  sent_by_day = ${days.reduce(
    (usage, { kind, day, count }) => sql`record_day(${usage}, ${kind}, ${day}::int, ${count}::int)`,
    sql`i.sent_by_day`,
  )},
  last_private_at = case when i.private_per_quarter = 0 then i.last_private_at else times_after(
    i.last_private_at || array(
      select d.sent_at from deliveries d join jobs j on j.id = d.job_id
      where d.id = any(${deliveryIds}) and j.job_type = 'SendToUsers'),
    clock_now() - interval '15 minutes') end,
  new_people_left = i.new_people_left - ${days.reduce((sum, { kind, count }) => sum + (kind === 'n' ? count : 0), 0)}::int`

/** Records to whom messages went that were found in the history. */
export const recordFoundPeople = (db: Db, deliveryIds: number[]) =>
  db.run(sql`
    insert into instance_people as p (instance_id, phone, first_sent_at, last_sent_at)
    select d.instance_id, ${phoneOf('d.chat_id')}, min(d.sent_at), array_agg(d.sent_at order by d.sent_at)
    from deliveries d join jobs j on j.id = d.job_id
    where d.id = any(${deliveryIds}) and j.job_type = 'SendToUsers'
    group by 1, 2
    on conflict (instance_id, phone) do update
    set first_sent_at = least(p.first_sent_at, excluded.first_sent_at),
      last_sent_at = person_times(p.last_sent_at || excluded.last_sent_at, clock_now())`)

/** Longer than the longest rest between two jobs (`limits.personRestDays`). */
const PEOPLE_DAYS = 400

/**
 * Deletes people whom an instance has not written to for so long, and who had written to it before that. They are new
 * people then. An intent that writes one of them meanwhile has locked the row, or adds it again.
 */
export const deleteOldPeople = (tx: Db, limit: number): Promise<number> =>
  tx.run(sql`
    delete from instance_people where (instance_id, phone) in (
      select instance_id, phone from instance_people
      where greatest(first_sent_at, last_sent_at[cardinality(last_sent_at)], replied_at)
        < clock_now() - ${PEOPLE_DAYS} * interval '1 day'
      limit ${limit} for update skip locked)`)
