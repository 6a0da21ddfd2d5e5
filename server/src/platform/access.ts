import type { Access } from '@sendroom/contract/endpoint'
import { limits } from '@sendroom/contract/limits'
import { fieldOfRight, type KeyRight, type Right } from '@sendroom/contract/rights'
import type { Role } from '@sendroom/contract/users'
import { isWithin } from './addresses.ts'
import { LOCKS, lockShared } from './database/advisory-lock.ts'
import type { Db, Tx } from './database/connection.ts'
import { identifier, type Sql, sql } from './database/sql.ts'
import { needsFactor } from './factor.ts'
import { Refusal } from './refusal.ts'

type ActingKey = { id: number; name: string; isUsableHere: boolean; wasUsedLately: boolean }

/** The signed-in user who makes the call, or for whom a program makes it. */
export type Caller = Record<Right, boolean> & {
  id: number
  username: string
  role: Role
  sessionId: number
  /** The hash of the token that the request brought, which may be the session's former one. */
  tokenHash: Buffer
  /** Whether the session's last use is to be written anew. */
  isUseOld: boolean
  /** The same for the session's last request that is no use. */
  isIdleOld: boolean
  /** The network address that the call comes from. */
  address: string
  /** The API key of a program that acts for the user. Null in a session. */
  apiKey: ActingKey | null
  /** Whether the user entered the password in this session within the last minutes. */
  isConfirmed: boolean
  /** Whether the user has to set up a second factor before anything else. */
  needsFactor: boolean
  /** The instances that a Member sees. Admins see all. */
  instanceIds: number[]
}

/**
 * Runs `work` in a transaction of a signed-in caller, who can't lose the session or the right before it ends. `work`
 * gets the caller as they are now. `lockFirst` takes the locks that come before those of the caller.
 */
export type Begin = <T>(
  work: (tx: Tx, caller: Caller) => Promise<T>,
  lockFirst?: (tx: Db) => Promise<unknown>,
) => Promise<T>

/** SQL condition: this session of this user, both given by alias, has neither expired nor been locked out. */
export const isValidSession = (session: string, user: string) =>
  sql`(${identifier(session)}.expires_at > clock_now() and ${identifier(user)}.is_active)`

const userColumns = sql`
  u.id, u.username, u.role, u.can_send_messages as can_write_messages, u.can_create_jobs, u.can_link_accounts,
  u.can_export_participants, u.can_use_contacts, u.can_manage_contacts, u.can_approve_jobs, u.can_mention_all,
  array(select instance_id from user_instances where user_id = u.id) as instance_ids`

/** A clock that is set back lengthens what it has stored. More than this is no difference of two servers. */
const CLOCKS_DIFFER = sql`interval '1 minute'`

/** SQL condition: the session, given by alias, has this token, or had it until a moment ago. */
export const hasToken = (session: string, tokenHash: Sql) => {
  const s = identifier(session)
  return sql`(${s}.token_hash = ${tokenHash} or (${s}.former_hash = ${tokenHash} and ${s}.former_until > clock_now()
    and ${s}.former_until < clock_now() + ${CLOCKS_DIFFER}))`
}

/** Finds the user of a session token. Returns null if the session does not exist or is no longer valid. */
export const findCaller = (db: Db, tokenHash: Buffer, address: string) =>
  findSession(db, hasToken('s', sql`${tokenHash}::bytea`), { tokenHash, address })

type FromRequest = Pick<Caller, 'tokenHash' | 'address'>

async function findSession(db: Db, which: Sql, fromRequest: FromRequest): Promise<Caller | null> {
  const caller = await db.maybeOne<Omit<Caller, keyof FromRequest | 'apiKey'>>(sql`
    select ${userColumns}, s.id as session_id, s.used_at < clock_now() - interval '1 minute' as is_use_old,
      greatest(s.used_at, s.idle_at) < clock_now() - interval '1 minute' as is_idle_old,
      -- A thief of the former token must not gain what the owner has just confirmed.
      s.token_hash = ${fromRequest.tokenHash} and
        s.confirmed_at > clock_now() - ${limits.confirmationMinutes} * interval '1 minute' and
        s.confirmed_at < clock_now() + ${CLOCKS_DIFFER} as is_confirmed,
      ${needsFactor('u')} as needs_factor
    from sessions s join users u on u.id = s.user_id
    where ${which} and ${isValidSession('s', 'u')}`)
  return caller ? { ...caller, ...fromRequest, apiKey: null } : null
}

type Owner = Omit<Caller, Exclude<keyof typeof noSession, 'tokenHash'>>
type FoundKey = Omit<ActingKey, 'isUsableHere'> & {
  rights: KeyRight[]
  addresses: string[]
  instanceIds: number[] | null
}

/**
 * Finds the user for whom an API key acts, with the rights and instances that both have. A key is never an Admin; its
 * owner may see all instances as one. Returns null if the key does not exist or has expired, or its owner is locked.
 */
