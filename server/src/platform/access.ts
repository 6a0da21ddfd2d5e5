import type { Access } from '@sendroom/contract/endpoint'
import type { Role } from '@sendroom/contract/users'
import type { Db } from './database/connection.ts'
import { identifier, sql } from './database/sql.ts'
import { Refusal } from './refusal.ts'

/** The signed-in user who makes the call. */
export type Caller = {
  id: number
  username: string
  role: Role
  canSendMessages: boolean
  canCreateJobs: boolean
  tokenHash: Buffer
  /** The instances that a Member sees. Admins see all. */
  instanceIds: number[]
}

/** SQL condition: this session of this user, both given by alias, has neither expired nor been locked out. */
export const isLiveSession = (session: string, user: string) =>
  sql`(${identifier(session)}.expires_at > clock_now() and ${identifier(user)}.is_active)`

const RULES: Record<Exclude<Access, 'public'>, (caller: Caller) => boolean> = {
  signedIn: () => true,
  canSendMessages: (caller) => caller.canSendMessages || isAdmin(caller),
  canCreateJobs: (caller) => caller.canCreateJobs || isAdmin(caller),
  admin: (caller) => isAdmin(caller),
}

export const isAdmin = (caller: Pick<Caller, 'role'>) => caller.role === 'Admin'

/** Throws a refusal instead of replying, so that no handler can forget to stop. */
export function requireAccess(caller: Caller | null, access: Access): void {
  if (access === 'public') return
  if (!caller) throw new Refusal('unauthenticated')
  if (!RULES[access](caller)) throw new Refusal('forbidden')
}

/**
 * SQL condition: the caller sees the instance whose id this column holds. The ids are parameters, because the planner
 * can't estimate how few rows a subquery lets through and would scan everybody's rows.
 */
export const canSeeInstance = (caller: Caller, column: string) =>
  isAdmin(caller) ? sql`true` : sql`${identifier(column)} = any(${caller.instanceIds})`

/** SQL condition: this message is a shared template. An Admin wrote it, and it belongs to no instance. */
export const isSharedTemplate = (alias: string) =>
  sql`(${identifier(alias)}.instance_id is null and ${identifier(alias)}.created_by_admin)`

/** SQL condition: the caller may change this message. It belongs to one of their instances, or to none and they wrote it. */
export const canChangeMessage = (caller: Caller, alias: string) => sql`(
    ${canSeeInstance(caller, `${alias}.instance_id`)}
    or (${identifier(alias)}.instance_id is null and ${identifier(alias)}.created_by_user_id = ${caller.id})
  )`

/** SQL condition: the caller sees this message and may use it in a job. Everybody sees the shared templates. */
export const canSeeMessage = (caller: Caller, alias: string) =>
  sql`(${canChangeMessage(caller, alias)} or ${isSharedTemplate(alias)})`

/** Reads again which instances the caller sees. Null means all of them. */
export async function visibleInstances(db: Db, caller: Caller): Promise<ReadonlySet<number> | null> {
  if (isAdmin(caller)) return null
  const visible = await db.many<{ instanceId: number }>(sql`
    select instance_id from user_instances where user_id = ${caller.id}`)
  return new Set(visible.map(({ instanceId }) => instanceId))
}
