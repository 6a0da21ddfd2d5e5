import type { ProviderConnection } from '../context.ts'

const DAY_MS = 24 * 60 * 60 * 1000

/** Returns a function like `Provider.isMetered` that asks once a day for each instance. */
export function openMetering() {
  const known = new Map<number, { isMetered: boolean; until: number }>()
  return async (instanceId: number, { provider, credentials }: ProviderConnection): Promise<boolean> => {
    const former = known.get(instanceId)
    if (former && former.until > performance.now()) return former.isMetered
    const isMetered = await provider.isMetered(credentials)
    known.set(instanceId, { isMetered, until: performance.now() + DAY_MS })
    return isMetered
  }
}

export type IsMetered = ReturnType<typeof openMetering>
