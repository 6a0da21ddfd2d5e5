import { hash, verify } from '@node-rs/argon2'

/** argon2id with the library's defaults, which follow OWASP's advice. */
export const hashPassword = (password: string): Promise<string> => hash(password)

// A password nobody has: an unknown username must take as long as a wrong password.
let decoy: Promise<string> | undefined

export async function passwordFits(password: string, passwordHash: string | null): Promise<boolean> {
  decoy ??= hash('')
  const fits = await verify(passwordHash ?? (await decoy), password)
  return passwordHash !== null && fits
}
