import type { Db, Pool } from '../../platform/database/connection.ts'
import { sql } from '../../platform/database/sql.ts'

/** What is needed to set an account's webhook, or to know its calls. */
export type WebhookRow = { id: number; isTest: boolean; tokenCipher: Buffer; tokenHash: Buffer }

const columns = sql`i.id, i.is_test, i.token_cipher, i.token_hash`

export async function findWebhookRow(db: Db, id: number): Promise<WebhookRow | null> {
  const row = await db.maybeOne<WebhookRow>(sql`select ${columns} from instances i where i.id = ${id}`)
  return row ?? null
}

/** Only where there is a webhook at the account's provider. */
export async function findSetWebhook(db: Db, id: number): Promise<WebhookRow | null> {
  const row = await db.maybeOne<WebhookRow>(sql`
    select ${columns} from instances i where i.id = ${id} and i.webhook_base is not null`)
  return row ?? null
}

/**
 * Linked accounts whose webhook is not set to our address (one for live accounts, one for test-mode ones; null where
 * there is none), or was looked at a day ago; of all, or this one. What could not be set is tried again an hour later.
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

/** Unless the account has another token by now. */
export const keepWebhook = (db: Pool, { id, tokenHash }: WebhookRow, base: string | null) =>
  db.run(sql`
  update instances set webhook_base = ${base} where id = ${id} and token_hash = ${tokenHash}`)

/** Without an address there are no webhooks: the accounts are asked about their messages instead. */
export const forgetLiveWebhooks = (db: Pool) =>
  db.run(sql`
  update instances set webhook_base = null where not is_test and webhook_base is not null`)

/** The groups are read anew by the schedule, which a change makes shorter. */
export const markGroupsChanged = (db: Pool, id: number) =>
  db.run(sql`
  update instances set groups_changed_at = clock_now()
  where id = ${id} and coalesce(groups_changed_at, 'epoch') <= coalesce(last_sync_at, 'epoch')`)
