import { createHash, randomBytes } from 'node:crypto'
import type { Credentials, SignedIn } from '@sendroom/contract/session'
import type { z } from 'zod'
import type { Begin, Caller } from '../../platform/access.ts'
import { record, recordFailedSignIn } from '../../platform/audit.ts'
import type { Pool } from '../../platform/database/connection.ts'
import { InvalidInput, Refusal } from '../../platform/refusal.ts'
import type { Secrets } from '../../platform/secrets.ts'
import { findUser } from '../../platform/user-row.ts'
import { checkPassword, type Known, type Visitor } from './attempts.ts'
import { confirmSession, findPassword, insertSession } from './session.queries.ts'

/** Hashes a session token. Only the hash is stored, so a reader of the database can't sign in. */
export const tokenHashOf = (token: string) => createHash('sha256').update(token).digest()

export async function signIn(
  { db, secrets, days }: { db: Pool; secrets: Secrets; days: number },
  credentials: z.output<typeof Credentials>,
  visitor: Visitor,
): Promise<{ signedIn: SignedIn; known: Known & { id: number } }> {
  const known = await findPassword(db, credentials.username)
  const { id: userId, passwordHash, isActive, isWaiting } = known
  // The right password of a registration counts like a wrong one. Otherwise strangers could fill the audit log with it.
  const mayKnow = isActive === true
  const fits = await checkPassword({ db, secrets }, { ...known, mayKnow }, credentials.password, visitor)
  if (!fits || userId === null || passwordHash === null) throw new Refusal('login_failed')
  // Only the right password gets this far, so strangers learn neither by text nor by time who has registered.
  if (!isActive) throw new Refusal(isWaiting ? 'waiting_for_activation' : 'login_failed')
  const token = randomBytes(32).toString('base64url')
  const user = await db.begin(async (tx) => {
    const isOpen = await insertSession(tx, { userId, passwordHash, tokenHash: tokenHashOf(token), days })
    const user = isOpen ? await findUser(tx, userId) : null
    if (!user) throw new Refusal('login_failed') // locked or deleted, or the password changed, a moment ago
    await record(tx, { ...user, address: visitor.address }, { action: 'session.sign_in' })
    return user
  })
  return { signedIn: { token, user }, known: { ...known, id: userId, mayKnow } }
}

/** Checks the caller's password once more. Wrong ones count as at a sign-in, so that no thief of a token can guess. */
export async function confirm(
  deps: { db: Pool; secrets: Secrets },
  begin: Begin,
  { username }: Caller,
  password: string,
  visitor: Visitor,
): Promise<void> {
  const known = await findPassword(deps.db, username)
  const fits = await checkPassword(deps, { ...known, mayKnow: true }, password, visitor)
  if (!fits) {
    await deps.db.begin((tx) => recordFailedSignIn(tx, username, visitor.address))
    throw new InvalidInput({ password: 'LOGIN.PASSWORD_WRONG' })
  }
  await begin(async (tx, caller) => {
    await confirmSession(tx, caller.tokenHash)
    await record(tx, caller, { action: 'session.confirm' })
  })
}
