import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { hash, verify } from '@node-rs/argon2'
import { InvalidInput, Refusal } from './refusal.ts'

// Each hash takes 19 MiB of memory and 30 ms of one of Node's four threads, which files and name lookups need as well.
const AT_ONCE = 2
/** More than this many would wait for seconds. */
const MAX_WAITING = 100
const RETRY_SECONDS = 5

let running = 0
const waiting: (() => void)[] = []

/** Returns a random password. Each byte becomes more than one character. */
export const generatePassword = (minLength: number) =>
  randomBytes(Math.max(12, minLength)).toString('base64url')

/** Hashes with argon2id and the library's defaults, which follow OWASP's advice. */
export const hashPassword = (password: string): Promise<string> => inTurn(() => hash(password))

/** Verified for an unknown username, which must take as long as a wrong password. */
let decoy: Promise<string> | undefined

/**
 * Checks a password. Null stands for an unknown user, whose password never fits. `isFirst` skips the queue, in which
 * strangers may have put many guesses.
 */
export function passwordFits(
  password: string,
  passwordHash: string | null,
  { isFirst = false } = {},
): Promise<boolean> {
  return inTurn(async () => {
    decoy ??= hash('')
    const fits = await verify(passwordHash ?? (await decoy), password)
    return passwordHash !== null && fits
  }, isFirst)
}

async function inTurn<T>(work: () => Promise<T>, isFirst = false): Promise<T> {
  if (running < AT_ONCE) running += 1
  else await waitForTurn(isFirst)
  try {
    return await work()
  } finally {
    const next = waiting.shift()
    if (next) next()
    else running -= 1
  }
}

function waitForTurn(isFirst: boolean): Promise<void> {
  if (!isFirst && waiting.length >= MAX_WAITING)
    throw new Refusal('too_many_requests', { seconds: RETRY_SECONDS }, RETRY_SECONDS)
  return new Promise((resolve) => {
    if (isFirst) waiting.unshift(resolve)
    else waiting.push(resolve)
  })
}

const COMMON_PASSWORDS = join(import.meta.dirname, 'common-passwords.txt')

/** Returns the key of the text that says why this user may not have this password, or null. */
export async function findWeakness(
  password: string,
  username: string,
  minLength: number,
): Promise<'USER_FORM.PASSWORD_INVALID' | 'PASSWORD.HAS_USERNAME' | 'PASSWORD.TOO_COMMON' | null> {
  if (password.length < minLength) return 'USER_FORM.PASSWORD_INVALID'
  const text = password.toLowerCase()
  if (text.includes(username.toLowerCase())) return 'PASSWORD.HAS_USERNAME'
  // Read each time, because passwords are seldom set.
  const common = await readFile(COMMON_PASSWORDS, 'utf8')
  return common.split('\n').includes(text) ? 'PASSWORD.TOO_COMMON' : null
}

/** Throws InvalidInput if this user may not have this password. */
export async function requireStrong(password: string, username: string, minLength: number): Promise<void> {
  const weakness = await findWeakness(password, username, minLength)
  if (weakness) throw new InvalidInput({ password: weakness }, { passwordMin: minLength })
}
