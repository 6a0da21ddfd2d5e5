import type { AuditAction, AuditObject, RefusalKind } from '@sendroom/contract/audit-actions'
import type { Db, Tx } from './database/connection.ts'
import { json, type Sql, sql } from './database/sql.ts'

/** Whoever acts, also by an API key. Without an id and a name if nobody is signed in. */
export type Actor = {
  id: number | null
  username: string
  address: string
  apiKey?: { name: string } | null
}

export type Entry = {
  action: AuditAction
  object?: { type: AuditObject; id: number; name: string }
  /** Never a password, a token or a code. `text` and `formerText` are searched. */
  details?: Record<string, unknown>
}

export const nobody = (address: string): Actor => ({ id: null, username: '', address })

/**
 * Adds entries to the audit log, in the transaction that makes the change: then neither exists without the other, also
 * if the process dies. Before something leaves the database, such as an export, the entry has a transaction of its own.
 * An entry that a job was created, or deleted, is added once for each job.
 */
export async function record(tx: Tx, actor: Actor, ...entries: Entry[]): Promise<void> {
  if (entries.length > 0) await tx.run(sql`${insertInto} ${rowsOf(actor, entries)} on conflict do nothing`)
}

/** Adds an entry unless the same one was added in the last ten minutes. For what a page repeats while it is open. */
export async function recordRepeated(tx: Tx, actor: Actor, entry: Entry): Promise<void> {
  await tx.run(sql`
    ${insertInto}
    select new.* from (${rowsOf(actor, [entry])}) new
    where not exists (
      select from audit_log old
      where old.action = new.action and old.at between clock_now() - interval '10 minutes' and clock_now()
        and (old.user_id, old.address, old.object_id, old.details)
          is not distinct from (new.user_id, new.address, new.object_id, new.details)
    )`)
}

/** Adds a failed sign-in. The typed name is kept only if it is a user's: people type passwords into the wrong field. */
export async function recordFailedSignIn(tx: Tx, typedName: string, address: string): Promise<void> {
  await tx.run(sql`
    insert into audit_log (user_name, address, action, object_type, object_id, object_name, details)
    select '', ${address}, ${'session.sign_in_failed' satisfies AuditAction}, 'user', u.id, coalesce(u.username, ''), '{}'
    from (values (lower(${typedName}::text), lower(${typedName.normalize('NFC')}::text))) typed (name, nfc)
      left join users u on lower(u.username) in (typed.name, typed.nfc)
    order by lower(u.username) = typed.name desc limit 1`)
}

/** Adds refused calls to the entries of this hour, one for each kind and each user or address. */
export async function countRefusals(
  db: Db,
  groups: { kind: RefusalKind; userId: number | null; userName: string; address: string; count: number }[],
): Promise<void> {
  const rows = groups.map(({ kind, userId, userName, address, count }) => ({
    kind,
    user_id: userId,
    user_name: userName,
    address,
    count,
  }))
  await db.run(sql`select count_refusals(${json(rows)})`)
}

/** Recurring work: deletes entries older than this. Each statement deletes a slice, so none takes long. */
export async function deleteOldAudit(db: Db, days: number, signal?: AbortSignal): Promise<void> {
  while (!signal?.aborted) {
    const { deleted } = await db.one<{ deleted: number }>(sql`select delete_old_audit(${days}) as deleted`)
    if (deleted === 0) return
  }
}

/** Returns the fields that differ, as [before, after]. */
export function changesOf<T extends object>(before: T, after: T, fields: readonly (keyof T)[]) {
  const changed = fields.filter((field) => JSON.stringify(before[field]) !== JSON.stringify(after[field]))
  return Object.fromEntries(changed.map((field) => [field, [before[field], after[field]]]))
}

const insertInto = sql`
  insert into audit_log (user_id, user_name, address, action, object_type, object_id, object_name, details)`

function rowsOf({ id, username, address, apiKey }: Actor, entries: Entry[]): Sql {
  const byKey = json(apiKey ? { apiKey: apiKey.name } : {})
  return sql`
    select ${id}::bigint as user_id, ${username}::text as user_name, ${address}::text as address, action, object_type,
      object_id, coalesce(object_name, '') as object_name, coalesce(details, '{}') || ${byKey} as details
    from jsonb_to_recordset(${jsonOf(entries)})
      as entry (action text, object_type text, object_id bigint, object_name text, details jsonb)`
}

const jsonOf = (entries: Entry[]) =>
  json(
    entries.map(({ action, object, details }) => ({
      action,
      object_type: object?.type,
      object_id: object?.id,
      object_name: object?.name,
      details,
    })),
  )
