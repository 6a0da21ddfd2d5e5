import type { Providers } from './provider.ts'
import { startTestProvider } from './test-mode.ts'
import { createWhapi } from './whapi.ts'

/** Whapi's API for partners, which knows when a channel's term ends. */
const PARTNER_URL = 'https://manager.whapi.cloud'

export interface ProviderOptions {
  whapiBaseUrl: string
  whapiPartnerToken?: string | null | undefined
  /** A simulator that runs elsewhere. */
  testProviderUrl?: string | null | undefined
  dataDir: string
  /** Without `testProviderUrl`: start a simulator in this process. */
  withTestMode: boolean
}

/** The providers of this process. Connects to nothing yet; rejects when its own simulator cannot start. */
export async function openProviders(
  options: ProviderOptions,
): Promise<Providers & { close(): Promise<void> }> {
  const { whapiBaseUrl, whapiPartnerToken } = options
  const partner = whapiPartnerToken ? { baseUrl: PARTNER_URL, token: whapiPartnerToken } : null
  const live = createWhapi({ baseUrl: whapiBaseUrl, partner })
  const test = await openTestProvider(options)
  return {
    live,
    test: test?.provider ?? null,
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
