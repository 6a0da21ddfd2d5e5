import type { Language } from '@sendroom/contract/languages'
import type { Db } from '../../platform/database/connection.ts'
import { sql } from '../../platform/database/sql.ts'

/**
 * Always returns a row, with the name as the database compares names. Without such a user the other columns are null.
 */
export const findPassword = (db: Db, username: string) =>
  db.one<{
    name: string
    id: number | null
    passwordHash: string | null
    isActive: boolean | null
    isWaiting: boolean | null
    newestDevice: number
  }>(sql`
    select coalesce(lower(u.username), typed.nfc) as name, u.id, u.password_hash, u.is_active, u.is_waiting,
      coalesce(d.newest, 0) as newest_device
    from (select lower(${username}::text) as name, lower(${username.normalize('NFC')}::text) as nfc) typed
      left join users u on lower(u.username) in (typed.name, typed.nfc)
      left join sign_in_devices d on d.user_id = u.id
    order by lower(u.username) = typed.name desc limit 1`)

/**
 * Opens a session and deletes all expired ones. Returns false if the user was locked or the password has changed
 * since we verified it. The row lock orders this and such a change: a change that comes later also ends the new
 * session.
 */
export async function insertSession(
  db: Db,
  session: { userId: number; passwordHash: string; tokenHash: Buffer; days: number },
): Promise<boolean> {
  const count = await db.run(sql`
    with ended as (delete from sessions where expires_at <= clock_now()),
    unchanged as materialized (
      select id from users where id = ${session.userId} and password_hash = ${session.passwordHash} and is_active
      for share
    )
    insert into sessions (token_hash, user_id, expires_at)
    select ${session.tokenHash}, id, clock_now() + ${session.days} * interval '1 day' from unchanged`)
  return count === 1
}

/** Gives a browser in which the user has signed in the next number. */
export async function addDevice(db: Db, userId: number): Promise<number> {
  const { newest } = await db.one<{ newest: number }>(sql`
    insert into sign_in_devices as d (user_id, newest) values (${userId}, 1)
    on conflict (user_id) do update set newest = d.newest + 1
    returning newest`)
  return newest
}

/** Returns whether the session still exists. */
export const confirmSession = (db: Db, tokenHash: Buffer) =>
  db.run(sql`update sessions set confirmed_at = clock_now() where token_hash = ${tokenHash}`)

export const deleteSession = (db: Db, tokenHash: Buffer) =>
  db.run(sql`delete from sessions where token_hash = ${tokenHash}`)

/** Before a change of the user by themselves. Two that first lock the user as a caller would wait for each other. */
export const lockUser = (tx: Db, userId: number) =>
  tx.run(sql`select from users where id = ${userId} for no key update`)

/** The language of the user's emails. */
export const saveLanguage = (db: Db, userId: number, language: Language) =>
  db.run(sql`update users set language = ${language} where id = ${userId} and language <> ${language}`)
