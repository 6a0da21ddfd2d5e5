import type { Db } from '../../platform/database/connection.ts'
import { isAboutValues } from '../../platform/database/errors.ts'
import { sql } from '../../platform/database/sql.ts'

/*
 * A receipt that makes its statement fail would hold up the receipts of all instances for good. Such a statement is
 * repeated with fewer receipts until one is left. That one is set aside, for `doctor` to count and a person to read.
 */

/** Later the receipt would change nothing any more, since messages take receipts for a week. */
const KEPT = sql`interval '7 days'`

/**
 * Applies the items together. If some of them make that fail, applies each half by itself, and so on; a single one that
 * fails goes to `setAside`. Other errors, such as those of a database that is down, are thrown.
 */
export async function applyInHalves<T, R>(
  items: readonly T[],
  apply: (items: readonly T[]) => Promise<R[]>,
  setAside: (item: T, reason: string) => Promise<unknown>,
): Promise<R[]> {
  const [first] = items
  if (first === undefined) return []
  try {
    return await apply(items)
  } catch (error) {
    if (!isAboutValues(error)) throw error
    if (items.length === 1) await setAside(first, String((error as Error).message))
    else {
      const middle = items.length >> 1
      const results: R[] = []
      for (const half of [items.slice(0, middle), items.slice(middle)])
        results.push(...(await applyInHalves(half, apply, setAside)))
      return results
    }
    return []
  }
}

export const setBatchAside = (db: Db, id: number, reason: string) =>
  db.run(sql`
    with bad as (delete from receipt_batches where id = ${id} returning receipts, received_at)
    insert into receipts_set_aside (receipts, reason, received_at) select receipts, ${reason}, received_at from bad`)

export const setReceiptAside = (db: Db, id: number, reason: string) =>
  db.run(sql`
    with bad as (delete from receipt_events where id = ${id} returning *)
    insert into receipts_set_aside (receipts, reason, received_at)
    select json_build_array(to_json(bad))::text, ${reason}, received_at from bad`)

export const deleteOldSetAside = (tx: Db, limit: number) =>
  tx.run(sql`
    delete from receipts_set_aside where id in (
      select id from receipts_set_aside where set_aside_at < clock_now() - ${KEPT} order by id limit ${limit})`)
