import { randomBytes } from 'node:crypto'
import { type KeyRight, keyRights } from '@sendroom/contract/rights'
import { newApiKey } from '../src/platform/api-key-text.ts'
import type { Db } from '../src/platform/database/connection.ts'
import { sql, values } from '../src/platform/database/sql.ts'

/** With all rights, for all accounts and addresses, unless an option says otherwise. */
type Options = { rights?: readonly KeyRight[]; instanceIds?: number[]; addresses?: string[]; name?: string }

/** Gives a user an API key, which calls as a session does. */
export const addApiKey =
  (db: Db) =>
  async ({ id: userId, username }: { id: number; username: string }, options: Options = {}) => {
    const { secret: token, ...stored } = newApiKey()
    const name = `Key-${randomBytes(5).toString('hex')}`
    const row = { userId, ...stored, name, rights: keyRights, addresses: [], ...options }
    const expiresAt = sql`clock_now() + interval '10 years'`
    const { id: keyId } = await db.one<{ id: number }>(sql`
      insert into api_keys ${values({ ...row, expiresAt })} returning id`)
    return { id: userId, username, token, keyId }
  }
