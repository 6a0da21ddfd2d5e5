import type { Db } from '../../platform/database/connection.ts'
import { sql } from '../../platform/database/sql.ts'

export async function findPassword(db: Db, username: string) {
  const user = await db.maybeOne<{
    id: number
    passwordHash: string
    isActive: boolean
    isWaiting: boolean
  }>(sql`
    select id, password_hash, is_active, is_waiting from users
    where lower(username) in (lower(${username}), lower(${username.normalize('NFC')}))
    order by lower(username) = lower(${username}) desc`)
  return user ?? null
}

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

export const deleteSession = (db: Db, tokenHash: Buffer) =>
  db.run(sql`delete from sessions where token_hash = ${tokenHash}`)

/** Adds a locked Member who waits for an Admin. Returns the id, or null if too many users wait already. */
export async function insertWaitingUser(
  db: Db,
  user: { username: string; email: string; passwordHash: string; waitingLimit: number },
): Promise<number | null> {
  const added = await db.maybeOne<{ id: number }>(sql`
    insert into users (username, email, password_hash, role, is_active, is_waiting)
    select ${user.username}, ${user.email}, ${user.passwordHash}, 'Member', false, true
    where (select count(*) from users where is_waiting) < ${user.waitingLimit}
    returning id`)
  return added?.id ?? null
}
