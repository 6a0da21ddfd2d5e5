import type { Pool } from '../database/connection.ts'
import { identifier, sql, values } from '../database/sql.ts'
import { cleanImage } from './image-file.ts'
import { type ImageStore, mimeTypeOf } from './store.ts'

/** SQL expression: the URL of the image whose id this column holds, or null. */
export const imageUrl = (idColumn: string) =>
  sql`(select '/images/' || image.name from images image where image.id = ${identifier(idColumn)})`

/**
 * Stores an uploaded image and returns its id. The file comes first, so that no row ever points to a missing file.
 * Throws a refusal if the bytes are no image that we accept.
 */
export async function storeImage(db: Pool, images: ImageStore, uploaded: Buffer): Promise<number> {
  const { bytes, extension } = await cleanImage(uploaded)
  const name = await images.put(bytes, extension)
  const row = { name, mimeType: mimeTypeOf(name), size: bytes.length }
  const { id } = await db.one<{ id: number }>(sql`insert into images ${values(row)} returning id`)
  return id
}
