import { sql } from '../platform/database/sql.ts'

/** What a statement over accounts does where somebody else holds an account's lock: wait for it, or pass it over. */
export type Locking = 'wait' | 'pass'

/**
 * At the end of a query: locks the rows `i` of instances that it finds. `no key`: the rows of a new job refer to the
 * account, and a large one must not stand in its way.
 */
export const lockAccounts = (locking: Locking) =>
  locking === 'wait' ? sql`for no key update of i` : sql`for no key update of i skip locked`
