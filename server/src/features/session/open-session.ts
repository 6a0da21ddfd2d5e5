import { createHash, randomBytes } from 'node:crypto'
import type { SignedIn } from '@sendroom/contract/session'
import { record } from '../../platform/audit.ts'
import { isProgram } from '../../platform/browser-name.ts'
import type { Tx } from '../../platform/database/connection.ts'
import { Refusal } from '../../platform/refusal.ts'
import { findUser } from '../../platform/user-row.ts'
import type { Known, Visitor } from './attempts.ts'
import { hasSignedInFrom, insertSession, type Lasting, wasToldOften } from './session.queries.ts'

/** A user who has shown who they are. */
export type Certain = Known & { id: number; passwordHash: string }

export async function openSession(
  tx: Tx,
  lasting: Lasting,
  known: Certain,
  visitor: Visitor,
): Promise<SignedIn> {
  const { address, browser } = visitor
  const token = newToken()
  const isNewBrowser = await comesFromNewBrowser(tx, known, visitor)
  const session = { userId: known.id, passwordHash: known.passwordHash, tokenHash: tokenHashOf(token) }
  const isOpen = await insertSession(tx, { ...session, address, browser }, lasting)
  const user = isOpen ? await findUser(tx, known.id) : null
  // Locked or deleted, or the password changed, or a factor was set up, a moment ago.
  if (user?.hasFactor !== known.hasFactor) throw new Refusal('login_failed')
  const details = { browser, ...(isNewBrowser && { isNewBrowser }) }
  await record(tx, { ...user, address }, { action: 'session.sign_in', details })
  return { token, user }
}

/** Hashes a session token. Only the hash is stored, so a reader of the database can't sign in. */
export const tokenHashOf = (token: string) => createHash('sha256').update(token).digest()

export const newToken = () => randomBytes(32).toString('base64url')

/**
 * Not told: the first sign-in of all, and a flood. A program without cookies is known by its name and address, which
 * the browsers of an office share.
 */
async function comesFromNewBrowser(tx: Tx, known: Certain, visitor: Visitor): Promise<boolean> {
  if (known.newestDevice === 0 || visitor.hasSignedIn(known)) return false
  const { address, browser } = visitor
  if (isProgram(browser) && (await hasSignedInFrom(tx, known.id, address, browser))) return false
  return !(await wasToldOften(tx, known.id))
}
