import type { Db, Fragment } from '../platform/database/connection.ts'

/** The reason of the log line that an account waits, made in SQL from why it waits (see contract/reasons.ts, `why`). */
export const accountWaits = (db: Db, waiting: Fragment): Fragment => db`
  jsonb_build_object('code', 'account_waits',
    'params', ${waiting}->'params' || jsonb_build_object('why', ${waiting}->>'code'))`
