import type { Db, Pool } from './database/connection.ts'
import { isUniqueViolation } from './database/errors.ts'
import { identifier, raw, sql } from './database/sql.ts'
import type { Secrets } from './secrets.ts'

type EncryptedColumn = { table: string; cipher: string; hash?: string; also?: string }

/**
 * All columns that are encrypted with SECRET_KEY, for `rotate-key`. A test compares them with the database. `hash`: the
 * column with the keyed hash of the same text. `also`: what else changes in the row.
 */
export const encryptedColumns: readonly EncryptedColumn[] = [
  // The webhook's address and secret are derived from the key, so the provider has to get new ones.
  { table: 'instances', cipher: 'token_cipher', hash: 'token_hash', also: "webhook_tried_at = 'epoch'" },
  { table: 'webhook_receivers', cipher: 'secret_cipher' },
  { table: 'webhook_receivers', cipher: 'url_cipher' },
  { table: 'factors', cipher: 'secret_cipher' },
  { table: 'factors', cipher: 'next_cipher' },
  { table: 'installation', cipher: 'number_key_cipher' },
]

/**
 * How many values were encrypted anew, which ones no key can read, such as `instances 7`, and which tokens another
 * account has with the new key: a process that did not know the new key could not refuse those.
 */
export type Rotated = { count: number; unreadable: string[]; taken: string[] }

const BATCH = 100

type Row = { id: number; cipher: Buffer }

/**
 * Encrypts anew whatever the former key has encrypted. Each value is a statement of its own that locks one row, so
 * sending goes on. Whoever stops this at any time only has to begin again: values that have the new key are left out.
 */
export async function encryptAnew(db: Pool, secrets: Secrets, signal?: AbortSignal): Promise<Rotated> {
  const rotated: Rotated = { count: 0, unreadable: [], taken: [] }
  for (const column of encryptedColumns)
    for await (const row of rowsOf(db, column)) {
      signal?.throwIfAborted()
      if (secrets.isCurrent(row.cipher)) continue
      const text = readableText(secrets, row.cipher)
      const outcome =
        text === null ? 'unreadable' : await replace(db, column, row, secrets, text).catch(takenOrThrow)
      if (typeof outcome === 'number') rotated.count += outcome
      else rotated[outcome].push(`${column.table} ${row.id}`)
    }
  return rotated
}

async function* rowsOf(db: Db, { table, cipher }: EncryptedColumn): AsyncGenerator<Row> {
  for (let last = 0, isLast = false; !isLast; ) {
    const rows = await db.many<Row>(sql`
      select id, ${identifier(cipher)} as cipher from ${identifier(table)}
      where id > ${last} and ${identifier(cipher)} is not null order by id limit ${BATCH}`)
    yield* rows
    last = rows.at(-1)?.id ?? last
    isLast = rows.length < BATCH
  }
}

function readableText({ decrypt }: Secrets, cipher: Buffer): string | null {
  try {
    return decrypt(cipher)
  } catch {
    return null
  }
}

function takenOrThrow(error: unknown): 'taken' {
  if (isUniqueViolation(error, 'instances_token')) return 'taken'
  throw error
}

/** No-op if somebody has changed the value meanwhile, which has encrypted it with the new key. */
const replace = (
  db: Db,
  { table, cipher, hash, also }: EncryptedColumn,
  row: Row,
  secrets: Secrets,
  text: string,
) =>
  db.run(sql`
    update ${identifier(table)} set ${identifier(cipher)} = ${secrets.encrypt(text)}
      ${hash ? sql`, ${identifier(hash)} = ${secrets.hash(text)}` : raw('')} ${raw(also ? `, ${also}` : '')}
    where id = ${row.id} and ${identifier(cipher)} = ${row.cipher}`)
