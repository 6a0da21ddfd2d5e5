import type { ReasonCode } from '@sendroom/contract/reasons'
import type { Db } from '../../platform/database/connection.ts'
import { join, json, sql } from '../../platform/database/sql.ts'
import { reason } from './job-log.ts'
import { cursorAtFirstQueued } from './queue.ts'

/*
 * Nobody gets a message who has opted out of the account's messages. `opted_out` says who has (platform/opt-outs.ts).
 * A trigger tests each intent for a message to a person, whichever statement writes it, and skips the delivery in its
 * place (`skip_opted_out` in migrations/0086-forget-numbers.sql). It runs once the row of the delivery is locked, and
 * `is_opted_out` is volatile, so it sees whatever was committed while the statement waited for a lock.
 *
 * A new job, a retry and a restart test this, too, so that their counts say who gets nothing. Jobs to groups do not:
 * whoever leaves a group has opted out of it.
 */

/** Condition: the person of the chat `d.chat_id` has opted out of messages from the account `d.instance_id`. */
export const isOptedOut = sql`is_opted_out(d.chat_id, d.instance_id)`

/**
 * The same by the snapshot of the statement, for a person whose number is known. Eight times as fast for 100,000
 * numbers, and twice if a number was forgotten. For counts only.
 */
export const countsAsOptedOut = sql`(exists (
  select from opted_out o
  where o.kind = 'phone' and o.value = split_part(d.chat_id, '@', 1)
    and (o.instance_id is null or o.instance_id = d.instance_id))
  or exists (
    select from forget_requests r
    where r.done_at is null and 'phone ' || split_part(d.chat_id, '@', 1) = any(r.identities))
  or exists (select from forgotten_opt_outs) and exists (
    select from forgotten_opt_outs f
    where f.hash = number_hash('phone', split_part(d.chat_id, '@', 1)) and f.instance_id in (0, d.instance_id)))`

const unreachableReasons = ['opted_out', 'not_on_whatsapp', 'forgotten'] as const satisfies ReasonCode[]

/** An answer that is older says nothing. */
const CHECK_DAYS = 30

/**
 * Condition: the number of the chat `d.chat_id` was checked and is not on WhatsApp. Only a test account `d.instance_id`
 * believes a simulated WhatsApp.
 */
export const isNotOnWhatsapp = sql`exists (
  select from number_checks c
  where c.phone = split_part(d.chat_id, '@', 1) and c.answer = 'no'
    and c.checked_at > clock_now() - ${CHECK_DAYS} * interval '1 day'
    and (not c.is_test or exists (select from instances a where a.id = d.instance_id and a.is_test)))`

/** Condition: the delivery `d` goes to a person who has opted out, or to a number that is not on WhatsApp. */
export const isUnreachable = sql`(d.chat_id not like '%@g.us' and (${isOptedOut} or ${isNotOnWhatsapp}))`

/**
 * In a select: why the delivery `d` failed, or why the job skipped it. One that a cancel skipped keeps the reason of
 * its last attempt, which explains nothing.
 */
export const reasonOfOutcome = sql`
  case when d.status = 'failed' or d.status = 'skipped' and d.reason->>'code' in (${join([...unreachableReasons])})
    then d.reason end`

/** Skips the queued deliveries of the job that are unreachable. Those that a cancel has skipped get the reason, too. */
export async function skipUnreachable(tx: Db, jobId: number): Promise<void> {
  const skipped = await tx.run(sql`
    update deliveries d
    set status = 'skipped', not_before = 'epoch', reason = case
      when ${isOptedOut} then ${json(reason('opted_out'))} else ${json(reason('not_on_whatsapp'))} end
    where d.job_id = ${jobId} and d.status in ('queued', 'skipped') and ${isUnreachable}`)
  if (skipped > 0) await tx.run(sql`update jobs j set ${cursorAtFirstQueued} where j.id = ${jobId}`)
}
