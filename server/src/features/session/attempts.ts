import { normalizeIP } from '@fastify/rate-limit'
import type { Pool } from '../../platform/database/connection.ts'
import type { Asker } from '../../platform/password-queue.ts'
import { passwordFits } from '../../platform/passwords.ts'
import { Refusal } from '../../platform/refusal.ts'
import type { Secrets } from '../../platform/secrets.ts'
import {
  type Allowance,
  countAttempt,
  forgetFailures,
  secondsToWait,
  secondsUntilNext,
  takeBackAttempt,
} from './attempts.queries.ts'

type Deps = { db: Pool; secrets: Secrets }

export type Known = {
  /** The name as the database compares names. */
  name: string
  /** Null if nobody has this name. */
  id: number | null
  passwordHash: string | null
  hasFactor: boolean
  /** The number of the newest browser in which this user has signed in. */
  newestDevice: number
  /** Whether the right password takes the attempt back. */
  mayKnow: boolean
}

/** A user who exists. */
export type KnownUser = Omit<Known, 'mayKnow'> & { id: number }

type Device = number | string

/** Where an attempt comes from. */
export type Visitor = {
  address: string
  /** The name of the browser, such as `Firefox, Windows`. */
  browser: string
  /**
   * Returns the number of a browser in which this user has signed in, with the password and the factor of today, or
   * what else stands for such a browser.
   */
  deviceOf: (known: Omit<Known, 'mayKnow'>) => Device | null
  /** Whether this user has signed in by this browser before, whatever the password was. */
  hasSignedIn: (known: Omit<Known, 'mayKnow'>) => boolean
}

/**
 * Each counts its wrong passwords of one day. The first ones are free. After these, attempts have to wait 1, 2, 4, 8…
 * seconds, up to the longest wait.
 *
 * - A name has 14 attempts in the first nine minutes and then one every five minutes, from however many addresses: the
 *   hundredth comes after seven hours, and a day allows 300. NIST SP 800-63B allows 100 wrong passwords in a row, and
 *   asks for waits of up to an hour as one way to get there.
 * - An address has more, because an office of a hundred people may share one. This slows who tries one password on
 *   many names.
 * - A browser in which the user has signed in before counts by itself, and neither by name nor by address. Otherwise
 *   anybody could keep the owner out by guessing. A new password makes all browsers strangers, and only the newest
 *   ones are known: whoever had the password collects no guesses for the next one.
 *
 * The growing waits: https://cheatsheetseries.owasp.org/cheatsheets/Authentication_Cheat_Sheet.html#account-lockout
 * The known browsers: https://owasp.org/www-community/Slow_Down_Online_Guessing_Attacks_with_Device_Cookies
 */
const ALLOWANCES = {
  name: { free: 5, longestWait: 300 },
  address: { free: 100, longestWait: 60 },
  device: { free: 5, longestWait: 300 },
  code: { free: 5, longestWait: 300 },
}
/**
 * The correct sign-ins of a user in a minute, more than programs need. Each takes a core for 30 ms. A known browser
 * counts by itself: whoever has the password, but no code, could keep the owner out and from ending sessions.
 */
const PACE = { free: 60, longestWait: 60, seconds: 60 }

/**
 * Checks a password and counts wrong ones. The attempt is counted before the check and taken back if the password is
 * right. Otherwise many attempts at the same moment would all pass before the first is counted.
 */
export async function checkPassword(
  { db, secrets }: Deps,
  known: Known,
  password: string,
  visitor: Visitor,
): Promise<boolean> {
  const device = visitor.deviceOf(known)
  const of = device === null ? known.name : `${known.id} ${device}`
  const pace: Allowance = { ...PACE, key: secrets.hash(`sign-in pace ${of}`) }
  const tooSoon = await secondsToWait(db, pace.key)
  if (tooSoon > 0) throw new Refusal('too_many_requests', { seconds: tooSoon }, tooSoon)
  const allowances = allowancesOf(secrets, known, visitor, device)
  const takeBack = async () => {
    for (const { key } of allowances) await takeBackAttempt(db, key)
  }
  await reserve(db, allowances)
  const asker = askerOf(known, visitor, device)
  const fits = await passwordFits(password, known.passwordHash, asker).catch(async (error) => {
    await takeBack()
    throw error
  })
  // Whoever guesses the password of a locked user must not learn that from a missing wait either.
  if (!fits || !known.mayKnow) return fits
  await takeBack()
  await countAttempt(db, pace)
  if (device !== null) await forgetFailures(db, allowances)
  return true
}

/**
 * Checks a code of the second factor, and counts wrong ones. Whoever gets this far has the password, which does not
 * take them back. A known browser counts by itself here, too, or a thief of the password could keep the owner out.
 */
export async function checkCode(
  { db, secrets }: Deps,
  known: KnownUser,
  visitor: Visitor,
  check: () => Promise<boolean>,
): Promise<boolean> {
  const allowance = codeAllowance(secrets, known.id, visitor.deviceOf(known))
  await reserve(db, [allowance])
  const fits = await check().catch(async (error) => {
    await takeBackAttempt(db, allowance.key)
    throw error
  })
  if (fits) await forgetFailures(db, [allowance])
  return fits
}

/** Strangers who guess a user's password do not take the turns of the user's own browsers. */
function askerOf({ id, name }: Known, { address }: Visitor, device: Device | null): Asker {
  if (device !== null) return { user: `known ${id}`, address, isKnown: true }
  return { user: id === null ? `name ${name}` : `id ${id}`, address }
}

/** A person has unlocked the user. The name is as the database compares names. The next attempt need not wait. */
export const forgetFailuresOf = ({ db, secrets }: Deps, { id, name }: { id: number; name: string }) =>
  forgetFailures(db, [nameAllowance(secrets, name), codeAllowance(secrets, id, null)])

const codeAllowance = (secrets: Secrets, userId: number, device: Device | null): Allowance => ({
  ...ALLOWANCES.code,
  key: secrets.hash(`sign-in code ${userId}${device === null ? '' : ` ${device}`}`),
})

const nameAllowance = (secrets: Secrets, name: string): Allowance => ({
  ...ALLOWANCES.name,
  key: secrets.hash(`sign-in name ${name}`),
})

function allowancesOf(secrets: Secrets, { name, id }: Known, { address }: Visitor, device: Device | null) {
  const allowance = (kind: keyof typeof ALLOWANCES, of: string): Allowance => ({
    ...ALLOWANCES[kind],
    key: secrets.hash(`sign-in ${kind} ${of}`),
  })
  if (device !== null) return [allowance('device', `${id} ${device}`)]
  // Always in this order. Two attempts that lock the same two rows in different orders would deadlock.
  // Only the first 64 bits of an IPv6 address count: the customer chooses the others.
  return [allowance('address', normalizeIP(address)), nameAllowance(secrets, name)]
}

/** Counts the attempt for all allowances, or for none if one of them has to wait. */
async function reserve(db: Pool, allowances: Allowance[]): Promise<void> {
  await db.begin(async (tx) => {
    for (const allowance of allowances) {
      if (await countAttempt(tx, allowance)) continue
      const seconds = await secondsUntilNext(tx, allowance.key)
      throw new Refusal('too_many_requests', { seconds }, seconds)
    }
  })
}
