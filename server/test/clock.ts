import type { DatabaseAddress } from '../src/database-url.ts'
import { connect, type Pool } from '../src/platform/database/connection.ts'
import { type Sql, sql } from '../src/platform/database/sql.ts'

/** Lets tests change the database's clock. All our queries read the time from that clock. */
export const addClock = (db: Pool) =>
  db.script(`
    create table if not exists test_clock (ahead interval not null, frozen_at timestamptz);
    insert into test_clock select '0' where not exists (select from test_clock);
    grant select on test_clock to public;
    create or replace function clock_now() returns timestamptz language sql stable as
      'select coalesce(frozen_at, now()) + ahead from test_clock'`)

export const changeClock = (db: Pool, ahead: Sql) =>
  db.begin(async (tx) => {
    await tx.run(sql`update test_clock set ahead = ${ahead}`)
    // As if the workers had been alive all the time.
    await tx.run(sql`update heartbeat set beat_at = clock_now() where timeline <> ''`)
  })

export const movedBy = (by: string) => sql`ahead + ${by}::text::interval`

/** Moves the clock of the database at this address on, instead of waiting for as long. */
export async function moveClockAt(address: DatabaseAddress, by: string): Promise<void> {
  const db = connect(address, { max: 1, applicationName: 'sendroom test' })
  await addClock(db)
  await changeClock(db, movedBy(by))
  await db.end()
}
