import type { Db } from '../../platform/database/connection.ts'
import { sql } from '../../platform/database/sql.ts'
import type { TableSource } from '../../platform/table-file/source.ts'

/**
 * All parts but the last have so many bytes. A part passes through several buffers and texts while it is read, and V8
 * collects large ones late.
 */
export const PART_BYTES = 1 << 15

export const insertPart = (db: Db, importId: number, place: number, bytes: Buffer) =>
  db.run(sql`insert into import_parts (import_id, place, bytes) values (${importId}, ${place}, ${bytes})`)

/** The file of an import, which is read from the database part by part. Returns null if it is gone. */
export async function openFile(db: Db, importId: number): Promise<TableSource | null> {
  const { size } = await db.one<{ size: number | null }>(sql`
    select sum(length(bytes)) as size from import_parts where import_id = ${importId}`)
  if (size === null) return null
  return {
    size,
    async *read(start = 0, end = size) {
      for (let place = Math.floor(start / PART_BYTES); place * PART_BYTES < end; place++) {
        const part = await db.maybeOne<{ bytes: Buffer }>(sql`
          select bytes from import_parts where import_id = ${importId} and place = ${place}`)
        if (!part) return
        const before = place * PART_BYTES
        yield part.bytes.subarray(Math.max(0, start - before), end - before)
      }
    },
  }
}
