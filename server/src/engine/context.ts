import type { Pool } from '../platform/database/connection.ts'
import {
  type Credentials,
  type MediaFile,
  type Provider,
  type Providers,
  providerOf,
} from '../providers/provider.ts'

/** The engine's dependencies. */
export type EngineDeps = {
  db: Pool
  providers: Providers
  secrets: { decrypt: (cipher: Buffer) => string }
  /** Opens a stored image or file. Null when there is none; throws when the store can't be reached. */
  openMedia: (name: string) => Promise<MediaFile | null>
  log: {
    info: (details: object, sentence: string) => void
    warn: (details: object, sentence: string) => void
    error: (details: object, sentence: string) => void
  }
  /** The last heartbeat that this process saw committed. Without one, the worker watches for others before it sends. */
  beatSeenBefore?: number
}

/** An instance's provider, and what it signs in with there. */
export type ProviderConnection = { provider: Provider; credentials: Credentials }

type InstanceToken = { instanceId: number; tokenCipher: Buffer; isTest: boolean }

/**
 * The provider of an instance. Null when there is none: the token was encrypted with another key, or the instance is in
 * test mode and no simulator runs.
 */
export function resolveProvider(
  { providers, secrets, log }: Pick<EngineDeps, 'providers' | 'secrets' | 'log'>,
  instance: InstanceToken,
): ProviderConnection | null {
  const provider = providerOf(providers, instance)
  if (!provider) return null
  try {
    return { provider, credentials: { token: secrets.decrypt(instance.tokenCipher) } }
  } catch (error) {
    log.error({ err: error, instanceId: instance.instanceId }, 'Could not decrypt an API token')
    return null
  }
}

/** Why a message can't be sent when `resolveProvider` has returned null. */
export const whyNoProvider = ({ providers }: EngineDeps, { isTest }: { isTest: boolean }) =>
  isTest && providers.forbidsTestMode ? 'test_mode_off' : 'provider_unreachable'

/** Like `resolveProvider`, but keeps the decrypted token until it changes. */
export function cachedProviderResolver(deps: EngineDeps) {
  let known: { tokenCipher: Buffer; connection: ProviderConnection | null } | null = null
  return (instance: InstanceToken): ProviderConnection | null => {
    if (!known?.tokenCipher.equals(instance.tokenCipher))
      known = { tokenCipher: instance.tokenCipher, connection: resolveProvider(deps, instance) }
    return known.connection
  }
}
