import { accountIsWell, checkRestriction } from '../../engine/index.ts'
import type { Pool } from '../../platform/database/connection.ts'
import { Refusal } from '../../platform/refusal.ts'
import type { Secrets } from '../../platform/secrets.ts'
import {
  type AccountState,
  type Provider,
  ProviderFailure,
  type Providers,
  providerOf,
} from '../../providers/provider.ts'
import {
  type AccountRow,
  claimStatusRead,
  claimStatusReads,
  updateInstanceColumns,
  updateStatus,
} from './instances.queries.ts'
import { setWebhook, type WebhookBase } from './webhook.ts'

export type Parts = {
  db: Pool
  secrets: Secrets
  providers: Providers
  requestSync: (instanceId: number) => Promise<void>
  webhookBase: WebhookBase
}

/** The provider of an account and what it needs to know. */
export function openLink({ providers, secrets }: Parts, row: AccountRow) {
  const provider: Provider | null = providerOf(providers, row)
  if (!provider) throw new Refusal('test_token_refused')
  return { provider, account: { token: secrets.decrypt(row.tokenCipher) } }
}

/** Keeps what was seen; an account that is connected sends again, its groups are read, and it tells us its news. */
export async function keepState(parts: Parts, id: number, state: AccountState): Promise<void> {
  const before = await updateStatus(parts.db, id, state)
  if (!before || state.status !== 'Connected') return
  await accountIsWell(parts.db, id)
  if (before.status !== 'Connected' || before.lastSyncAt === null) await parts.requestSync(id)
  await setWebhook(parts, id)
}

/** Asks the provider for the account's status. Where it can't be reached, what was known stays. */
export async function readStatus(parts: Parts, row: AccountRow, options?: { wake: boolean }): Promise<void> {
  const { provider, account } = openLink(parts, row)
  try {
    await keepState(parts, row.id, await provider.status(account, options))
  } catch (error) {
    await keepFailure(parts, row.id, error)
  }
}

/** A failed call may tell the account's status too. Throws what is no failure of the provider. */
export async function keepFailure(parts: Parts, id: number, error: unknown): Promise<void> {
  if (!(error instanceof ProviderFailure)) throw error
  if (error.status) await keepState(parts, id, { status: error.status, linkedNumber: null })
}

/** While somebody is linking the account its status is looked at often, so that the page notices. */
export async function readStatusWhileLinking(parts: Parts, row: AccountRow): Promise<boolean> {
  const isLinking = row.status === 'Connecting' || row.status === 'NeedsLogin'
  if (!row.isActive || !isLinking || !providerOf(parts.providers, row)) return false
  if (!(await claimStatusRead(parts.db, row.id))) return false
  await readStatus(parts, row)
  return true
}

const AT_ONCE = 10

async function readWhole(parts: Parts, row: AccountRow): Promise<void> {
  await readStatus(parts, row)
  const { provider, account } = openLink(parts, row)
  await checkRestriction(parts.db, { provider, account }, row.id)
  const expiredTime = await provider.expiry(account)
  // Where the provider does not tell, the date on the form stays.
  if (expiredTime) await updateInstanceColumns(parts.db, row.id, { expiredTime })
}

/** A chore: reads the status of all accounts that are due. */
export async function readDueStatuses(parts: Parts, signal: AbortSignal): Promise<void> {
  const due = { withTest: parts.providers.test !== null, limit: AT_ONCE }
  for (let read = AT_ONCE; read === AT_ONCE && !signal.aborted; ) {
    const rows = await claimStatusReads(parts.db, due)
    await Promise.all(rows.map((row) => readWhole(parts, row)))
    read = rows.length
  }
}
