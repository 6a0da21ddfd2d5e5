import type { Sql } from '../platform/database/connection.ts'
import { type Account, type Provider, type Providers, providerOf } from '../providers/provider.ts'

/** What the engine works with. */
export type EngineParts = {
  sql: Sql
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

/**
 * How to reach the account at its provider; null where it can't be: a token of another key, or a test-mode
 * account without a simulator.
 */
export function reach(
  { providers, secrets, log }: EngineParts,
  of: { tokenCipher: Buffer; isTest: boolean },
): { provider: Provider; account: Account } | null {
  const provider = providerOf(providers, of)
  if (!provider) return null
  try {
    return { provider, account: { token: secrets.decrypt(of.tokenCipher) } }
  } catch (error) {
    log.error({ err: error }, 'A token could not be decrypted')
    return null
  }
}
