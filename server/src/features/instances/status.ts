import { checkLimits, markInstanceHealthy } from '../../engine/index.ts'
import type { Pool } from '../../platform/database/connection.ts'
import { Refusal } from '../../platform/refusal.ts'
import type { Secrets } from '../../platform/secrets.ts'
import {
  type InstanceState,
  type Provider,
  ProviderFailure,
  type Providers,
  providerOf,
} from '../../providers/provider.ts'
import {
  type ActingInstance,
  claimStatusRead,
  claimStatusReads,
  requestSync,
  updateInstanceColumns,
  updateStatus,
} from './instances.queries.ts'
import { setWebhook, type WebhookBase } from './webhook.ts'

export type Deps = {
  db: Pool
  secrets: Secrets
  providers: Providers
  webhookBase: WebhookBase
}

/** Why this process has no provider for an instance in test mode. */
export const noTestMode = ({ forbidsTestMode }: Providers) =>
  new Refusal(forbidsTestMode ? 'test_mode_off' : 'test_token_refused')

/** Returns the provider of an instance and the credentials for it. Throws a refusal if this process has no provider. */
export function requireConnection({ providers, secrets }: Deps, row: ActingInstance) {
  const provider: Provider | null = providerOf(providers, row)
  if (!provider) throw noTestMode(providers)
  return { provider, credentials: { token: secrets.decrypt(row.tokenCipher) } }
}

/**
 * Saves the state that the provider has reported. If the instance is connected, its jobs continue, we set its
 * webhook, and we request a sync of its groups if it was not connected before or was never synced.
 */
export async function saveState(deps: Deps, id: number, state: InstanceState): Promise<void> {
  const before = await updateStatus(deps.db, id, state)
  if (!before || state.status !== 'Connected') return
  await markInstanceHealthy(deps.db, id)
  if (before.status !== 'Connected' || before.lastSyncAt === null) await requestSync(deps.db, id)
  await setWebhook(deps, id)
}

/** Asks the provider for the status and saves it. If the provider does not answer, the known status stays. */
export async function readStatus(
  deps: Deps,
  row: ActingInstance,
  options?: { wake: boolean },
): Promise<void> {
  const { provider, credentials } = requireConnection(deps, row)
  try {
    await saveState(deps, row.id, await provider.status(credentials, options))
  } catch (error) {
    await saveFailureStatus(deps, row.id, error)
  }
}

/** Saves the status that a failed call reveals, if any. Rethrows any other error than a ProviderFailure. */
export async function saveFailureStatus(deps: Deps, id: number, error: unknown): Promise<void> {
  if (!(error instanceof ProviderFailure)) throw error
  if (error.status) await saveState(deps, id, { status: error.status, linkedNumber: null })
}

/**
 * Reads the status if somebody is linking the instance right now, so that the page soon shows the result. Asks the
 * provider at most every two seconds. Returns whether it has.
 */
export async function readStatusWhileLinking(deps: Deps, row: ActingInstance): Promise<boolean> {
  const isLinking = row.status === 'Connecting' || row.status === 'NeedsLogin'
  if (!row.isActive || !isLinking || !providerOf(deps.providers, row)) return false
  if (!(await claimStatusRead(deps.db, row.id))) return false
  await readStatus(deps, row)
  return true
}

const BATCH_SIZE = 10

/** Reads everything that the provider knows about the instance: status, limits of WhatsApp, end of the paid term. */
async function refreshInstance(deps: Deps, row: ActingInstance): Promise<void> {
  await readStatus(deps, row)
  const connection = requireConnection(deps, row)
  await checkLimits(deps.db, connection, row.id)
  const expiredTime = await connection.provider.expiry(connection.credentials)
  // If the provider does not know the date, the one that was entered in the form stays.
  if (expiredTime) await updateInstanceColumns(deps.db, row.id, { expiredTime })
}

/** Recurring work: refreshes all instances whose status is due. */
export async function readDueStatuses(deps: Deps, signal: AbortSignal): Promise<void> {
  const due = { withTest: deps.providers.test !== null, limit: BATCH_SIZE }
  for (let read = BATCH_SIZE; read === BATCH_SIZE && !signal.aborted; ) {
    const rows = await claimStatusReads(deps.db, due)
    await Promise.all(rows.map((row) => refreshInstance(deps, row)))
    read = rows.length
  }
}
