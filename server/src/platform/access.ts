import type { Access } from '@sendroom/contract/endpoint'
import type { Role } from '@sendroom/contract/users'
import type { Db } from './database/connection.ts'
import { identifier, sql } from './database/sql.ts'
import { Refusal } from './refusal.ts'

/** Who is calling. */
export type Caller = {
  id: number
  username: string
  role: Role
  canSendMessages: boolean
  canCreateJobs: boolean
  tokenHash: Buffer
  /** What a Member sees; Admins see all. */
  instanceIds: number[]
}

/** Condition in SQL: the session `s` of the user `u` is good. */
export const sessionLives = sql`(s.expires_at > clock_now() and u.is_active)`

const RULES: Record<Exclude<Access, 'public'>, (caller: Caller) => boolean> = {
  signedIn: () => true,
  canSendMessages: (caller) => caller.canSendMessages || isAdmin(caller),
  canCreateJobs: (caller) => caller.canCreateJobs || isAdmin(caller),
  admin: (caller) => isAdmin(caller),
}

export const isAdmin = (caller: Pick<Caller, 'role'>) => caller.role === 'Admin'

/** Throws rather than replies: a thrown refusal cannot be forgotten by the handler behind it. */
export function requireAccess(caller: Caller | null, access: Access): void {
  if (access === 'public') return
  if (!caller) throw new Refusal('unauthenticated')
  if (!RULES[access](caller)) throw new Refusal('forbidden')
}

/**
 * Condition in SQL: the instance in this column is one the caller sees. By their ids: of a subquery the planner does not
 * know how few rows it lets through, and would walk over everybody's.
 */
export const seesInstance = (caller: Caller, column: string) =>
  isAdmin(caller) ? sql`true` : sql`${identifier(column)} = any(${caller.instanceIds})`

/** Condition in SQL: the caller sees this message: one of their instances', or their own without an instance. */
export const seesMessage = (caller: Caller, alias: string) => sql`(
    ${seesInstance(caller, `${alias}.instance_id`)}
    or (${identifier(alias)}.instance_id is null and ${identifier(alias)}.created_by_user_id = ${caller.id})
  )`

/** The ids of the instances the caller sees by now; null when it is all of them. */
export async function visibleInstances(db: Db, caller: Caller): Promise<ReadonlySet<number> | null> {
  if (isAdmin(caller)) return null
  const visible = await db.many<{ instanceId: number }>(sql`
    select instance_id from user_instances where user_id = ${caller.id}`)
  return new Set(visible.map(({ instanceId }) => instanceId))
}
