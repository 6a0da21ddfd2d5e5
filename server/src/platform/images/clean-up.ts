import { LOCKS, tryLock } from '../database/advisory-lock.ts'
import type { Db, Pool } from '../database/connection.ts'
import { identifier, sql } from '../database/sql.ts'
import type { FileStore } from '../files/store.ts'
import { FILES, IMAGES, isUsed, type Media } from '../media.ts'
import type { ImageStore } from './store.ts'

type Store = Pick<ImageStore, 'remove' | 'removeLeftovers'>

/** Recurring work: deletes images. */
export const sweepImages = (db: Pool, images: ImageStore) => sweep(db, IMAGES, images)

/** Recurring work: deletes other files of messages. */
export const sweepFiles = (db: Pool, files: FileStore) => sweep(db, FILES, files)

/** So many files that can't be removed are passed over. With more, the store is away. */
const MAX_FAILURES = 20

/**
 * Deletes what no message and no job has referred to for an hour, at most 1000 in one run. The hour leaves time to save
 * the message whose file was just uploaded. Also removes what crashed writes have left. Throws if a file could not be
 * removed, after the others.
 */
async function sweep(db: Pool, media: Media, store: Store): Promise<void> {
  await markUnused(db, media)
  const unused = await db.many<{ id: number; name: string }>(sql`
    select id, name from ${identifier(media.table)} where unused_since <= clock_now() - interval '1 hour'
    order by id limit 1000`)
  const failures: unknown[] = []
  for (const { id, name } of unused) {
    await deleteUnused(db, media, id, () => store.remove(name)).catch((error) => failures.push(error))
    if (failures.length > MAX_FAILURES) break
  }
  await store.removeLeftovers()
  if (failures.length > 0) throw failures[0]
}

const markUnused = (db: Db, media: Media) =>
  db.run(sql`
  update ${identifier(media.table)} f set unused_since = case when unused_since is null then clock_now() end
  where ${isUsed(media, sql`f.id`)} = (unused_since is not null)`)

/**
 * Deletes the row, unless a message or a job refers to it by now. Row and file go together: if the file can't be
 * removed, the row stays, and the next run tries again.
 */
const deleteUnused = (db: Pool, media: Media, id: number, removeFile: () => Promise<void>) =>
  db.begin(async (tx) => {
    if (!(await tryLock(tx, LOCKS.imageFiles))) return
    const table = identifier(media.table)
    // A transaction that adds a reference locks this row too, and so does an upload of the same file. So the delete
    // sees every committed reference, and a later one waits for the delete.
    await tx.run(sql`select from ${table} where id = ${id} for update`)
    const count = await tx.run(sql`
      delete from ${table} f where id = ${id} and unused_since <= clock_now() - interval '1 hour' and not ${isUsed(media, sql`f.id`)}`)
    if (count === 1) await removeFile()
  })

/** A backup reads the images and files long after the rows. None is deleted while this connection lasts. */
export const keepImages = (db: Db) => db.run(sql`select pg_advisory_lock_shared(${LOCKS.imageFiles})`)
