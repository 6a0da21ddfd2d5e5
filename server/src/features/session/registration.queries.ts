import { limits } from '@sendroom/contract/limits'
import { type Entry, nobody, record } from '../../platform/audit.ts'
import { LOCKS, lock } from '../../platform/database/advisory-lock.ts'
import type { Db, Pool, Tx } from '../../platform/database/connection.ts'
import { type Sql, sql } from '../../platform/database/sql.ts'

/** Lets only one registration at a time count the places. */
export const lockRegistrations = (tx: Db) => lock(tx, LOCKS.registrations)

export async function countWaiting(db: Db): Promise<number> {
  const { waiting } = await db.one<{ waiting: number }>(
    sql`select count(*) as waiting from users where is_waiting`,
  )
  return waiting
}

/**
 * Finds the registration that gives its place to a new one. That is the oldest from the address with the most, so that
 * a few addresses can't take all places. If each comes from another address, it is the oldest, once it has waited a
 * day: until then an Admin may see it.
 */
export async function findReplaceable(db: Db): Promise<number | null> {
  const found = await db.maybeOne<{ id: number }>(sql`
    select id from (
      select id, created_at, count(*) over (partition by coalesce(registered_from, int8send(id))) as of_address
      from users where is_waiting
    ) waiting
    where of_address > 1 or created_at <= clock_now() - interval '1 day'
    order by of_address desc, created_at, id limit 1`)
  return found?.id ?? null
}

/** Adds a locked Member who waits for an Admin. Returns the id, or null if the name or the email is taken. */
export async function insertWaitingUser(
  db: Db,
  user: { username: string; email: string; passwordHash: string; registeredFrom: Buffer },
): Promise<number | null> {
  const added = await db.maybeOne<{ id: number }>(sql`
    insert into users (username, email, password_hash, role, is_active, is_waiting, registered_from)
    values (${user.username}, ${user.email}, ${user.passwordHash}, 'Member', false, true, ${user.registeredFrom})
    on conflict do nothing
    returning id`)
  return added?.id ?? null
}

export const deleteRegistration = (tx: Tx, id: number) => deleteRegistrations(tx, sql`id = ${id}`)

/** Deletes registrations that no Admin has activated. The form says how long a registration waits. */
export const deleteOldRegistrations = (db: Pool) =>
  db.begin((tx) =>
    deleteRegistrations(tx, sql`created_at <= clock_now() - ${limits.registrationDays} * interval '1 day'`),
  )

async function deleteRegistrations(tx: Tx, which: Sql): Promise<number> {
  const users = await tx.many<{ id: number; username: string; email: string }>(sql`
    delete from users where is_waiting and ${which} returning id, username, email`)
  const entries = users.map(
    ({ id, username, email }): Entry => ({
      action: 'user.delete',
      object: { type: 'user', id, name: username },
      details: { username, email },
    }),
  )
  await record(tx, nobody(''), ...entries)
  return users.length
}
