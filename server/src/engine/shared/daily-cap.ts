import { identifier, sql } from '../../platform/database/sql.ts'

/*
 * The daily cap of an instance, for each kind of chat. `instances.sent_by_hour` counts the messages of the last 24
 * hours.
 *
 * `jobMaySend` (pace.ts) enforces the cap. The statement that writes an intent counts its message, so no crash, restart
 * or deletion lowers the count. One whose intent was lost is counted when it is found in the chat history (history/). A
 * message that was certainly not sent is refunded: by its result (`refund` in sending/outcome-effects.ts), by the
 * look-up that did not find it (in-doubt/look-up.ts), or when its intent is withdrawn (sending/intent.ts). A rejected
 * message counts. A result that arrives after its worker lost the instance settles the delivery and leaves the count as
 * it is.
 */

/** The smaller one of the cap for private messages and the step of the warm-up. 0 is none. */
export const privateCap = sql`coalesce(least(nullif(i.private_cap, 0), i.warm_up_step), 0)`

/** When the cap of the instance `i` allows another message of the job `j`; null for now. */
export const capFreeAt = sql`
  cap_free_at(i.sent_by_hour, chat_kind(j.job_type),
    case j.job_type when 'SendToGroups' then i.group_cap else ${privateCap} end, clock_now())`

/** In an update of instances `i`: the new `sent_by_hour`. `jobType` names a column. */
export const countMessage = (jobType: string) => sql`
  record_usage(i.sent_by_hour, chat_kind(${identifier(jobType)}), clock_now(), 1)`

/** The same for a message that was not sent. `intendedAt` names the column with the time of its intent. */
export const refundMessage = (jobType: string, intendedAt: string) => sql`
  record_usage(i.sent_by_hour, chat_kind(${identifier(jobType)}), ${identifier(intendedAt)}, -1)`

/** The messages of one kind of chat that were sent in one hour; `at` is a moment of that hour (ISO 8601). */
export type SentInHour = { kind: 'g' | 'p'; at: string; count: number }

/** In an update of instances `i`: `sent_by_hour` with these messages added. The oldest hour comes first. */
export const countMessages = (sent: readonly SentInHour[]) =>
  sent.reduce(
    (usage, { kind, at, count }) => sql`record_usage(${usage}, ${kind}, ${at}::timestamptz, ${count}::int)`,
    sql`i.sent_by_hour`,
  )
