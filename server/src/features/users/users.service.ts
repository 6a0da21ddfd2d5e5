import { limits } from '@sendroom/contract/limits'
import { rightFields } from '@sendroom/contract/rights'
import {
  type Assignment,
  type NewUser,
  newUsername,
  type User,
  type UserChange,
} from '@sendroom/contract/users'
import type { z } from 'zod'
import type { Config } from '../../config.ts'
import { type Begin, type Caller, isAdmin } from '../../platform/access.ts'
import { type Actor, changesOf, type Entry, nobody, record } from '../../platform/audit.ts'
import type { Db, Pool, Tx } from '../../platform/database/connection.ts'
import { forBulkWrites } from '../../platform/database/session-defaults.ts'
import { lockUserChanges, lockWrites } from '../../platform/lock-user.ts'
import { omitUndefined } from '../../platform/omit-undefined.ts'
import { hashPassword, requireStrong } from '../../platform/passwords.ts'
import { InvalidInput, orNotFound, Refusal, requireVersion } from '../../platform/refusal.ts'
import { endSessions } from '../../platform/sessions.ts'
import { findUser, refuseTakenName } from '../../platform/user-row.ts'
import {
  deleteUser,
  insertUser,
  listActiveAdmins,
  notifyAccess,
  replaceInstances,
  updateUserColumns,
} from './users.queries.ts'

type Deps = { db: Pool; config: Pick<Config, 'passwordMin'> }
type Change = z.output<typeof UserChange>

export async function createUser(
  { config }: Pick<Deps, 'config'>,
  begin: Begin,
  caller: Caller,
  form: z.output<typeof NewUser>,
): Promise<User> {
  await requireStrong(form.password, form.username, config.passwordMin)
  const passwordHash = await hashPassword(form.password, askerOf(caller))
  return begin((tx, caller) => insertNew(tx, caller, form, passwordHash))
}

const askerOf = ({ id, address }: Caller) => ({ user: `id ${id}`, address })

/** The same by a command on the server, where nobody is signed in. */
export async function createUserByCommand(
  { db, config }: Deps,
  form: z.output<typeof NewUser>,
): Promise<User> {
  await requireStrong(form.password, form.username, config.passwordMin)
  const passwordHash = await hashPassword(form.password)
  return db.begin((tx) => insertNew(tx, nobody(''), form, passwordHash, byCommand))
}

async function insertNew(
  tx: Tx,
  actor: Actor,
  { assignedInstances, password: _, ...columns }: z.output<typeof NewUser>,
  passwordHash: string,
  more: object = {},
): Promise<User> {
  const id = await insertUser(tx, { ...columns, passwordHash }).catch(refuseTakenName)
  await assign(tx, id, assignedInstances, 'assignedInstances')
  const user = await requireUser(tx, id)
  await record(tx, actor, entryOf('user.create', user, { ...settingsOf(user), ...more }))
  return user
}

/** Lets a locked or waiting user sign in. Returns whether that was necessary. */
export const unlockByCommand = (db: Pool, id: number): Promise<boolean> =>
  db.begin(async (tx) => {
    await lockUserChanges(tx, id)
    const before = await requireUser(tx, id)
    if (before.isActive) return false
    await updateUserColumns(tx, id, { isActive: true })
    const after = await requireUser(tx, id)
    const changes = changesOf(settingsOf(before), settingsOf(after), accessFields)
    await record(tx, nobody(''), entryOf('user.rights', after, { changes, ...byCommand }))
    return true
  })

const byCommand = { by: 'command' }

export async function updateUser(
  { db, config }: Deps,
  begin: Begin,
  caller: Caller,
  id: number,
  change: Change,
  browser: string,
): Promise<User> {
  requireMayChange(caller, id, change)
  const { assignedInstances, password, version, ...columns } = change
  if (columns.username !== undefined) columns.username = await keptOrNewName(db, id, columns.username)
  if (password !== undefined) {
    const username = change.username ?? (await requireUser(db, id)).username
    await requireStrong(password, username, config.passwordMin)
  }
  const secret = password === undefined ? {} : { passwordHash: await hashPassword(password, askerOf(caller)) }
  return begin(
    async (tx, caller) => {
      // The caller may have been demoted while the password was hashed.
      requireMayChange(caller, id, change)
      const before = await requireUser(tx, id)
      if (change.role === 'Member' || change.isActive === false) await requireAnotherAdmin(tx, id)
      await requireShortEmail(tx, id, change.email)
      const written = await updateUserColumns(tx, id, { ...omitUndefined(columns), ...secret }).catch(
        refuseTakenName,
      )
      requireVersion(version, orNotFound(written))
      if (assignedInstances) await assign(tx, id, assignedInstances, 'assignedInstances')
      await notifyAccess(tx, id)
      // Delete the sessions of a locked user. Otherwise they would work again when the user is unlocked.
      if (password !== undefined || change.isActive === false)
        await endSessions(tx, id, caller.id === id ? caller.sessionId : null)
      const after = await requireUser(tx, id)
      await recordChanges(tx, caller, before, after, { hasNewPassword: password !== undefined, browser })
      return after
    },
    (tx) => (isAdmin(caller) ? lockUserChanges : lockWrites)(tx, id),
  )
}

