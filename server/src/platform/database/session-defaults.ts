import pg from 'pg'
import { LOCKS, lock } from './advisory-lock.ts'
import type { Db, Pool } from './connection.ts'
import { raw, sql } from './sql.ts'

/**
 * Settings of every session. They are stored with our role, because a pooler such as PgBouncer refuses unknown settings
 * in the startup packet, and would keep the effect of a SET for the next user of the connection.
 */
const DEFAULTS = {
  TimeZone: 'UTC',
  DateStyle: 'ISO, MDY',
  // An intent that a crash of PostgreSQL undoes would be sent again. A server may be set to trade that for speed.
  synchronous_commit: 'on',
  // A process that stalls in a transaction must not keep its locks until TCP gives up, hours later.
  idle_in_transaction_session_timeout: '15s',
  // Our queries are short. On a server that compiles them (Debian's), a failover took three times as long.
  jit: 'off',
  // A generic plan would scan a million rows for a search or a Member with few matches.
  plan_cache_mode: 'force_custom_plan',
  // Ends a runaway query, and a wait for a lock, before its user gives up. `forBulkWrites` lifts the limit.
  statement_timeout: '30s',
}

/**
 * Stores the settings with the current role, for later sessions: in this database only, or in all databases of a
 * cluster that is ours.
 */
export async function storeSessionDefaults(db: Pool, scope: 'database' | 'cluster'): Promise<void> {
  await db.begin(async (tx) => {
    // Altering a role fails in one of two processes that do so at once.
    await lock(tx, LOCKS.sessionDefaults)
    await store(tx, scope)
  })
}

async function store(db: Db, scope: 'database' | 'cluster') {
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
 * Call this in a transaction that writes many rows. A statement may then take as long as it needs. Foreign keys and
 * triggers run statements for each row, which would be planned again each time: with this, 50,000 recipients take a
 * third of the time.
 */
export const forBulkWrites = (tx: Db) =>
  tx.run(sql`select set_config('statement_timeout', '0', true), set_config('plan_cache_mode', 'auto', true)`)
