import type { Sql } from '../../src/platform/database/connection.ts'
import { until } from '../until.ts'

/**
 * Stops a process in the middle of its transaction, at the moment that matters: a trigger that waits for a lock
 * which the test holds. `moment` is the head of a trigger, as in 'before update of media_id on jobs for each statement'.
 */
export async function holdAt(sql: Sql, who: string, moment: string) {
  const key = ++keys
  await sql.unsafe(`
    create function chaos.gate_${key}() returns trigger language plpgsql as $$
    begin
      if current_setting('application_name') like '${who}%' then perform pg_advisory_xact_lock_shared(${key}); end if;
      return null;
    end $$;
    create trigger gate_${key} ${moment} execute function chaos.gate_${key}()`)
  const holder = await sql.reserve()
  await holder`select pg_advisory_lock(${key})`
  return {
    isWaited: () => until(`${who} waits in the gate`, () => waits(sql, who)),
    async open() {
      await holder`select pg_advisory_unlock(${key})`
      holder.release()
    },
  }
}
let keys = 0

/** Whether one of these processes waits for a lock, a gate's or a row's (each NOTIFY waits for one too, a moment). */
const waits = async (sql: Sql, who: string) =>
  (
    await sql`
      select from pg_stat_activity
      where datname = current_database() and application_name like ${`${who}%`}
        and wait_event_type = 'Lock' and wait_event <> 'object'`
  ).count > 0
