import type { Pool } from '../../src/platform/database/connection.ts'
import { sql } from '../../src/platform/database/sql.ts'
import { until } from '../until.ts'

/**
 * Stops a process in the middle of its transaction, at the moment that matters: a trigger that waits for a lock
 * which the test holds. `moment` is the head of a trigger, as in 'before update of media_id on jobs for each statement'.
 */
export async function holdAt(db: Pool, who: string, moment: string) {
  const key = ++keys
  await db.script(`
    create function chaos.gate_${key}() returns trigger language plpgsql as $$
    begin
      if current_setting('application_name') like '${who}%' then perform pg_advisory_xact_lock_shared(${key}); end if;
      return null;
    end $$;
    create trigger gate_${key} ${moment} execute function chaos.gate_${key}()`)
  const holder = db.dedicated()
  await holder.run(sql`select pg_advisory_lock(${key})`)
  return {
    isWaited: () => until(`${who} waits in the gate`, () => waits(db, who)),
    async open() {
      await holder.run(sql`select pg_advisory_unlock(${key})`)
      await holder.end()
    },
  }
}
let keys = 0

/** Whether one of these processes waits for a lock, a gate's or a row's (each NOTIFY waits for one too, a moment). */
const waits = async (db: Pool, who: string) =>
  (await db.run(sql`
      select from pg_stat_activity
      where datname = current_database() and application_name like ${`${who}%`}
        and wait_event_type = 'Lock' and wait_event <> 'object'`)) > 0
