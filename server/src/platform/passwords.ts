import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { hash, verify } from '@node-rs/argon2'
import { limits } from '@sendroom/contract/limits'
import { type Asker, inTurn } from './password-queue.ts'
import { InvalidInput } from './refusal.ts'

/** Returns a random password. Each byte becomes more than one character. */
export const generatePassword = (minLength: number) =>
  randomBytes(Math.max(16, minLength)).toString('base64url')

/** OWASP's advice for argon2id: 19 MiB, 2 passes, 1 lane. Whoever raises these raises each hash at the next sign-in. */
const COST = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }

/** Hashes with argon2id. Without an asker, as in a command, there is no queue. */
export const hashPassword = (password: string, asker?: Asker): Promise<string> =>
  asker ? inTurn(asker, () => hash(password, COST)) : hash(password, COST)

/** Whether the hash costs less than those of today. */
export function isTooCheap(passwordHash: string): boolean {
  const [, memory, passes] = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),/.exec(passwordHash) ?? []
  return Number(memory ?? 0) < COST.memoryCost || Number(passes ?? 0) < COST.timeCost
}

/** Verified for an unknown username, which must take as long as a wrong password. */
let decoy: Promise<string> | undefined

/** Checks a password. Null stands for an unknown user, whose password never fits. */
export const passwordFits = (password: string, passwordHash: string | null, asker: Asker): Promise<boolean> =>
  inTurn(asker, async () => {
    decoy ??= hash('', COST)
    const fits = await verify(passwordHash ?? (await decoy), password)
    return passwordHash !== null && fits
  })

/** A stranger tries these first: our name, and what we automate. */
const CONTEXT_WORDS = /sendroom|whatsapp|whapi/g
const FEW_CHARACTERS = 4

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
  const [, repeated = text] = /^(.+?)\1+$/.exec(text) ?? []
  if (isSimple(text) || repeated.length < limits.passwordMin) return 'PASSWORD.TOO_COMMON'
  // Read each time, because passwords are seldom set.
  const common = (await readFile(COMMON_PASSWORDS, 'utf8')).split('\n')
  return common.includes(text) || common.includes(repeated) ? 'PASSWORD.TOO_COMMON' : null
}

/** Whether the text is little more than the words of this place, or a few characters. */
function isSimple(text: string): boolean {
  const rest = text.replace(CONTEXT_WORDS, '')
  return (rest !== text && rest.length < limits.passwordMin) || new Set(text).size < FEW_CHARACTERS
}

/** Throws InvalidInput if this user may not have this password. */
export async function requireStrong(password: string, username: string, minLength: number): Promise<void> {
  const weakness = await findWeakness(password, username, minLength)
  if (weakness) throw new InvalidInput({ password: weakness }, { passwordMin: minLength })
}