export async function removeUser(begin: Begin, id: number): Promise<void> {
  await begin(
    async (tx, caller) => {
      await forBulkWrites(tx) // the user's jobs and messages stay, without their author
      if (id === caller.id) throw new Refusal('own_user')
      await requireAnotherAdmin(tx, id)
      const user = await requireUser(tx, id)
      await deleteUser(tx, id)
      await record(tx, caller, entryOf('user.delete', user, settingsOf(user)))
    },
    (tx) => lockUserChanges(tx, id),
  )
}

export async function assignInstances(begin: Begin, id: number, form: z.output<typeof Assignment>) {
  const { instanceIds, version, ...flags } = form
  return begin(
    async (tx, caller) => {
      const before = await requireUser(tx, id)
      requireVersion(version, orNotFound(await updateUserColumns(tx, id, omitUndefined(flags))))
      await assign(tx, id, instanceIds, 'instanceIds')
      await notifyAccess(tx, id)
      const after = await requireUser(tx, id)
      await recordChanges(tx, caller, before, after)
      return after
    },
    (tx) => lockUserChanges(tx, id),
  )
}

const accessFields = ['role', 'isActive', ...rightFields, 'assignedInstances'] as const

/** The user's names and rights as the audit log shows them. */
const settingsOf = ({ username, email, assignedInstances, ...user }: User) => ({
  username,
  email,
  role: user.role,
  isActive: user.isActive,
  canSendMessages: user.canSendMessages,
  canCreateJobs: user.canCreateJobs,
  canLinkAccounts: user.canLinkAccounts,
  canExportParticipants: user.canExportParticipants,
  canUseContacts: user.canUseContacts,
  canManageContacts: user.canManageContacts,
  canApproveJobs: user.canApproveJobs,
  canMentionAll: user.canMentionAll,
  assignedInstances: assignedInstances.map(({ name }) => name),
})

const entryOf = (action: Entry['action'], { id, username }: User, details: object): Entry => ({
  action,
  object: { type: 'user', id, name: username },
  details: { ...details },
})

/** Records rights and the password apart from the rest, so that each can be looked for. A form may save all of them. */
async function recordChanges(
  tx: Tx,
  caller: Actor,
  before: User,
  after: User,
  { hasNewPassword = false, browser }: { hasNewPassword?: boolean; browser?: string } = {},
) {
  const changed = (fields: readonly (keyof ReturnType<typeof settingsOf>)[]) =>
    changesOf(settingsOf(before), settingsOf(after), fields)
  const [names, newRights] = [changed(['username', 'email']), changed(accessFields)]
  await record(
    tx,
    caller,
    ...(hasNewPassword ? [entryOf('user.password', after, { browser })] : []),
    ...(Object.keys(newRights).length > 0 ? [entryOf('user.rights', after, { changes: newRights })] : []),
    ...(Object.keys(names).length > 0 ? [entryOf('user.update', after, { changes: names, browser })] : []),
  )
}

export async function requireUser(db: Db, id: number): Promise<User> {
  const user = await findUser(db, id)
  if (!user) throw new Refusal('not_found')
  return user
}

/** A Member sees no other user, and may change nothing but their own password. */
function requireMayChange(caller: Caller, id: number, change: Change) {
  if (isAdmin(caller)) return
  if (id !== caller.id) throw new Refusal('not_found')
  if (Object.keys(change).some((field) => field !== 'password')) throw new Refusal('forbidden')
  if (change.password === undefined) throw new InvalidInput({ password: 'CHANGE_PASSWORD.PASSWORD_INVALID' })
}

/** A name that does not change may be older than the rules for new names. */
async function keptOrNewName(db: Db, id: number, username: string): Promise<string> {
  if ((await requireUser(db, id)).username === username) return username
  const { data, error } = newUsername('USER_FORM.USERNAME_INVALID').safeParse(username)
  if (error) throw new InvalidInput({ username: error.issues[0]?.message ?? 'USER_FORM.USERNAME_INVALID' })
  return data
}

/** Registration allows a longer address, and a user may keep that. */
async function requireShortEmail(tx: Db, id: number, email = '') {
  if (email.length > limits.emailMax && (await requireUser(tx, id)).email !== email)
    throw new InvalidInput({ email: 'USER_FORM.EMAIL_INVALID' })
}

async function requireAnotherAdmin(tx: Db, id: number) {
  const admins = await listActiveAdmins(tx)
  if (admins.length === 1 && admins[0] === id) throw new Refusal('last_admin')
}

async function assign(tx: Db, userId: number, instanceIds: number[], field: string) {
  if (!(await replaceInstances(tx, userId, instanceIds))) throw new InvalidInput({ [field]: 'FIELD.INVALID' })
}
