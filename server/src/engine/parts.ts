import type { Pool } from '../platform/database/connection.ts'
import { type Account, type Provider, type Providers, providerOf } from '../providers/provider.ts'

/** What the engine works with. */
export type EngineParts = {
  db: Pool
  providers: Providers
  secrets: { decrypt: (cipher: Buffer) => string }
  /** Null when there is no such image; throws when the store can't be reached. */
  readImage: (name: string) => Promise<{ bytes: Uint8Array; mimeType: string } | null>
  log: {
    info: (details: object, sentence: string) => void
    warn: (details: object, sentence: string) => void
    error: (details: object, sentence: string) => void
  }
  /** How long an account may be in trouble before its due messages fail; a day unless told otherwise. */
  accountWaitMs?: number
}

type Reached = { provider: Provider; account: Account }

/** `reach` for one account again and again: its token is decrypted once, as long as it stays the same. */
export function openReach(parts: EngineParts) {
  let known: { tokenCipher: Buffer; reached: Reached | null } | null = null
  return (of: { tokenCipher: Buffer; isTest: boolean }): Reached | null => {
    if (!known?.tokenCipher.equals(of.tokenCipher))
      known = { tokenCipher: of.tokenCipher, reached: reach(parts, of) }
    return known.reached
  }
}

/**
 * How to reach the account at its provider; null where it can't be: a token of another key, or a test-mode
 * account without a simulator.
 */
export function reach(
  { providers, secrets, log }: EngineParts,
  of: { tokenCipher: Buffer; isTest: boolean },
): Reached | null {
  const provider = providerOf(providers, of)
  if (!provider) return null
  try {
    return { provider, account: { token: secrets.decrypt(of.tokenCipher) } }
  } catch (error) {
    log.error({ err: error }, 'A token could not be decrypted')
    return null
  }
}
