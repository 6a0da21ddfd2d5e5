import type { Pool } from '../../src/platform/database/connection.ts'
import { sql } from '../../src/platform/database/sql.ts'
import { until } from '../until.ts'

/**
 * Stops processes in the middle of a transaction until the test opens the barrier: a trigger waits for a lock that the
 * test holds. `processes` is the beginning of their application name. `trigger` is the head of the trigger, such as
 * 'before update of media_id on jobs for each statement'.
 */
export async function addBarrier(db: Pool, processes: string, trigger: string) {
  const key = ++lastKey
  await db.script(`
    create function chaos.barrier_${key}() returns trigger language plpgsql set lock_timeout = 0 as $$
    begin
      if current_setting('application_name') like '${processes}%' then
        perform pg_advisory_xact_lock_shared(${key});
      end if;
      return null;
    end $$;
    create trigger barrier_${key} ${trigger} execute function chaos.barrier_${key}()`)
  const holder = db.dedicated()
  await holder.run(sql`select pg_advisory_lock(${key})`)
  return {
    isReached: () => until(`${processes} waits at the barrier`, () => isWaiting(db, processes)),
    async open() {
      await holder.run(sql`select pg_advisory_unlock(${key})`)
      await holder.end()
    },
  }
}
let lastKey = 0

/**
 * Whether one of these processes waits for a lock: a barrier's or a row's. Each NOTIFY waits briefly for an 'object'.
 */
export const isWaiting = async (db: Pool, processes: string) =>
  (await db.run(sql`
      select from pg_stat_activity
      where datname = current_database() and application_name like ${`${processes}%`}
        and wait_event_type = 'Lock' and wait_event <> 'object'`)) > 0
