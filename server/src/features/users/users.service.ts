import { limits } from '@sendroom/contract/limits'
import type { Assignment, NewUser, User, UserChange } from '@sendroom/contract/users'
import type { z } from 'zod'
import { type Begin, type Caller, isAdmin } from '../../platform/access.ts'
import type { Db } from '../../platform/database/connection.ts'
import { forBulkWrites } from '../../platform/database/session-defaults.ts'
import { omitUndefined } from '../../platform/omit-undefined.ts'
import { hashPassword } from '../../platform/passwords.ts'
import { InvalidInput, orNotFound, Refusal, requireVersion } from '../../platform/refusal.ts'
import { findUser, refuseTakenName } from '../../platform/user-row.ts'
import {
  deleteUser,
  endSessions,
  insertUser,
  listActiveAdmins,
  lockUserChanges,
  notifyAccess,
  replaceInstances,
  updateUserColumns,
} from './users.queries.ts'

type Change = z.output<typeof UserChange>

export async function createUser(begin: Begin, form: z.output<typeof NewUser>): Promise<User> {
  const { assignedInstances, password, ...columns } = form
  const passwordHash = await hashPassword(password)
  return begin(async (tx) => {
    const id = await insertUser(tx, { ...columns, passwordHash }).catch(refuseTakenName)
    await assign(tx, id, assignedInstances, 'assignedInstances')
    return requireUser(tx, id)
  })
}

export async function updateUser(begin: Begin, caller: Caller, id: number, change: Change): Promise<User> {
  requireMayChange(caller, id, change)
  const { assignedInstances, password, version, ...columns } = change
  const secret = password === undefined ? {} : { passwordHash: await hashPassword(password) }
  return begin(async (tx, caller) => {
    // The caller may have been demoted while the password was hashed.
    requireMayChange(caller, id, change)
    if (change.role === 'Member' || change.isActive === false) await requireAnotherAdmin(tx, id)
    await requireShortEmail(tx, id, change.email)
    const before = await updateUserColumns(tx, id, { ...omitUndefined(columns), ...secret }).catch(
      refuseTakenName,
    )
    requireVersion(version, orNotFound(before))
    if (assignedInstances) await assign(tx, id, assignedInstances, 'assignedInstances')
    await notifyAccess(tx, id)
    // Delete the sessions of a locked user. Otherwise they would work again when the user is unlocked.
    if (password !== undefined || change.isActive === false)
      await endSessions(tx, id, caller.id === id ? caller.tokenHash : null)
    return requireUser(tx, id)
  }, lockUserChanges)
}

export async function removeUser(begin: Begin, id: number): Promise<void> {
  await begin(async (tx, caller) => {
    await forBulkWrites(tx) // the user's jobs and messages stay, without their author
    if (id === caller.id) throw new Refusal('own_user')
    await requireAnotherAdmin(tx, id)
    if (!(await deleteUser(tx, id))) throw new Refusal('not_found')
  }, lockUserChanges)
}

export async function assignInstances(begin: Begin, id: number, form: z.output<typeof Assignment>) {
  const { instanceIds, version, ...flags } = form
  return begin(async (tx) => {
    requireVersion(version, orNotFound(await updateUserColumns(tx, id, omitUndefined(flags))))
    await assign(tx, id, instanceIds, 'instanceIds')
    await notifyAccess(tx, id)
    return requireUser(tx, id)
  }, lockUserChanges)
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
