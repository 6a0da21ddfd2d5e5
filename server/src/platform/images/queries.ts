import type { Db } from '../database/connection.ts'
import { identifier, sql } from '../database/sql.ts'

/** SQL expression: the URL of the image whose id this column holds, or null. */
export const imageUrl = (idColumn: string) =>
  sql`(select '/images/' || image.name from images image where image.id = ${identifier(idColumn)})`

export async function hasImages(db: Db): Promise<boolean> {
  const { exists } = await db.one<{ exists: boolean }>(sql`select exists (select from images)`)
  return exists
}
