import pg from 'pg'
import type { Db } from './connection.ts'
import { raw, sql } from './sql.ts'

/**
 * Settings of every session, stored with our role. A pooler such as PgBouncer refuses unknown settings in the startup
 * packet, and would hand a SET on to whoever gets the connection next.
 */
const DEFAULTS = {
  TimeZone: 'UTC',
  DateStyle: 'ISO, MDY',
  // A process that is stopped within a transaction must not hold its locks until TCP gives up, hours later.
  idle_in_transaction_session_timeout: '15s',
  // A generic plan walks over a million rows for a search or a Member that has none of them.
  plan_cache_mode: 'force_custom_plan',
}

/**
 * Stores the settings with the current role, for sessions that begin afterwards: in this database only, unless the
 * whole cluster is ours. Call it under a lock, since two processes that alter a role at once fail.
 */
export async function storeSessionDefaults(db: Db, scope: 'database' | 'cluster'): Promise<void> {
  const { database, stored } = await db.one<{ database: string; stored: string[] }>(sql`
    select current_database() as database, coalesce((
      select setconfig from pg_db_role_setting
      where setrole = (select oid from pg_roles where rolname = current_user)
        and setdatabase = coalesce((
          select oid from pg_database where datname = current_database() and ${scope === 'database'}), 0)
    ), '{}') as stored`)
  const where = scope === 'database' ? ` in database ${pg.escapeIdentifier(database)}` : ''
  for (const [name, value] of Object.entries(DEFAULTS))
    if (!stored.includes(`${name}=${value}`))
      await db.run(raw(`alter role current_user${where} set ${name} = ${pg.escapeLiteral(value)}`))
}

/**
 * For a transaction that writes many rows: the checks and triggers of each row are statements too, and would be
 * planned again for every row. 50,000 recipients take a third of the time.
 */
export const planOnce = (tx: Db) => tx.run(sql`set local plan_cache_mode = auto`)
