import type { Db, Tx } from '../../platform/database/connection.ts'
import { sql } from '../../platform/database/sql.ts'

const TICKET_MINUTES = 5

const isValid = sql`expires_at > clock_now()`

/** Returns false if the user was locked or the password has changed since we verified it: see `insertSession`. */
export async function insertTicket(
  db: Db,
  { userId, passwordHash, ticketHash }: { userId: number; passwordHash: string; ticketHash: Buffer },
): Promise<boolean> {
  const count = await db.run(sql`
    with unchanged as materialized (
      select id from users where id = ${userId} and password_hash = ${passwordHash} and is_active for share
    )
    insert into sign_in_tickets (ticket_hash, user_id, expires_at)
    select ${ticketHash}, id, clock_now() + ${TICKET_MINUTES} * interval '1 minute' from unchanged`)
  return count === 1
}

/** Finds the user of a ticket that is still valid. */
export const findTicket = (db: Db, ticketHash: Buffer) =>
  db.maybeOne<{ userId: number; username: string }>(sql`
    select u.id as user_id, u.username from sign_in_tickets t join users u on u.id = t.user_id
    where t.ticket_hash = ${ticketHash} and ${isValid}`)

/** Each ticket opens one session. Returns false if it has already, or is too old. */
export async function useTicket(tx: Tx, userId: number, ticketHash: Buffer): Promise<boolean> {
  // A new password deletes the user's tickets while it holds the user, so the user is locked first here, too.
  await tx.run(sql`select from users where id = ${userId} for share`)
  const count = await tx.run(sql`
    delete from sign_in_tickets where ticket_hash = ${ticketHash} and ${isValid}`)
  return count === 1
}
