import { type Sql, sql } from '../platform/database/sql.ts'

/** The reason of the log line that an account waits, made in SQL from why it waits (see contract/reasons.ts, `why`). */
export const accountWaits = (waiting: Sql): Sql => sql`
  jsonb_build_object('code', 'account_waits',
    'params', ${waiting}->'params' || jsonb_build_object('why', ${waiting}->>'code'))`
