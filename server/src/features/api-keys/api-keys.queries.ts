import type { ApiKey, ApiKeyChange, ApiKeyListQuery } from '@sendroom/contract/api-keys'
import { limits } from '@sendroom/contract/limits'
import { type Caller, canSeeInstance, isAdmin } from '../../platform/access.ts'
import type { Db } from '../../platform/database/connection.ts'
import { assignments, sql, values } from '../../platform/database/sql.ts'
import { listPage } from '../../platform/list.ts'
import { lockUserChanges, lockWrites } from '../../platform/lock-user.ts'
import { hasText } from '../../platform/search.ts'

/** The accounts of a key are named as far as the caller sees them. */
const columns = (caller: Caller) => sql`
  k.id, k.name, k.start, jsonb_build_object('id', u.id, 'name', u.username) as owner, k.rights,
  case when k.instance_ids is not null then (
    select coalesce(jsonb_agg(jsonb_build_object('id', i.id, 'name', i.name) order by i.name, i.id), '[]')
    from instances i where i.id = any(k.instance_ids) and ${canSeeInstance(caller, 'i.id')}
  ) end as instances,
  k.addresses, k.created_at, k.expires_at, k.expires_at <= clock_now() as has_expired, k.last_used_at,
  k.last_used_address`

const isVisible = (caller: Caller) => (isAdmin(caller) ? sql`true` : isOwn(caller))
const isOwn = (caller: Caller) => sql`k.user_id = ${caller.id}`

const from = sql`from api_keys k join users u on u.id = k.user_id`

const sortColumn = (field: ApiKeyListQuery['sortBy']) =>
  ({
    id: sql`k.id`,
    name: sql`lower(k.name)`,
    owner: sql`lower(u.username)`,
    expiresAt: sql`k.expires_at`,
    lastUsedAt: sql`coalesce(k.last_used_at, '-infinity')`,
  })[field]

export async function listApiKeys(db: Db, caller: Caller, query: ApiKeyListQuery) {
  const matchesSearch = hasText(sql`unaccent_lower(k.name || ' ' || u.username)`, query.search)
  return listPage<ApiKey>(db, query, {
    select: sql`select ${columns(caller)}`,
    from: sql`${from} where ${isVisible(caller)} and ${matchesSearch}`,
    sortBy: sortColumn(query.sortBy),
    id: sql`k.id`,
    countKey: ['API keys', isAdmin(caller) || caller.id, query.search],
  })
}

const find = async (db: Db, caller: Caller, id: number, condition = isVisible(caller)) =>
  (await db.maybeOne<ApiKey>(sql`select ${columns(caller)} ${from} where k.id = ${id} and ${condition}`)) ??
  null

/** An API key of the caller, or of anybody if they are an Admin. */
export const findApiKey = (db: Db, caller: Caller, id: number) => find(db, caller, id)

/** Admins see and revoke the keys of others, and change only their own. */
export const findOwnApiKey = (db: Db, caller: Caller, id: number) => find(db, caller, id, isOwn(caller))

/** Before the key is changed or revoked, which each of its calls keeps from happening while it writes. */
export async function lockKeyOwner(tx: Db, caller: Caller, id: number): Promise<void> {
  const key = await findApiKey(tx, caller, id)
  if (!key) return
  if (key.owner.id === caller.id) await lockWrites(tx, caller.id)
  else await lockUserChanges(tx, key.owner.id)
}

export const countApiKeys = async (tx: Db, { id }: Caller): Promise<number> =>
  (
    await tx.one<{ count: number }>(
      sql`select count(*) from api_keys where user_id = ${id} and expires_at > clock_now()`,
    )
  ).count

type Secret = { start: string; tokenHash: Buffer }

export async function insertApiKey(
  tx: Db,
  { id: userId }: Caller,
  { days, ...columns }: ApiKeyChange & Secret & { days: number },
): Promise<number> {
  const expiresAt = sql`clock_now() + ${days} * interval '1 day'`
  const { id } = await tx.one<{ id: number }>(
    sql`insert into api_keys ${values({ userId, ...columns, expiresAt })} returning id`,
  )
  return id
}

export const updateApiKey = (tx: Db, id: number, change: ApiKeyChange) =>
  tx.run(sql`update api_keys set ${assignments(change)} where id = ${id}`)

export const deleteApiKey = (tx: Db, id: number) => tx.run(sql`delete from api_keys where id = ${id}`)

/** Whether the caller sees all of these instances. */
export const seesInstances = async (tx: Db, caller: Caller, ids: readonly number[]): Promise<boolean> =>
  (await tx.run(sql`select from instances where id = any(${ids}) and ${canSeeInstance(caller, 'id')}`)) ===
  new Set(ids).size

/** Recurring work. Until then the list says why a program is refused. */
export const deleteExpiredApiKeys = (db: Db) =>
  db.run(sql`
    delete from api_keys where expires_at <= clock_now() - ${limits.expiredKeyDays} * interval '1 day'`)
