import type { FieldKey } from '@sendroom/contract/field-words'
import type { Confirmation, Credentials, SecondStep, SignedIn } from '@sendroom/contract/session'
import type { z } from 'zod'
import type { Begin, Caller } from '../../platform/access.ts'
import { record, recordFailedSignIn } from '../../platform/audit.ts'
import type { Pool } from '../../platform/database/connection.ts'
import { hashPassword, isTooCheap } from '../../platform/passwords.ts'
import { InvalidInput, Refusal } from '../../platform/refusal.ts'
import type { Secrets } from '../../platform/secrets.ts'
import { checkCode, checkPassword, type Visitor } from './attempts.ts'
import { readState } from './factor.queries.ts'
import { useCode } from './factor.service.ts'
import { type Certain, newToken, openSession, tokenHashOf } from './open-session.ts'
import { confirmSession, findPassword, type Lasting, replaceToken, upgradeHash } from './session.queries.ts'
import { findTicket, insertTicket, useTicket } from './ticket.queries.ts'

type Deps = { db: Pool; secrets: Secrets; lasting: Lasting }

export async function signIn(
  deps: Deps,
  credentials: z.output<typeof Credentials>,
  visitor: Visitor,
): Promise<{ signedIn: SignedIn; known: Certain }> {
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
  if (known.hasFactor) throw new Refusal('factor_required', { ticket: await giveTicket(db, certain) })
  const signedIn = await db.begin((tx) => openSession(tx, deps.lasting, certain, visitor))
  return { signedIn, known: certain }
}

/** For whoever has entered the right password. It opens one session, with a code. */
async function giveTicket(db: Pool, { id, passwordHash }: Certain): Promise<string> {
  const ticket = newToken()
  if (await insertTicket(db, { userId: id, passwordHash, ticketHash: tokenHashOf(ticket) })) return ticket
  throw new Refusal('login_failed') // locked or deleted, or the password changed, a moment ago
}

/** The second step of a sign-in. A wrong code leaves the ticket as it is, since people mistype. */
export async function signInWithCode(
  deps: Deps,
  { ticket, code }: z.output<typeof SecondStep>,
  visitor: Visitor,
): Promise<{ signedIn: SignedIn; known: Certain }> {
  const { db, secrets, lasting } = deps
  const ticketHash = tokenHashOf(ticket)
  const user = await findTicket(db, ticketHash)
  if (!user) throw new Refusal('ticket_invalid')
  const found = await findPassword(db, user.username)
  const { id, passwordHash } = found
  if (id !== user.userId || passwordHash === null) throw new Refusal('ticket_invalid') // renamed a moment ago
  const known = { ...found, id, passwordHash, mayKnow: true }
  let signedIn: SignedIn | undefined
  const fits = await checkCode(deps, known, visitor, () =>
    db
      .begin(async (tx) => {
        if (!(await useTicket(tx, id, ticketHash))) throw new Refusal('ticket_invalid')
        if (!(await useCode(tx, secrets, id, code))) throw new WrongCode()
        signedIn = await openSession(tx, lasting, known, visitor)
        return true
      })
      .catch(isNotWrongCode),
  )
  if (fits && signedIn) return { signedIn, known }
  await db.begin((tx) => recordFailedSignIn(tx, user.username, visitor.address))
  throw new Refusal('code_wrong')
}

/** Ends the transaction, so that the ticket stays. */
class WrongCode extends Error {}

function isNotWrongCode(error: unknown): false {
  if (error instanceof WrongCode) return false
  throw error
}

/**
 * Checks the caller's password once more, and with a second factor a code. Wrong passwords count by session as they do
 * by browser at a sign-in, so that no thief of a token can guess. Returns the session's new token, which the thief does
 * not have.
 */
export async function confirm(
  deps: { db: Pool; secrets: Secrets },
  begin: Begin,
  { id, username, sessionId }: Caller,
  { password, code }: z.output<typeof Confirmation>,
  visitor: Visitor,
): Promise<{ token: string | null }> {
  const known = await findPassword(deps.db, username)
  // Strangers who guess the password must not keep the owner from ending what they have stolen.
  const deviceOf: Visitor['deviceOf'] = (user) => visitor.deviceOf(user) ?? `session ${sessionId}`
  const fits = await checkPassword(deps, { ...known, mayKnow: true }, password, { ...visitor, deviceOf })
  const refuse = async (fields: Record<string, FieldKey>) => {
    await deps.db.begin((tx) => recordFailedSignIn(tx, username, visitor.address))
    throw new InvalidInput(fields)
  }
  if (!fits) await refuse({ password: 'LOGIN.PASSWORD_WRONG' })
  if (known.hasFactor) {
    if (code === undefined) throw new InvalidInput({ code: 'LOGIN.CODE_REQUIRED' })
    const isCode = await checkCode(deps, { ...known, id }, visitor, () =>
      deps.db.begin((tx) => useCode(tx, deps.secrets, id, code)),
    )
    if (!isCode) await refuse({ code: 'LOGIN.CODE_WRONG' })
  }
  const token = newToken()
  return begin(async (tx, caller) => {
    // Set up while the password was being checked.
    if (!known.hasFactor && (await readState(tx, id)).hasFactor)
      throw new InvalidInput({ code: 'LOGIN.CODE_REQUIRED' })
    await confirmSession(tx, caller)
    await record(tx, caller, { action: 'session.confirm' })
    return { token: (await replaceToken(tx, caller, tokenHashOf(token))) ? token : null }
  })
}
