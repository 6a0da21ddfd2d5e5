import { limits } from '@sendroom/contract/limits'
import { openMetering } from '../../engine/index.ts'
import type { Pool } from '../../platform/database/connection.ts'
import type { Secrets } from '../../platform/secrets.ts'
import {
  type Credentials,
  type NumberCheck,
  type Provider,
  ProviderFailure,
  type Providers,
  providerOf,
} from '../../providers/provider.ts'
import { type Claim, claimCheck, putOff, storeAnswer } from './check-numbers.queries.ts'

export type CheckDeps = { db: Pool; secrets: Secrets; providers: Providers }

/** An instance whose provider did not answer is left alone for so long. */
const PUT_OFF_MS = 60_000

/** Returns a function that checks the numbers that are due, one of each instance. */
export function openNumberChecker(deps: CheckDeps) {
  const { db, providers } = deps
  const { isMetered, metered } = openMetering()

  async function check(claim: Claim): Promise<void> {
    const provider = providerOf(providers, claim)
    if (!provider) return putOff(db, claim, PUT_OFF_MS).then(() => {})
    const credentials = { token: deps.secrets.decrypt(claim.tokenCipher) }
    try {
      const allowed = (await isMetered(claim.instanceId, { provider, credentials }))
        ? limits.numberChecksMetered
        : limits.numberChecksPerDay
      if (claim.checkedToday <= allowed)
        await storeAnswer(db, claim, await ask(provider, credentials, claim.phone))
    } catch (error) {
      if (!(error instanceof ProviderFailure)) throw error
      await putOff(db, claim, Math.max(PUT_OFF_MS, error.retryAfterMs ?? 0))
    }
  }

  return async (signal: AbortSignal): Promise<void> => {
    while (!signal.aborted) {
      const claim = await claimCheck(db, { withTest: providers.test !== null, metered: metered() })
      if (!claim) return
      await check(claim)
    }
  }
}

async function ask(provider: Provider, credentials: Credentials, phone: string): Promise<NumberCheck> {
  const unknown = { phone, answer: 'unknown', whatsappPhone: null } as const
  try {
    const [answer] = await provider.checkNumbers(credentials, [phone])
    return answer ?? unknown
  } catch (error) {
    // The provider would refuse this number again and again. That does not say that it is not on WhatsApp.
    if (error instanceof ProviderFailure && error.kind === 'refused') return unknown
    throw error
  }
}
