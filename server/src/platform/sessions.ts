import type { Db } from './database/connection.ts'
import { sql } from './database/sql.ts'

/** Ends all sessions of the user but this one. Returns how many there were. */
export const endSessions = (tx: Db, userId: number, except: number | null = null) =>
  tx.run(sql`delete from sessions where user_id = ${userId} and id is distinct from ${except}`)
