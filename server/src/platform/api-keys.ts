import { type Caller, findKeyCaller } from './access.ts'
import { hashOfKey, isWellFormed } from './api-key-text.ts'
import type { Db } from './database/connection.ts'
import { sql } from './database/sql.ts'

/** Finds the user for whom a program calls with this API key, and notes the use, at most once a minute. */
export async function useApiKey(db: Db, secret: string, address: string): Promise<Caller | null> {
  const caller = isWellFormed(secret) ? await findKeyCaller(db, hashOfKey(secret), address) : null
  if (caller?.apiKey?.isUsableHere && !caller.apiKey.wasUsedLately)
    await noteUse(db, caller.apiKey.id, address)
  return caller
}

/**
 * Skips a key that is locked: a call with the same key is writing, and would have to be waited for. A use that is yet
 * to come was written by a clock that was ahead.
 */
const noteUse = (db: Db, id: number, address: string) =>
  db.run(sql`
    update api_keys set last_used_at = clock_now(), last_used_address = ${address}
    where id in (
      select id from api_keys
      where id = ${id} and coalesce(abs(extract(epoch from last_used_at - clock_now())) >= 60, true)
      for no key update skip locked)`)

/** The id for which a call is counted: the user's, or the negative one of an API key. */
export const countedAs = ({ id, apiKey }: Caller) => (apiKey ? -apiKey.id : id)

/**
 * Whose turn a call waits for: the user's, or the negative id for that of all API keys of the user. So neither delays
 * nor crowds out the other, and twenty keys do not take all connections of the database.
 */
export const turnOf = ({ id, apiKey }: Pick<Caller, 'id' | 'apiKey'>) => (apiKey ? -id : id)
