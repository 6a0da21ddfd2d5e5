import type { FileKind, WhyNot } from '@sendroom/contract/files'
import type { Db } from '../database/connection.ts'
import { sql, values } from '../database/sql.ts'

/** A row of `files`. */
export type FileRow = {
  name: string
  mimeType: string
  size: number
  seconds: number | null
  width: number | null
  height: number | null
  kinds: FileKind[]
  whyNot: WhyNot | null
}

export type NewFile = FileRow & { sha256: Buffer; userId: number }

const columns = sql`name, mime_type, size, seconds, width, height, kinds, why_not`

export async function hasFiles(db: Db): Promise<boolean> {
  const { exists } = await db.one<{ exists: boolean }>(sql`select exists (select from files)`)
  return exists
}

/**
 * Returns the user's file with this content, which then has an hour again to be used. Locks the row against the sweep.
 */
export const touchFile = (tx: Db, { userId, sha256 }: Pick<NewFile, 'userId' | 'sha256'>) =>
  tx.maybeOne<FileRow>(sql`
    update files set unused_since = null where user_id = ${userId} and sha256 = ${sha256} returning ${columns}`)

/** Inserts the file, or returns the one with the same content that another upload of the user has just inserted. */
export const insertFile = (tx: Db, file: NewFile) =>
  tx.one<FileRow>(sql`
    insert into files ${values(file)}
    on conflict (user_id, sha256) do update set unused_since = null returning ${columns}`)
