import { limits } from '@sendroom/contract/limits'
import type { NumberCheck, NumberCheckQueue } from '@sendroom/contract/number-checks'
import { type Caller, canSeeInstance, isAdmin } from '../../platform/access.ts'
import type { Db } from '../../platform/database/connection.ts'
import { type Sql, sql } from '../../platform/database/sql.ts'
import { checkedToday, whyNoChecks } from './check-numbers.queries.ts'

export type CheckingInstance = { id: number; name: string; isTest: boolean; tokenCipher: Buffer }

export async function findCheckingInstance(
  db: Db,
  caller: Caller,
  id: number,
): Promise<CheckingInstance | null> {
  const found = await db.maybeOne<CheckingInstance>(sql`
    select i.id, i.name, i.is_test, i.token_cipher from instances i
    where i.id = ${id} and ${canSeeInstance(caller, 'i.id')}`)
  return found ?? null
}

/** The instances that the caller sees and that have numbers to check. */
export const listQueues = (db: Db, caller: Caller) =>
  db.many<NumberCheckQueue>(sql`
    select jsonb_build_object('id', i.id, 'name', i.name) as instance, q.waiting, q.mine,
      ${checkedToday} as checked_today, ${limits.numberChecksPerDay}::int as per_day, ${whyNoChecks} as reason
    from instances i join (
      select instance_id, count(*) as waiting, count(*) filter (where asked_by_user_id = ${caller.id}) as mine
      from due_number_checks group by instance_id
    ) q on q.instance_id = i.id
    where ${canSeeInstance(caller, 'i.id')}
    order by lower(i.name), i.id`)

const isFresh = sql`checked_at > clock_now() - ${limits.numberCheckDays} * interval '1 day'`

/** The first numbers of contacts. */
export const numbersOf = (selected: Sql) => sql`
  select i.value as phone from contacts c join contact_identities i on i.contact_id = c.id and i.is_primary
  where ${selected}`

/** Numbers in E.164 without +. */
export const typedNumbers = (numbers: readonly string[]) => sql`select unnest(${numbers}::text[]) as phone`

/**
 * Queues numbers, but those that are known. At most one more than a user may have waiting. What a test account knows,
 * no real one does.
 */
export const queueNumbers = (
  tx: Db,
  caller: Caller,
  { id: instanceId, isTest }: Pick<CheckingInstance, 'id' | 'isTest'>,
  numbers: Sql,
) =>
  tx.one<{ queued: number; known: number }>(sql`
    with chosen as materialized (
      select phone,
        exists (select from number_checks n where n.phone = numbers.phone and n.answer <> 'unknown' and ${isFresh}
            and (${isTest} or not n.is_test))
          or exists (
            select from due_number_checks d join instances a on a.id = d.instance_id
            where d.phone = numbers.phone and (a.is_active or a.id = ${instanceId})
              and (${isTest} or not a.is_test)) as is_known
      from (${numbers}) numbers
    ), added as (
      insert into due_number_checks (instance_id, phone, asked_by_user_id)
      select ${instanceId}, phone, ${caller.id} from chosen where not is_known
      order by phone limit ${limits.numberChecksWaiting + 1}
      on conflict do nothing
      returning phone
    )
    select (select count(*) from added) as queued, (select count(*) from chosen where is_known) as known`)

export const countWaiting = (tx: Db, userId: number) =>
  tx.run(sql`select from due_number_checks where asked_by_user_id = ${userId}`)

/** Returns how many checks were stopped: those of the caller, or for an Admin all. */
export const stopChecks = (tx: Db, caller: Caller, instanceId: number) =>
  tx.run(sql`
    delete from due_number_checks
    where instance_id = ${instanceId} and (asked_by_user_id = ${caller.id} or ${isAdmin(caller)})`)

/** The numbers of a contact in their order, with the last answer about each. Null if there is no such contact. */
export async function listOfContact(db: Db, contactId: number): Promise<NumberCheck[] | null> {
  const rows = await db.many<NumberCheck>(sql`
    select '+' || i.value as phone_number, n.answer, n.checked_at, coalesce(n.is_test, false) as is_test,
      exists (select from due_number_checks d where d.phone = i.value) as is_waiting
    from contacts c
      left join contact_identities i on i.contact_id = c.id and i.kind = 'phone'
      left join number_checks n on n.phone = i.value and ${isFresh}
    where c.id = ${contactId}
    order by i.is_primary desc, array_position(string_to_array(c.numbers, ' '), i.value), i.value`)
  return rows.length > 0 ? rows.filter(({ phoneNumber }) => phoneNumber !== null) : null
}
