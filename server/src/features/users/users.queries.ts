import type { RightField } from '@sendroom/contract/rights'
import type { User, UserListQuery } from '@sendroom/contract/users'
import { CHANGES } from '../../platform/changes.ts'
import type { Db } from '../../platform/database/connection.ts'
import { assignments, sql, values } from '../../platform/database/sql.ts'
import { listPage } from '../../platform/list.ts'
import { hasText } from '../../platform/search.ts'
import { userColumns } from '../../platform/user-row.ts'

export async function listUsers(db: Db, query: UserListQuery) {
  return listPage<User>(db, query, {
    select: sql`select ${userColumns('u')}`,
    from: sql`from users u where ${hasText(sql`u.search_text`, query.search)}`,
    sortBy: sortColumn(query.sortBy),
    id: sql`u.id`,
    countKey: ['users', query.search],
  })
}

const sortColumn = (field: UserListQuery['sortBy']) =>
  ({
    id: sql`u.id`,
    username: sql`lower(u.username)`,
    email: sql`lower(u.email)`,
    role: sql`u.role`,
    isActive: sql`u.is_active`,
    createdAt: sql`u.created_at`,
  })[field]

type Columns = Partial<
  Pick<User, 'username' | 'email' | 'role' | 'isActive' | RightField> & {
    passwordHash: string
  }
>

export async function insertUser(db: Db, columns: Columns): Promise<number> {
  const { id } = await db.one<{ id: number }>(sql`insert into users ${values(columns)} returning id`)
  return id
}

/**
 * Returns the version before the update, or null if there is no such user. A registered user waits until the first
 * activation.
 */
export async function updateUserColumns(db: Db, id: number, columns: Columns): Promise<number | null> {
  const isWaiting = columns.isActive ? sql`false` : sql`is_waiting`
  const version = sql`version + 1`
  const user = await db.maybeOne<{ before: number }>(sql`
    update users set ${assignments({ ...columns, isWaiting, version })} where id = ${id}
    returning version - 1 as before`)
  return user?.before ?? null
}

export async function deleteUser(db: Db, id: number): Promise<boolean> {
  const count = await db.run(sql`delete from users where id = ${id}`)
  return count === 1
}

export async function listActiveAdmins(db: Db): Promise<number[]> {
  const admins = await db.many<{ id: number }>(sql`select id from users where role = 'Admin' and is_active`)
  return admins.map(({ id }) => id)
}

/** Replaces the user's instances. Returns false if one of them does not exist. */
export async function replaceInstances(db: Db, userId: number, instanceIds: number[]): Promise<boolean> {
  const ids = [...new Set(instanceIds)]
  await db.run(
    sql`delete from user_instances where user_id = ${userId} and instance_id <> all(${ids}::bigint[])`,
  )
  await db.run(sql`
    insert into user_instances (user_id, instance_id)
    select ${userId}, i.id from instances i where i.id = any(${ids}::bigint[]) for key share
    on conflict do nothing`)
  const { count } = await db.one<{ count: number }>(sql`
    select count(*) from user_instances where user_id = ${userId}`)
  return count === ids.length
}

/**
 * Notifies all servers that the user's rights may have changed, so that the user's pages read them again. Triggers do
 * this for the role, a lock and the instances, but not for the flags. The payload is the triggers' own: PostgreSQL
 * sends equal notifications of a transaction only once.
 */
export const notifyAccess = (tx: Db, userId: number) =>
  tx.run(sql`
  select pg_notify(${CHANGES}, jsonb_build_array(
    jsonb_build_object('feature', 'access', 'id', ${userId}::bigint))::text)`)
