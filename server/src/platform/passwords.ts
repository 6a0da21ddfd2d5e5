import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { hash, verify } from '@node-rs/argon2'
import { InvalidInput } from './refusal.ts'

/** Hashes with argon2id and the library's defaults, which follow OWASP's advice. */
export const hashPassword = (password: string): Promise<string> => hash(password)

/** Verified for an unknown username, which must take as long as a wrong password. */
let decoy: Promise<string> | undefined

/** Checks a password. Null stands for an unknown user, whose password never fits. */
export async function passwordFits(password: string, passwordHash: string | null): Promise<boolean> {
  decoy ??= hash('')
  const fits = await verify(passwordHash ?? (await decoy), password)
  return passwordHash !== null && fits
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
