import { PARTNER_URL } from '../platform/outgoing-hosts.ts'
import type { Providers } from './provider.ts'
import { startTestProvider } from './test-mode.ts'
import { createWhapi } from './whapi.ts'

export interface ProviderOptions {
  whapiBaseUrl: string
  /** Without it, `expiry` always returns null. */
  whapiPartnerToken?: string | null | undefined
  /** The URL of a simulator in another process. */
  testProviderUrl?: string | null | undefined
  dataDir: string
  /** If false, the operator forbids test mode, and no simulator is used. */
  testMode?: boolean
  /** Whether to start a simulator in this process. Has no effect with `testProviderUrl`. */
  withTestMode: boolean
}

/**
 * Opens the providers of this process, of which `providerOf` (provider.ts) chooses one for each instance. Connects to
 * nothing yet. Rejects if its own simulator can't start.
 */
export async function openProviders(
  options: ProviderOptions,
): Promise<Providers & { close(): Promise<void> }> {
  const { whapiBaseUrl, whapiPartnerToken, testMode = true } = options
  const partner = whapiPartnerToken ? { baseUrl: PARTNER_URL, token: whapiPartnerToken } : null
  const live = createWhapi({ baseUrl: whapiBaseUrl, partner })
  const test = testMode ? await openTestProvider(options) : null
  return {
    live,
    test: test?.provider ?? null,
    forbidsTestMode: !testMode,
    async close() {
      await Promise.all([live.close(), test?.close()])
    },
  }
}

async function openTestProvider({ testProviderUrl, dataDir, withTestMode }: ProviderOptions) {
  if (testProviderUrl) {
    const provider = createWhapi({ baseUrl: testProviderUrl })
    return { provider, close: provider.close }
  }
  return withTestMode ? startTestProvider({ dataDir }) : null
}
