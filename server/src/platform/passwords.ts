import { hash, verify } from '@node-rs/argon2'

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
