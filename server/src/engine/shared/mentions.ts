import type { Db } from '../../platform/database/connection.ts'
import { identifier, sql } from '../../platform/database/sql.ts'

/*
 * Messages that mention all members of a group (docs/decisions/0042-mention-all.md). The members are read right before
 * the intent (sending/read-members.ts). An account mentions a group once a day: the statement that writes the intent
 * tests and records that under the instance's lock. Another message of the day goes out without mentions.
 */

/** How old the list of members may be when the message is sent. */
const FRESH = '10 minutes'

const today = sql`local_day(clock_now(), i.time_zone)`

/** Condition: the message of the mention `g` was certainly not sent, and will not be in that run. */
const wasNotSent = sql`exists (
  select from deliveries o join jobs oj on oj.id = o.job_id
  where o.id = g.delivery_id and oj.run = g.run and (
    o.status = 'skipped' and o.intent is null
    or o.status = 'failed' and o.provider_message_id is null and o.reason->>'code' <> 'outcome_unknown'))`

/** Whether the delivery `d` of the job `j` of the instance `i` mentions everybody, if it is sent now. */
export const mentionsAll = sql`(
  j.mentions_all and d.chat_id like '%@g.us' and not exists (
    select from group_mentions g
    where g.instance_id = i.id and g.chat_id = d.chat_id and g.day = ${today}
      and (g.delivery_id, g.run) <> (d.id, j.run) and not ${wasNotSent})
)`

/** Condition: the members of the group have to be read before the delivery `d` is sent. */
export const needsMembers = sql`(
  d.status = 'queued' and ${mentionsAll} and not exists (
    select from delivery_mentions m
    where m.delivery_id = d.id and m.read_at > clock_now() - ${FRESH}::interval)
)`

/** The numbers that the message of the delivery `d` mentions; null for none. */
export const mentionsOfDelivery = sql`
  case when ${mentionsAll} then (select m.phones from delivery_mentions m where m.delivery_id = d.id) end`

/** For the intents in the CTE `written`: the account has mentioned somebody in these groups today. */
export const recordMentions = (written: string) => sql`
  insert into group_mentions (instance_id, chat_id, day, delivery_id, run)
  select w.instance_id, w.chat_id, local_day(clock_now(), i.time_zone), w.id, w.run
  from ${identifier(written)} w join instances i on i.id = w.instance_id
  where cardinality(w.mentions) > 0
  on conflict (instance_id, chat_id, day) do update set delivery_id = excluded.delivery_id, run = excluded.run`

/** For the intents in the CTE `written`: whether their messages mention somebody. Those of a former run may have. */
export const markMentioned = (written: string) => sql`
  update delivery_mentions m set is_sent = w.mentions is not null
  from ${identifier(written)} w where m.delivery_id = w.id`

/** Messages that the database has lost, and that the chat history shows, have mentioned their groups on their days. */
export const recordFoundMentions = (tx: Db, deliveryIds: number[]) =>
  tx.run(sql`
    insert into group_mentions (instance_id, chat_id, day, delivery_id, run)
    select d.instance_id, d.chat_id, local_day(d.sent_at, i.time_zone), d.id, j.run
    from deliveries d join jobs j on j.id = d.job_id join instances i on i.id = d.instance_id
    where d.id = any(${deliveryIds}) and j.mentions_all and d.chat_id like '%@g.us'
    on conflict do nothing`)

/** Before jobs begin anew or are deleted: messages that were not sent leave their mentions to others of the day. */
export const releaseMentions = (tx: Db, jobIds: number[]) =>
  tx.run(sql`
    delete from group_mentions g using jobs j, deliveries d
    where j.id = any(${jobIds}) and g.instance_id = j.instance_id and d.id = g.delivery_id and d.job_id = j.id
      and ${wasNotSent}`)

/** Saves the members of a group for the message that follows. */
export const saveMembers = (tx: Db, deliveryId: number, members: { count: number; phones: string[] }) =>
  tx.run(sql`
    insert into delivery_mentions (delivery_id, members, reached, phones)
    select id, ${members.count}, ${members.phones.length}, ${members.phones}::text[] from deliveries
    where id = ${deliveryId}
    on conflict (delivery_id) do update
    set members = excluded.members, reached = excluded.reached, phones = excluded.phones, read_at = excluded.read_at`)

/** Numbers that were mentioned are not needed any more. */
export const forgetMentioned = (tx: Db, limit: number) =>
  tx.run(sql`
    update delivery_mentions set phones = '{}' where delivery_id in (
      select m.delivery_id from delivery_mentions m left join deliveries d on d.id = m.delivery_id
      where m.phones <> '{}' and m.read_at < clock_now() - interval '1 hour'
        and coalesce(d.status not in ('queued', 'sending'), true)
      order by m.read_at limit ${limit})`)

/** All time zones have left these days behind. */
export const deleteOldMentions = (tx: Db, limit: number) =>
  tx.run(sql`
    delete from group_mentions where ctid in (
      select ctid from group_mentions where day < local_day(clock_now(), 'UTC') - 2 limit ${limit})`)
