import { timingSafeEqual } from 'node:crypto'
import type { Pool } from '../../platform/database/connection.ts'
import type { Secrets } from '../../platform/secrets.ts'
import { ProviderFailure, type Providers, providerOf } from '../../providers/provider.ts'
import {
  claimWebhooks,
  findWebhookRow,
  forgetLiveWebhooks,
  keepWebhook,
  type WebhookRow,
} from './webhook.queries.ts'

/** Where accounts may reach this installation, such as `https://send.example`; null where they can't. */
export type WebhookBase = (account: { isTest: boolean }) => string | null

export type WebhookParts = { db: Pool; secrets: Secrets; providers: Providers; webhookBase: WebhookBase }

/** The last part of an account's address: nobody guesses it, and nothing has to be stored for it. */
export const keyOf = (secrets: Secrets, id: number) =>
  `${id}.${secrets.hash(`webhook ${id}`).toString('base64url')}`

/** With the token: what an account's former channel tells says nothing of the account. */
export const secretOf = (secrets: Secrets, { id, tokenHash }: Pick<WebhookRow, 'id' | 'tokenHash'>) =>
  secrets.hash(`webhook secret ${id} ${tokenHash.toString('base64')}`).toString('base64url')

/** The account that this call is for; null where its key or its secret is wrong. */
export async function findCalled(
  { db, secrets }: Pick<WebhookParts, 'db' | 'secrets'>,
  key: string,
  secret: string,
): Promise<WebhookRow | null> {
  const id = Number(/^(\d{1,15})\./.exec(key)?.[1] ?? 0)
  if (!isSame(secrets, key, keyOf(secrets, id))) return null
  const row = await findWebhookRow(db, id)
  return row && isSame(secrets, secret, secretOf(secrets, row)) ? row : null
}

/** In constant time, whatever their lengths. */
const isSame = ({ hash }: Secrets, a: string, b: string) => timingSafeEqual(hash(a), hash(b))

/** Sets the webhook of this account, where it is due. A provider that can't is asked again later. */
export async function setWebhook(parts: WebhookParts, id: number): Promise<void> {
  const base = basesOf(parts)
  if (!base.live && !base.test) return
  for (const row of await claimWebhooks(parts.db, base, { id })) await set(parts, row)
}

/** A chore: the same for all accounts, some at a time. */
export async function setDueWebhooks(parts: WebhookParts, signal: AbortSignal): Promise<void> {
  const base = basesOf(parts)
  if (!base.live && !base.test) return
  for (let read = 1; read > 0 && !signal.aborted; ) {
    const rows = await claimWebhooks(parts.db, base, {})
    await Promise.all(rows.map((row) => set(parts, row)))
    read = rows.length
  }
}

/** At the start of a server: its address may be another one than before, or there may be none any more. */
export async function renewWebhooks(parts: WebhookParts, signal: AbortSignal): Promise<void> {
  if (!basesOf(parts).live) await forgetLiveWebhooks(parts.db)
  await setDueWebhooks(parts, signal)
}

/** Asks the account's provider to tell us nothing more, if it can be reached. */
export async function removeWebhook(parts: WebhookParts, row: WebhookRow): Promise<void> {
  const provider = providerOf(parts.providers, row)
  const account = { token: parts.secrets.decrypt(row.tokenCipher) }
  await provider?.removeWebhook(account, keyOf(parts.secrets, row.id)).catch(unlessFailure)
}

const basesOf = ({ webhookBase, providers }: WebhookParts) => ({
  live: webhookBase({ isTest: false }),
  test: providers.test && webhookBase({ isTest: true }),
})

async function set(parts: WebhookParts, row: WebhookRow): Promise<void> {
  const base = parts.webhookBase(row)
  const provider = providerOf(parts.providers, row)
  if (!base || !provider) return
  const key = keyOf(parts.secrets, row.id)
  const webhook = { key, url: `${base}/api/webhooks/whapi/${key}`, secret: secretOf(parts.secrets, row) }
  const account = { token: parts.secrets.decrypt(row.tokenCipher) }
  const isSet = await provider.setWebhook(account, webhook).then(() => true, unlessFailure)
  await keepWebhook(parts.db, row, isSet ? base : null)
}

/** For `.catch`: a provider that can't is nothing to stop for. */
function unlessFailure(error: unknown): false {
  if (!(error instanceof ProviderFailure)) throw error
  return false
}