export async function findKeyCaller(db: Db, tokenHash: Buffer, address: string): Promise<Caller | null> {
  const found = await db.maybeOne<Owner & { key: FoundKey; allInstanceIds: number[] }>(sql`
    select ${userColumns}, k.token_hash,
      array(select id from instances where u.role = 'Admin') as all_instance_ids,
      jsonb_build_object('id', k.id, 'name', k.name, 'rights', k.rights, 'addresses', k.addresses,
        'instanceIds', k.instance_ids,
        'wasUsedLately', coalesce(abs(extract(epoch from k.last_used_at - clock_now())) < 60, false)) as key
    from api_keys k join users u on u.id = k.user_id
    where k.token_hash = ${tokenHash} and k.expires_at > clock_now() and u.is_active`)
  if (!found) return null
  const { key, allInstanceIds, ...owner } = found
  const seen = isAdmin(owner) ? allInstanceIds : owner.instanceIds
  const caller = { ...noSession, ...owner, address }
  const has = (right: Right) => (key.rights as Right[]).includes(right) && RULES[right](caller)
  return {
    ...caller,
    ...mapRights(has),
    role: 'Member',
    instanceIds: seen.filter((id) => key.instanceIds?.includes(id) ?? true),
    apiKey: {
      id: key.id,
      name: key.name,
      isUsableHere: isWithin(address, key.addresses),
      wasUsedLately: key.wasUsedLately,
    },
  }
}

const mapRights = (has: (right: Right) => boolean) =>
  Object.fromEntries(allRights.map((right) => [right, has(right)])) as Record<Right, boolean>

/** Finds the same caller as they are now: by the same API key, or the same session, which may have a new token. */
const findAgain = (db: Db, { sessionId, tokenHash, address, apiKey }: Caller): Promise<Caller | null> =>
  apiKey
    ? findKeyCaller(db, tokenHash, address)
    : findSession(db, sql`s.id = ${sessionId}`, { tokenHash, address })

/**
 * Finds the user for whom Sendroom acts when nobody is signed in, and keeps them as they are until the transaction
 * ends. Returns null if they are locked or gone.
 */
export async function lockAuthor(tx: Db, userId: number | null): Promise<Caller | null> {
  // As in `lockCaller`: the second statement reads what is true under the lock.
  await tx.run(sql`select from users where id = ${userId} for share`)
  const author = await tx.maybeOne<Omit<Caller, keyof typeof noSession>>(sql`
    select ${userColumns} from users u where u.id = ${userId} and u.is_active`)
  return author ? { ...author, ...noSession } : null
}

const noSession = {
  sessionId: 0,
  tokenHash: Buffer.alloc(0),
  isUseOld: false,
  isIdleOld: false,
  address: '',
  isConfirmed: false,
  apiKey: null,
  needsFactor: false,
}

/** Finds the signed-in caller as they are now. Throws if they have lost the session or the right meanwhile. */
export type Recheck = () => Promise<Caller>

type SignedInAccess = Exclude<Access, 'public'>

const RULES: Record<SignedInAccess, (caller: Caller) => boolean> = {
  signedIn: () => true,
  canWriteMessages: (caller) => caller.canWriteMessages || isAdmin(caller),
  canCreateJobs: (caller) => caller.canCreateJobs || isAdmin(caller),
  canSendTests: (caller) => (caller.canWriteMessages && caller.canCreateJobs) || isAdmin(caller),
  canLinkAccounts: (caller) => caller.canLinkAccounts || isAdmin(caller),
  canExportParticipants: (caller) => caller.canExportParticipants || isAdmin(caller),
  canUseContacts: (caller) => caller.canUseContacts || managesContacts(caller),
  canManageContacts: (caller) => managesContacts(caller),
  canApproveJobs: (caller) => caller.canApproveJobs || isAdmin(caller),
  canMentionAll: (caller) => caller.canMentionAll || isAdmin(caller),
  admin: (caller) => isAdmin(caller),
}

const allRights = Object.keys(fieldOfRight) as Right[] // its keys are the rights

export const isAdmin = (caller: Pick<Caller, 'role'>) => caller.role === 'Admin'

/** Whoever manages contacts sees all of them, and so may use all. */
export const managesContacts = (caller: Pick<Caller, 'role' | 'canManageContacts'>) =>
  caller.canManageContacts || isAdmin(caller)

/** The conditions that an endpoint sets for its caller. */
export type Rule = {
  access: SignedInAccess
  needsConfirmation: boolean
  allowsApiKeys: boolean
  isBeforeFactor?: boolean
}

/** Whether this user may call what has this access. */
export const hasAccess = (caller: Caller, access: SignedInAccess) => RULES[access](caller)

/** Throws a refusal instead of replying, so that no handler can forget to stop. */
export function requireAccess(caller: Caller | null, rule: Rule): Caller {
  if (!caller) throw new Refusal('unauthenticated')
  if (caller.needsFactor && !rule.isBeforeFactor) throw new Refusal('factor_setup_required')
  if (caller.apiKey) requireOpenToKey(caller, rule)
  requireRight(caller, rule.access)
  if (rule.needsConfirmation) requireConfirmation(caller)
  return caller
}

/** For an endpoint that needs a right for a part of what it can do. */
export function requireRight(caller: Caller, access: SignedInAccess): void {
  if (!RULES[access](caller)) throw new Refusal('forbidden')
}

