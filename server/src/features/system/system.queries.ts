import { isDown, isDurable } from '../../engine/index.ts'
import type { Db } from '../../platform/database/connection.ts'
import { sql } from '../../platform/database/sql.ts'
import { hasGeneratedPassword } from '../../platform/user-row.ts'

/** The audit log has an entry for each backup that was complete. */
export const readLastBackup = (db: Db) =>
  db.maybeOne<{ at: string; secondsAgo: number }>(sql`
    select at, extract(epoch from clock_now() - at)::float8 as seconds_ago
    from audit_log where action = 'backup.create' order by at desc limit 1`)

/** The user who signs in with the password that was generated at the first start. */
export const findGeneratedPassword = (db: Db) =>
  db.maybeOne<{ username: string }>(sql`
    select username from users where ${hasGeneratedPassword} and is_active`)

type DatabaseFacts = {
  postgres: string
  migration: string
  megabytes: number
  connections: number
  maxConnections: number
  /** Whether a crash of PostgreSQL, or of its machine, keeps what was committed. */
  isDurable: boolean
  standbys: number
  /** 0 if the standby servers are up to date, or if this user may not know. */
  lagSeconds: number
}

export const readDatabaseFacts = (db: Db) =>
  db.one<DatabaseFacts>(sql`
    select split_part(current_setting('server_version'), ' ', 1) as postgres,
      (select max(name) from migrations) as migration,
      round(pg_database_size(current_database()) / 1e6)::float8 as megabytes,
      (select count(*) from pg_stat_activity where datname is not null) as connections,
      current_setting('max_connections')::int as max_connections,
      ${isDurable} as is_durable,
      (select count(*) from pg_stat_replication) as standbys,
      coalesce((select max(extract(epoch from replay_lag))::float8 from pg_stat_replication), 0) as lag_seconds`)

export const countTestInstances = async (db: Db) =>
  (await db.one<{ count: number }>(sql`select count(*) from instances where is_test and is_active`)).count

export const hasLiveInstance = (db: Db) =>
  db.maybeOne(sql`select from instances where is_active and not is_test limit 1`).then(Boolean)

/** Active instances, those that are down, as the dashboard has them, and the first of their names. */
export const findTroubledInstances = (db: Db, maxNames: number) =>
  db.one<{ active: number; troubled: number; names: string[] }>(sql`
    with troubled as materialized (
      select i.name, i.id from instances i where ${isDown}
    )
    select (select count(*) from instances where is_active) as active, (select count(*) from troubled) as troubled,
      array(select name from troubled order by id limit ${maxNames}) as names`)
