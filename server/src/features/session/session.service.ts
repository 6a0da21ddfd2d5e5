import { createHash, randomBytes } from 'node:crypto'
import type { Credentials, SignedIn } from '@sendroom/contract/session'
import type { z } from 'zod'
import type { Begin, Caller } from '../../platform/access.ts'
import { record, recordFailedSignIn } from '../../platform/audit.ts'
import type { Pool, Tx } from '../../platform/database/connection.ts'
import { hashPassword, isTooCheap } from '../../platform/passwords.ts'
import { InvalidInput, Refusal } from '../../platform/refusal.ts'
import type { Secrets } from '../../platform/secrets.ts'
import { findUser } from '../../platform/user-row.ts'
import { checkPassword, type Known, type Visitor } from './attempts.ts'
import {
  confirmSession,
  findPassword,
  hasSignedInFrom,
  insertSession,
  type Lasting,
  replaceToken,
  upgradeHash,
} from './session.queries.ts'

/** Hashes a session token. Only the hash is stored, so a reader of the database can't sign in. */
export const tokenHashOf = (token: string) => createHash('sha256').update(token).digest()

export async function signIn(
  deps: { db: Pool; secrets: Secrets; lasting: Lasting },
  credentials: z.output<typeof Credentials>,
  visitor: Visitor,
): Promise<{ signedIn: SignedIn; known: Known & { id: number } }> {
  const { db, secrets } = deps
  const known = await findPassword(db, credentials.username)
  const { id: userId, passwordHash, isActive, isWaiting } = known
  // The right password of a registration counts like a wrong one. Otherwise strangers could fill the audit log with it.
  const mayKnow = isActive === true
  const fits = await checkPassword({ db, secrets }, { ...known, mayKnow }, credentials.password, visitor)
  if (!fits || userId === null || passwordHash === null) throw new Refusal('login_failed')
  // Only the right password gets this far, so strangers learn neither by text nor by time who has registered.
  if (!isActive) throw new Refusal(isWaiting ? 'waiting_for_activation' : 'login_failed')
  const next = isTooCheap(passwordHash)
    ? await hashPassword(credentials.password, { user: `id ${userId}`, address: visitor.address })
    : passwordHash
  // Another sign-in may have been first, and so may another password.
  if (next !== passwordHash && !(await upgradeHash(db, userId, passwordHash, next)))
    return signIn(deps, credentials, visitor)
  const certain = { ...known, id: userId, passwordHash: next, mayKnow }
  return { signedIn: await openSession(deps, certain, visitor), known: certain }
}

type Certain = Known & { id: number; passwordHash: string }

/** Opens a session for a user who has shown who they are. */
async function openSession(
  { db, lasting }: { db: Pool; lasting: Lasting },
  known: Certain,
  visitor: Visitor,
): Promise<SignedIn> {
  const { address, browser } = visitor
  const token = newToken()
  const user = await db.begin(async (tx) => {
    const isNewBrowser = await comesFromNewBrowser(tx, known, visitor)
    const session = { userId: known.id, passwordHash: known.passwordHash, tokenHash: tokenHashOf(token) }
    const isOpen = await insertSession(tx, { ...session, address, browser }, lasting)
    const user = isOpen ? await findUser(tx, known.id) : null
    if (!user) throw new Refusal('login_failed') // locked or deleted, or the password changed, a moment ago
    const details = { browser, ...(isNewBrowser && { isNewBrowser }) }
    await record(tx, { ...user, address }, { action: 'session.sign_in', details })
    return user
  })
  return { token, user }
}

const newToken = () => randomBytes(32).toString('base64url')

/** Nobody is told of the first sign-in of all. A program without cookies is known by its name and address. */
async function comesFromNewBrowser(tx: Tx, known: Certain, visitor: Visitor): Promise<boolean> {
  if (known.newestDevice === 0 || visitor.hasSignedIn(known)) return false
  return !(await hasSignedInFrom(tx, known.id, visitor.address, visitor.browser))
}

/**
 * Checks the caller's password once more. Wrong ones count as at a sign-in, so that no thief of a token can guess.
 * Returns the session's new token, which the thief does not have.
 */
export async function confirm(
  deps: { db: Pool; secrets: Secrets },
  begin: Begin,
  { username }: Caller,
  password: string,
  visitor: Visitor,
): Promise<{ token: string | null }> {
  const known = await findPassword(deps.db, username)
  const fits = await checkPassword(deps, { ...known, mayKnow: true }, password, visitor)
  if (!fits) {
    await deps.db.begin((tx) => recordFailedSignIn(tx, username, visitor.address))
    throw new InvalidInput({ password: 'LOGIN.PASSWORD_WRONG' })
  }
  const token = newToken()
  return begin(async (tx, caller) => {
    await confirmSession(tx, caller)
    await record(tx, caller, { action: 'session.confirm' })
    return { token: (await replaceToken(tx, caller, tokenHashOf(token))) ? token : null }
  })
}
