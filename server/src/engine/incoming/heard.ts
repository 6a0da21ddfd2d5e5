import type { Db, Tx } from '../../platform/database/connection.ts'
import { sql } from '../../platform/database/sql.ts'
import type { Said } from './said.ts'

/** A number of a contact, and when somebody last wrote from it. */
type Heard = { kind: string; value: string; at: string }

/** The contacts' numbers among those that the messages came from. To the day, so that few messages write anything. */
export async function findHeard(db: Db, said: readonly Said[]): Promise<Heard[]> {
  if (said.length === 0) return []
  return await db.many<Heard>(sql`
    select i.kind, i.value, max(s.said_at) as at
    from unnest(${said.map(({ phone, likelyPhone }) => phone ?? likelyPhone)}::text[],
        ${said.map(({ lid }) => lid)}::text[], ${said.map(({ saidAt }) => saidAt)}::timestamptz[]) s (phone, lid, said_at),
      lateral (
        select kind, value, used_at from contact_identities where kind = 'phone' and value = s.phone
        union all
        select kind, value, used_at from contact_identities where whatsapp_phone = s.phone and value <> s.phone
        union all
        select kind, value, used_at from contact_identities where kind = 'lid' and value = s.lid
      ) i
    where coalesce(i.used_at, 'epoch') < s.said_at - interval '1 day'
    group by i.kind, i.value`)
}

/** Waits for nobody. Whoever has locked the number changes its contact, or has just heard of it, too. */
export async function recordHeard(tx: Tx, heard: readonly Heard[]): Promise<void> {
  if (heard.length === 0) return
  await tx.run(sql`
    with free as (
      select i.kind, i.value, h.at
      from contact_identities i join unnest(${heard.map(({ kind }) => kind)}::text[],
          ${heard.map(({ value }) => value)}::text[], ${heard.map(({ at }) => at)}::timestamptz[]) h (kind, value, at)
        on h.kind = i.kind and h.value = i.value
      for no key update of i skip locked
    )
    update contact_identities i set used_at = greatest(i.used_at, free.at)
    from free where i.kind = free.kind and i.value = free.value`)
}
