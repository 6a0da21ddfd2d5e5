import { createHash, randomBytes } from 'node:crypto'
import type { Credentials, Registration, SignedIn } from '@sendroom/contract/session'
import type { z } from 'zod'
import { nobody, record } from '../../platform/audit.ts'
import type { Pool } from '../../platform/database/connection.ts'
import { hashPassword, passwordFits, requireStrong } from '../../platform/passwords.ts'
import { Refusal } from '../../platform/refusal.ts'
import { findUser, refuseTakenName } from '../../platform/user-row.ts'
import { findPassword, insertSession, insertWaitingUser } from './session.queries.ts'

const WAITING_LIMIT = 50

/** Hashes a session token. Only the hash is stored, so a reader of the database can't sign in. */
export const tokenHashOf = (token: string) => createHash('sha256').update(token).digest()

export async function signIn(
  db: Pool,
  credentials: z.output<typeof Credentials>,
  days: number,
): Promise<SignedIn> {
  const known = await findPassword(db, credentials.username)
  const fits = await passwordFits(credentials.password, known?.passwordHash ?? null)
  if (!known || !fits) throw new Refusal('login_failed')
  // Only the right password gets this far, so strangers learn neither by text nor by time who has registered.
  if (!known.isActive) throw new Refusal(known.isWaiting ? 'waiting_for_activation' : 'login_failed')
  const token = randomBytes(32).toString('base64url')
  const { id: userId, passwordHash } = known
  const isOpen = await insertSession(db, { userId, passwordHash, tokenHash: tokenHashOf(token), days })
  const user = isOpen ? await findUser(db, userId) : null
  if (!user) throw new Refusal('login_failed') // locked or deleted, or the password changed, a moment ago
  return { token, user }
}

export async function register(
  db: Pool,
  form: z.output<typeof Registration>,
  { passwordMin, address }: { passwordMin: number; address: string },
): Promise<void> {
  await requireStrong(form.password, form.username, passwordMin)
  const passwordHash = await hashPassword(form.password)
  const { username, email } = form
  await db.begin(async (tx) => {
    const user = { username, email, passwordHash, waitingLimit: WAITING_LIMIT }
    const id = await insertWaitingUser(tx, user).catch(refuseTakenName)
    if (id === null) throw new Refusal('registration_closed')
    const object = { type: 'user', id, name: username } as const
    await record(tx, nobody(address), { action: 'session.register', object, details: { email } })
  })
}
