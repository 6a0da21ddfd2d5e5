import { LOCKS, lock } from './database/advisory-lock.ts'
import type { Db } from './database/connection.ts'
import { sql } from './database/sql.ts'

/**
 * Lets only one transaction at a time change users, or end their sessions and API keys. Two Admins who change each
 * other at once would deadlock, because each transaction also locks its caller. If they demote each other, the second
 * one sees that it is no Admin any more. Waits for the writes of this user that run, and the next ones wait for this.
 */
export async function lockUserChanges(tx: Db, userId: number) {
  await lock(tx, LOCKS.users)
  await lockWrites(tx, userId)
}

/**
 * The same before users end their own sessions or keys. They wait for nobody but themselves, and keep nobody waiting: a
 * Member with long writes could keep Admins from every change of a user otherwise.
 */
export const lockWrites = (tx: Db, userId: number) => lock(tx, LOCKS.writesOf(userId))

/** Before a change of the user by themselves. Two that first lock the user as a caller would wait for each other. */
export async function lockUser(tx: Db, userId: number) {
  await lockWrites(tx, userId)
  await tx.run(sql`select from users where id = ${userId} for no key update`)
}
