import type { Quotas } from '@sendroom/contract/quotas'
import { type Caller, isAdmin } from './access.ts'
import { LOCKS, lock } from './database/advisory-lock.ts'
import type { Db } from './database/connection.ts'
import { identifier, type Sql, sql } from './database/sql.ts'
import { countedFor, FILES, IMAGES, type Media } from './media.ts'
import { orNotFound, Refusal } from './refusal.ts'

// The quota of recipients is a trigger of `jobs`: see check_recipient_quotas in the schema. Here are the other ones.

const columns = sql`
  recipients_per_user, recipients_per_instance, syncs_per_day, searches_at_once, image_megabytes_per_user`

export const readQuotas = (db: Db) => db.one<Quotas>(sql`select ${columns} from quotas`)

/** Reads the quotas before a change. Two changes at once happen one after the other. */
export const lockQuotas = (tx: Db) => tx.one<Quotas>(sql`select ${columns} from quotas for update`)

/**
 * Throws unless the job's recipients fit now. The trigger decides, when the job is committed. This spares the work for
 * a job that would be refused then.
 */
export async function requireRoomForRecipients(
  db: Db,
  { userId, instanceId, recipients }: { userId: number; instanceId: number; recipients: number },
): Promise<void> {
  const { ofUser, ofInstance, recipientsPerUser, recipientsPerInstance } = await db.one<
    Quotas & { ofUser: number; ofInstance: number }
  >(sql`
    select ${columns},
      recipients_of_user(${userId}) as of_user,
      (select coalesce(sum(recipient_count), 0) from jobs
        where instance_id = ${instanceId} and status in ('Pending', 'Running')) as of_instance
    from quotas`)
  if (ofUser + recipients > recipientsPerUser)
    throw new Refusal('quota_recipients_user', { limit: recipientsPerUser })
  if (ofInstance + recipients > recipientsPerInstance)
    throw new Refusal('quota_recipients_account', { limit: recipientsPerInstance })
}

/**
 * Counts a sync that a user asks for. Throws if the instance has had its syncs of these 24 hours. An Admin is counted
 * and never refused: otherwise a Member could use up the syncs of an instance for everybody.
 */
export async function countManualSync(tx: Db, caller: Caller, instanceId: number): Promise<void> {
  const count = await tx.run(sql`
    insert into manual_syncs as m (instance_id) select id from instances where id = ${instanceId} for key share
    on conflict (instance_id) do update set
      count = case when m.since <= clock_now() - interval '24 hours' then 1 else m.count + 1 end,
      since = case when m.since <= clock_now() - interval '24 hours' then clock_now() else m.since end
    where m.since <= clock_now() - interval '24 hours' or m.count < (select syncs_per_day from quotas)
      or ${isAdmin(caller)}`)
  if (count === 1) return
  const over = await tx.maybeOne<{ limit: number; seconds: number }>(sql`
    select syncs_per_day as limit,
      ceil(extract(epoch from since + interval '24 hours' - clock_now()))::int as seconds
    from quotas, manual_syncs where instance_id = ${instanceId}`)
  // The account was deleted meanwhile.
  const { limit, seconds } = orNotFound(over ?? null)
  throw new Refusal('quota_syncs', { limit }, Math.max(1, seconds))
}

/**
 * Throws unless the user's images and files leave room for so many bytes. In a transaction it holds until that ends.
 */
export async function requireRoomOnDisk(tx: Db, userId: number, bytes: number): Promise<void> {
  await lock(tx, LOCKS.imagesOf(userId))
  const stored = (media: Media) => sizeOf(media, (id) => sql`${id} in (${countedFor(userId, media)})`)
  const { limit, taken } = await tx.one<{ limit: number; taken: number }>(sql`
    select image_megabytes_per_user as limit, ${stored(IMAGES)} + ${stored(FILES)} as taken from quotas`)
  if (taken + bytes > limit * 1_000_000) throw new Refusal('quota_images', { limit })
}

type MediaIds = { imageId?: number | null; fileId?: number | null }

/**
 * Throws unless a message of this user may get the image or file. Those that count for the user already may. Two saves
 * at once happen one after the other, so that the second sees what counts by then.
 */
export async function requireRoomInMessage(
  tx: Db,
  userId: number,
  { imageId = null, fileId = null }: MediaIds,
): Promise<void> {
  if (imageId === null && fileId === null) return
  await lock(tx, LOCKS.imagesOf(userId))
  const added = (media: Media, added: number | null) =>
    sizeOf(media, (id) => sql`${id} = ${added} and ${id} not in (${countedFor(userId, media)})`)
  const { bytes } = await tx.one<{ bytes: number }>(sql`
    select ${added(IMAGES, imageId)} + ${added(FILES, fileId)} as bytes`)
  if (bytes > 0) await requireRoomOnDisk(tx, userId, bytes)
}

/** SQL expression: the bytes of the images or files whose id meets a condition. */
const sizeOf = ({ table }: Media, condition: (id: Sql) => Sql) => sql`(
  select coalesce(sum(f.size), 0) from ${identifier(table)} f where ${condition(sql`f.id`)})`
