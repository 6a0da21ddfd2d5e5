import type { Db, Pool } from '../../platform/database/connection.ts'
import { sql } from '../../platform/database/sql.ts'

/** The columns that are needed to set an instance's webhook and to authenticate its calls. */
export type WebhookRow = { id: number; isTest: boolean; tokenCipher: Buffer; tokenHash: Buffer }

const columns = sql`i.id, i.is_test, i.token_cipher, i.token_hash`

export async function findWebhookRow(db: Db, id: number): Promise<WebhookRow | null> {
  const row = await db.maybeOne<WebhookRow>(sql`select ${columns} from instances i where i.id = ${id}`)
  return row ?? null
}

/** Whether the instance still has the token that it had when the row was read, by one of these hashes. */
export const hasSameToken = async (db: Db, id: number, hashes: Buffer[]): Promise<boolean> =>
  (await db.run(sql`select from instances where id = ${id} and token_hash = any(${hashes})`)) === 1

/** Returns null if the instance's provider has no webhook of ours. */
export async function findSetWebhook(db: Db, id: number): Promise<WebhookRow | null> {
  const row = await db.maybeOne<WebhookRow>(sql`
    select ${columns} from instances i where i.id = ${id} and i.webhook_base is not null`)
  return row ?? null
}

/**
 * Claims linked instances whose webhook must be set: those with another URL, and once a day all others, because
 * somebody may have removed the webhook. A failed attempt is repeated after an hour. `base` has our URLs for live and
 * for test-mode instances. With `id`, only that instance can be claimed.
 */
export const claimWebhooks = (
  db: Pool,
  base: { live: string | null; test: string | null },
  { id, limit = 20 }: { id?: number; limit?: number },
) =>
  db.many<WebhookRow>(sql`
  with due as materialized (
    select i.id from instances i
      cross join lateral (select case when i.is_test then ${base.test}::text else ${base.live}::text end as base) ours
    where ${id === undefined ? sql`true` : sql`i.id = ${id}`}
      and i.is_active and i.status in ('Connected', 'Degraded') and ours.base is not null
      and (i.webhook_base <> ours.base
        or i.webhook_tried_at <= clock_now() - case
          when i.webhook_base is null then interval '1 hour' else interval '1 day' end)
    order by i.id limit ${limit} for update of i skip locked
  )
  update instances i set webhook_tried_at = clock_now() from due where i.id = due.id
  returning ${columns}`)

/** Saves the URL that the webhook points to, or null if it could not be set. No-op if the token has changed. */
export const saveWebhookBase = (db: Pool, { id, tokenHash }: WebhookRow, base: string | null) =>
  db.run(sql`
  update instances set webhook_base = ${base} where id = ${id} and token_hash = ${tokenHash}`)

/**
 * Has the engine read the incoming messages before the accounts write to people again. An account that somebody has
 * locked is read within an hour.
 */
export const forgetIncoming = (db: Pool) =>
  db.run(sql`
  update instances set incoming_until = 'epoch', incoming_check_at = 'epoch'
  where id in (
    select id from instances where webhook_base is not null and incoming_until > clock_now()
    for no key update skip locked)`)

/** Without a public URL, webhooks can't reach us. The engine then polls the receipts. */
export const forgetLiveWebhooks = (db: Pool) =>
  db.run(sql`
  update instances set webhook_base = null where not is_test and webhook_base is not null`)

/**
 * Makes the next scheduled sync of the groups come sooner. A sync that runs may have read the page before the change.
 */
export const markGroupsChanged = (db: Pool, id: number) =>
  db.run(sql`
  update instances set groups_changed_at = clock_now()
  where id = ${id} and (groups_changed_at is null or syncing_until > clock_now())`)
