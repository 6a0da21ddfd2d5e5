import type { Db } from '../../platform/database/connection.ts'
import { identifier, json, type Sql, sql } from '../../platform/database/sql.ts'
import { reason } from './job-log.ts'
import { cursorAtFirstQueued } from './queue.ts'

/*
 * Nobody gets a message who has opted out of the account's messages. `opted_out` says who has (platform/opt-outs.ts).
 * The statement that writes an intent asks for each message to a person (sending/intent.ts). A new job, a retry and a
 * restart ask, too, so that their counts say who gets nothing. Jobs to groups do not ask: whoever leaves a group has
 * opted out of it.
 */

/**
 * Condition: the person of this row's chat has opted out. The row has the columns chat_id and instance_id. The function
 * is volatile, so it sees what was committed while the statement waited for a lock.
 */
export const isOptedOut = (row: string): Sql => sql`
  is_opted_out(${identifier(`${row}.chat_id`)}, ${identifier(`${row}.instance_id`)})`

/**
 * Condition that always holds. A trigger refuses a turn for a job to people in a transaction that has not tested it:
 * see migrations/0050-who-opted-out.sql.
 */
export const knowsOptOuts = sql`set_config('sendroom.knows_opt_outs', 'true', true) = 'true'`

export const optedOut = json(reason('opted_out', {}))

/** Skips the queued deliveries of people who have opted out, or whose number is known not to be on WhatsApp. */
export async function skipUnreachable(tx: Db, jobId: number): Promise<void> {
  const skipped = await tx.run(sql`
    update deliveries d
    set status = 'skipped', not_before = 'epoch', reason = case
      when ${isOptedOut('d')} then ${optedOut} else ${json(reason('not_on_whatsapp', {}))} end
    from jobs j
    where j.id = ${jobId} and j.job_type = 'SendToUsers' and d.job_id = j.id and d.status = 'queued'
      and (${isOptedOut('d')} or ${isKnownMissing})`)
  if (skipped > 0) await tx.run(sql`update jobs j set ${cursorAtFirstQueued} where j.id = ${jobId}`)
}

/** Condition: the number of the delivery `d` was checked in the last 30 days and is not on WhatsApp. */
const isKnownMissing = sql`exists (
  select from number_checks c
  where c.phone = split_part(d.chat_id, '@', 1) and c.answer = 'no'
    and c.checked_at > clock_now() - interval '30 days')`
