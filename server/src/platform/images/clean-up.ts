import { LOCKS, tryLock } from '../database/advisory-lock.ts'
import type { Db, Pool } from '../database/connection.ts'
import { type Sql, sql } from '../database/sql.ts'
import type { ImageStore } from './store.ts'

/**
 * Recurring work: deletes the images that no message and no job has referred to for an hour, at most 1000 in one run.
 * The hour leaves time to save the message whose image was just uploaded. Also removes what crashed writes have left.
 */
export async function sweepImages(db: Pool, images: ImageStore): Promise<void> {
  await markUnused(db)
  const unused = await db.many<{ id: number; name: string }>(sql`
    select id, name from images where unused_since <= clock_now() - interval '1 hour' order by id limit 1000`)
  for (const { id, name } of unused) await deleteUnused(db, id, () => images.remove(name))
  await images.removeLeftovers()
}

const isUsed = (id: Sql) => sql`(
  exists (select from messages where messages.image_id = ${id}) or exists (select from jobs where jobs.image_id = ${id})
)`

const markUnused = (db: Db) =>
  db.run(sql`
  update images i set unused_since = case when unused_since is null then clock_now() end
  where ${isUsed(sql`i.id`)} = (unused_since is not null)`)

/**
 * Deletes the image, unless a message or a job refers to it by now. Row and file go together: if the file can't be
 * removed, the row stays, and the next run tries again.
 */
const deleteUnused = (db: Pool, id: number, removeFile: () => Promise<void>) =>
  db.begin(async (tx) => {
    if (!(await tryLock(tx, LOCKS.imageFiles))) return
    // A transaction that adds a reference locks this row too. So the delete sees every committed reference, and a
    // later one waits for the delete.
    await tx.run(sql`select from images where id = ${id} for update`)
    const count = await tx.run(sql`delete from images i where id = ${id} and not ${isUsed(sql`i.id`)}`)
    if (count === 1) await removeFile()
  })

/** A backup reads the files long after the rows. No file is deleted while this connection lasts. */
export const keepImages = (db: Db) => db.run(sql`select pg_advisory_lock_shared(${LOCKS.imageFiles})`)
