import type { Begin, Caller } from '../../platform/access.ts'
import { nobody, record } from '../../platform/audit.ts'
import type { Db, Pool, Tx } from '../../platform/database/connection.ts'
import { sql } from '../../platform/database/sql.ts'
import { lockUserChanges } from '../../platform/lock-user.ts'
import { InvalidInput, orNotFound, Refusal } from '../../platform/refusal.ts'
import type { Secrets } from '../../platform/secrets.ts'
import { endSessions } from '../../platform/sessions.ts'
import { StartupError } from '../../startup-error.ts'
import { newRecoveryCodes, newSecret, normalized, qrOf, recoveryHash, stepOf } from './codes.ts'
import {
  adoptSecret,
  deleteFactor,
  findFactor,
  readState,
  replaceRecoveryCodes,
  saveNextSecret,
  useRecoveryCode,
  useStep,
} from './factor.queries.ts'
import { endOtherConfirmations } from './session.queries.ts'
import { findUsername } from './sessions.queries.ts'

/** Whether this is a code of the user's app, or a recovery code. Uses it up. */
export async function useCode(tx: Db, secrets: Secrets, userId: number, typed: string): Promise<boolean> {
  const code = normalized(typed)
  if (!/^\d{6}$/.test(code)) return useRecoveryCode(tx, userId, recoveryHash(userId, code))
  const factor = await findFactor(tx, userId)
  if (!factor?.secretCipher) return false
  const step = stepOf(secrets.decrypt(factor.secretCipher), code, factor.nowMs)
  return step !== null && useStep(tx, userId, step)
}

export async function beginFactor(secrets: Secrets, begin: Begin) {
  const secret = newSecret()
  const { username } = await begin(async (tx, caller) => {
    const former = await findFactor(tx, caller.id)
    await saveNextSecret(tx, caller.id, secrets.encrypt(secret))
    // Whoever begins again and again must not fill the audit log.
    if (!former?.nextCipher) await record(tx, caller, { action: 'factor.begin' })
    return caller
  })
  return { secret, qr: await qrOf(secret, username) }
}

/** The factor counts once a code has shown that the app has it. */
export const finishFactor = (
  secrets: Secrets,
  begin: Begin,
  code: string,
  browser: string,
  knowBrowser: (tx: Tx) => Promise<void>,
) =>
  begin(async (tx, caller) => {
    const factor = orNotFound((await findFactor(tx, caller.id)) ?? null)
    const next = orNotFound(factor.nextCipher)
    const step = stepOf(secrets.decrypt(next), normalized(code), factor.nowMs)
    if (step === null) throw new InvalidInput({ code: 'LOGIN.CODE_WRONG' })
    orNotFound((await adoptSecret(tx, caller.id, next, step)) || null)
    // A thief who has the password may have entered it there, without a code.
    await endOtherConfirmations(tx, caller)
    await knowBrowser(tx)
    await record(tx, caller, { action: 'factor.set_up', details: { browser } })
    return giveRecoveryCodes(tx, caller.id)
  })

export const newCodes = (begin: Begin, browser: string) =>
  begin(async (tx, caller) => {
    if (!(await readState(tx, caller.id)).hasFactor) throw new Refusal('not_found')
    await record(tx, caller, { action: 'factor.new_codes', details: { browser } })
    return giveRecoveryCodes(tx, caller.id)
  })

async function giveRecoveryCodes(tx: Tx, userId: number) {
  const recoveryCodes = newRecoveryCodes()
  await replaceRecoveryCodes(
    tx,
    userId,
    recoveryCodes.map((code) => recoveryHash(userId, code)),
  )
  return { recoveryCodes }
}

export const removeFactor = (begin: Begin, browser: string) =>
  begin(async (tx, caller) => {
    const { hasFactor, isRequired } = await readState(tx, caller.id)
    if (!hasFactor) throw new Refusal('not_found')
    if (isRequired) throw new Refusal('factor_is_required')
    await deleteFactor(tx, caller.id)
    await record(tx, caller, { action: 'factor.remove', details: { browser } })
  })

/** Whoever has signed in without being the user must not stay, so all sessions end. */
export const resetFactor = (begin: Begin, { id: callerId }: Caller, id: number) =>
  begin(
    async (tx, caller) => {
      if (id === callerId) throw new Refusal('own_factor')
      const { username } = orNotFound((await findUsername(tx, id)) ?? null)
      if (!(await deleteFactor(tx, id))) throw new Refusal('not_found')
      await endSessions(tx, id)
      await record(tx, caller, { action: 'factor.reset', object: { type: 'user', id, name: username } })
    },
    (tx) => lockUserChanges(tx, id),
  )

/** The same by a command on the server. Returns whether there was a factor. */
export const resetFactorByCommand = (db: Pool, name: string): Promise<boolean> =>
  db.begin(async (tx) => {
    const user = await tx.maybeOne<{ id: number; username: string }>(sql`
      select id, username from users where lower(username) = lower(${name})`)
    if (!user) throw new StartupError(`There is no user called ${name}.`)
    await lockUserChanges(tx, user.id)
    const hadFactor = await deleteFactor(tx, user.id)
    await endSessions(tx, user.id)
    const object = { type: 'user', id: user.id, name: user.username } as const
    if (hadFactor)
      await record(tx, nobody(''), { action: 'factor.reset', object, details: { by: 'command' } })
    return hadFactor
  })
