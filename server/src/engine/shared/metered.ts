import type { ProviderConnection } from '../context.ts'

const DAY_MS = 24 * 60 * 60 * 1000

export type Metering = {
  /** Like `Provider.isMetered`, but asks once a day for each instance, because asking counts as a call there. */
  isMetered: (instanceId: number, connection: ProviderConnection) => Promise<boolean>
  /** The instances that are known to be metered. */
  metered: () => number[]
}

/** Remembers for a day which instances are metered. */
export function openMetering(): Metering {
  const known = new Map<number, { isMetered: boolean; until: number }>()
  return {
    async isMetered(instanceId, { provider, credentials }) {
      const former = known.get(instanceId)
      if (former && former.until > performance.now()) return former.isMetered
      const isMetered = await provider.isMetered(credentials)
      known.set(instanceId, { isMetered, until: performance.now() + DAY_MS })
      return isMetered
    },
    metered: () =>
      [...known].flatMap(([id, { isMetered, until }]) =>
        isMetered && until > performance.now() ? [id] : [],
      ),
  }
}
