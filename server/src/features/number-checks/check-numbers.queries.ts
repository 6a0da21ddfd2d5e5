import { limits } from '@sendroom/contract/limits'
import type { NumberAnswer } from '@sendroom/contract/number-answers'
import { whyInstanceWaits } from '../../engine/index.ts'
import { LOCKS, lock } from '../../platform/database/advisory-lock.ts'
import type { Db, Pool } from '../../platform/database/connection.ts'
import { sql } from '../../platform/database/sql.ts'

/** Why the instance `i` checks no numbers now; null if it does. A warning of WhatsApp is a reason to ask nothing. */
export const whyNoChecks = sql`
  coalesce(${whyInstanceWaits},
    case when not i.is_active then '{"code": "account_inactive", "params": {}}'::jsonb
      when i.status <> 'Connected' then '{"code": "account_not_linked", "params": {}}'::jsonb
      when i.warned_until > clock_now() then '{"code": "capped_by_whatsapp", "params": {}}'::jsonb end)`

const today = sql`local_day(clock_now(), i.time_zone)`
/** The numbers that the instance `i` has checked on its day. The days of `sent_by_day` are counted by kind. */
export const checkedToday = sql`coalesce((i.sent_by_day ->> ('c' || ${today}))::int, 0)`

export type Claim = {
  instanceId: number
  tokenCipher: Buffer
  isTest: boolean
  phone: string
  checkedToday: number
}

/**
 * Takes the next number of an instance whose pause is over. Its next one follows two to three seconds later: WhatsApp
 * watches who asks about many numbers. `metered` are the instances whose calls are counted.
 */
export async function claimCheck(
  db: Db,
  { withTest, metered }: { withTest: boolean; metered: readonly number[] },
): Promise<Claim | null> {
  const claim = await db.maybeOne<Claim>(sql`
    with due as materialized (
      select i.id from instances i
      where i.id in (select instance_id from due_number_checks)
        and i.next_number_check_at <= clock_now() and (${withTest} or not i.is_test) and ${whyNoChecks} is null
        and ${checkedToday} < case when i.id = any(${metered}::bigint[])
          then ${limits.numberChecksMetered}::int else ${limits.numberChecksPerDay}::int end
      order by i.next_number_check_at limit 1 for no key update skip locked
    )
    update instances i
    set next_number_check_at = clock_now() + (2 + random()) * interval '1 second',
      sent_by_day = record_day(i.sent_by_day, 'c', ${today}, 1)
    from due cross join lateral (
      select phone from due_number_checks q where q.instance_id = due.id order by asked_at, phone limit 1
    ) next
    where i.id = due.id
    returning i.id as instance_id, i.token_cipher, i.is_test, next.phone, ${checkedToday} as checked_today`)
  return claim ?? null
}

/**
 * Lets the instance check nothing for so long, because the provider did not answer. The number goes to the end of the
 * line: if only this one fails, the others have their turn.
 */
export const putOff = (db: Db, { instanceId, phone }: Pick<Claim, 'instanceId' | 'phone'>, ms: number) =>
  db.run(sql`
    with last_in_line as (
      update due_number_checks set asked_at = clock_now() where instance_id = ${instanceId} and phone = ${phone}
    )
    update instances set next_number_check_at = clock_now() + ${ms} * interval '1 ms' where id = ${instanceId}`)

type Answer = { phone: string; answer: NumberAnswer; whatsappPhone: string | null }

/**
 * Stores an answer, which holds for all accounts. Whoever else has asked for the number need not ask again. A simulated
 * one holds for test accounts only: it replaces no real one, and says nothing of other numbers of the person.
 */
export const storeAnswer = (
  db: Pool,
  { isTest }: Pick<Claim, 'isTest'>,
  { phone, answer, whatsappPhone }: Answer,
) =>
  db.begin(async (tx) => {
    const other = isTest || whatsappPhone === phone ? null : whatsappPhone
    // An opt-out by either number, which begins at this moment, holds for both.
    if (other) await lock(tx, LOCKS.optOuts)
    await tx.run(sql`
      insert into number_checks as former (phone, answer, whatsapp_phone, is_test)
      values (${phone}, ${answer}, ${other}, ${isTest})
      on conflict (phone) do update
      set answer = excluded.answer, whatsapp_phone = excluded.whatsapp_phone, is_test = excluded.is_test,
        checked_at = clock_now()
      where former.is_test or not excluded.is_test`)
    await tx.run(sql`
      delete from due_number_checks d using instances i
      where d.phone = ${phone} and i.id = d.instance_id and (i.is_test or not ${isTest})`)
  })

/** Deletes answers that are too old to say anything. */
export async function deleteOldNumberChecks(db: Db, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const deleted = await db.run(sql`
      delete from number_checks where phone in (
        select phone from number_checks
        where checked_at < clock_now() - ${limits.numberCheckDays} * interval '1 day' limit 1000)`)
    if (deleted === 0) return
  }
}