function requireOpenToKey({ apiKey, address }: Caller, { allowsApiKeys }: Rule): void {
  if (!apiKey?.isUsableHere) throw new Refusal('key_from_elsewhere', { address })
  if (!allowsApiKeys) throw new Refusal('not_for_keys')
}

/** For an endpoint that needs the password for a part of what it can do. */
export function requireConfirmation({ isConfirmed }: Pick<Caller, 'isConfirmed'>): void {
  if (!isConfirmed) throw new Refusal('confirm_password')
}

/**
 * Locks the caller, and the session or API key, until the transaction ends, and then checks them again: somebody may
 * have locked the user, taken the right or ended the session since the request began. Changes of users lock the user
 * first, too.
 */
export async function lockCaller(tx: Db, caller: Caller, rule: Rule): Promise<Caller> {
  const { id, sessionId, apiKey } = caller
  await lockShared(tx, LOCKS.writesOf(id))
  await tx.run(sql`select from users where id = ${id} for share`)
  if (apiKey) await tx.run(sql`select from api_keys where id = ${apiKey.id} for share`)
  else await tx.run(sql`select from sessions where id = ${sessionId} for key share`)
  // A statement that has waited for a lock would still read other rows, such as the user's instances, as they were.
  return recheckCaller(tx, caller, rule)
}

/** The caller as they are now. Throws if they have lost the session or the right. */
export const recheckCaller = async (db: Db, caller: Caller, rule: Rule): Promise<Caller> =>
  requireAccess(await findAgain(db, caller), rule)

/** Whether the caller sees this instance. */
export const seesInstance = (caller: Caller, id: number) => isAdmin(caller) || caller.instanceIds.includes(id)

/**
 * SQL condition: the caller sees the instance whose id this column holds. The ids are parameters, because the planner
 * can't estimate how few rows a subquery lets through and would scan everybody's rows.
 */
export const canSeeInstance = (caller: Caller, column: string) =>
  isAdmin(caller) ? sql`true` : sql`${identifier(column)} = any(${caller.instanceIds})`

type VisibleInstance = { isActive: boolean; now: string }

/** Finds the instance if the caller sees it, and keeps it from being deleted until the transaction ends. */
export async function lockInstanceForShare(
  tx: Db,
  caller: Caller,
  id: number,
): Promise<VisibleInstance | null> {
  const instance = await tx.maybeOne<VisibleInstance>(sql`
    select is_active, clock_now() as now from instances
    where id = ${id} and ${canSeeInstance(caller, 'id')} for key share`)
  return instance ?? null
}

/** SQL condition: this message is a shared template. An Admin wrote it, and it belongs to no instance. */
export const isSharedTemplate = (alias: string) =>
  sql`(${identifier(alias)}.instance_id is null and ${identifier(alias)}.created_by_admin)`

/** SQL condition: the caller may change this message, of one of their instances, or of none if they wrote it. */
export const canChangeMessage = (caller: Caller, alias: string) => sql`(
    ${canSeeInstance(caller, `${alias}.instance_id`)}
    or (${identifier(alias)}.instance_id is null and ${identifier(alias)}.created_by_user_id = ${caller.id})
  )`

/** SQL condition: the caller sees this message and may use it in a job. Everybody sees the shared templates. */
export const canSeeMessage = (caller: Caller, alias: string) =>
  sql`(${canChangeMessage(caller, alias)} or ${isSharedTemplate(alias)})`

/** SQL condition: the caller may send to this list and see its contacts. */
export function canUseList(caller: Caller, alias: string) {
  if (managesContacts(caller)) return sql`true`
  if (!caller.canUseContacts) return sql`false`
  const list = identifier(alias)
  return sql`(${list}.is_for_all or exists (
    select from list_users lu where lu.list_id = ${list}.id and lu.user_id = ${caller.id}))`
}

/** SQL condition: the caller may send to this set of groups and see them. */
export function canUseGroupSet(caller: Caller, alias: string) {
  if (isAdmin(caller)) return sql`true`
  const set = identifier(alias)
  return sql`(${canSeeInstance(caller, `${alias}.instance_id`)} and (
    ${canChangeGroupSet(caller, alias)} or ${set}.is_for_all or exists (
      select from group_set_users gu where gu.group_set_id = ${set}.id and gu.user_id = ${caller.id})))`
}

/** SQL condition: the caller owns this set of groups, of an instance that they see, or is an Admin. */
export const canChangeGroupSet = (caller: Caller, alias: string) =>
  isAdmin(caller)
    ? sql`true`
    : sql`(${identifier(alias)}.created_by_user_id = ${caller.id} and ${canSeeInstance(caller, `${alias}.instance_id`)})`

/** Reads again which instances the caller of a session sees. Null means all of them. */
export async function visibleInstances(db: Db, caller: Caller): Promise<ReadonlySet<number> | null> {
  if (isAdmin(caller)) return null
  const visible = await db.many<{ instanceId: number }>(sql`
    select instance_id from user_instances where user_id = ${caller.id}`)
  return new Set(visible.map(({ instanceId }) => instanceId))
}
