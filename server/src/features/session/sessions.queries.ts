import { limits } from '@sendroom/contract/limits'
import type { Session } from '@sendroom/contract/sessions'
import type { Db } from '../../platform/database/connection.ts'
import { sql } from '../../platform/database/sql.ts'

export const listSessions = (db: Db, userId: number, currentId: number) =>
  db.many<Session>(sql`
    select id, browser, address, created_at, used_at, case when idle_at > used_at then idle_at end as idle_at,
      id = ${currentId} as is_current
    from sessions where user_id = ${userId} and expires_at > clock_now()
    order by id = ${currentId} desc, greatest(used_at, idle_at) desc, id desc limit ${limits.listedSessions}`)

/** Ends one session of the user. Returns how many there were. */
export const endSession = (tx: Db, userId: number, id: number) =>
  tx.run(sql`delete from sessions where user_id = ${userId} and id = ${id}`)

export const findUsername = (db: Db, id: number) =>
  db.maybeOne<{ username: string }>(sql`select username from users where id = ${id}`)

/** Recurring work: deletes sessions and sign-ins that have ended, and ends the oldest of a user with too many. */
export async function deleteEnded(db: Db, signal?: AbortSignal): Promise<void> {
  await db.run(sql`delete from sessions where expires_at <= clock_now()`)
  await db.run(sql`delete from sign_in_tickets where expires_at <= clock_now()`)
  for (let ended = SLICE; ended === SLICE && !signal?.aborted; ) ended = await endOldest(db)
}

const SLICE = 5000

/** Skips the session of a call that writes: it may write on and on. */
const endOldest = (db: Db) =>
  db.run(sql`
    delete from sessions where id in (
      select s.id from sessions s join (
        select id, row_number() over (partition by user_id order by used_at desc, id desc) as place from sessions
      ) ranked using (id)
      where ranked.place > ${limits.sessionsPerUser} limit ${SLICE} for update of s skip locked)`)
