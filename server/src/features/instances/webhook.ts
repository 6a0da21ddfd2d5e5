import { timingSafeEqual } from 'node:crypto'
import type { Pool } from '../../platform/database/connection.ts'
import type { Secrets } from '../../platform/secrets.ts'
import { ProviderFailure, type Providers, providerOf } from '../../providers/provider.ts'
import {
  claimWebhooks,
  findWebhookRow,
  forgetIncoming,
  forgetLiveWebhooks,
  saveWebhookBase,
  type WebhookRow,
} from './webhook.queries.ts'

/**
 * Returns the URL at which the instance's provider reaches this installation, such as `https://send.example`, or
 * null.
 */
export type WebhookBase = (instance: { isTest: boolean }) => string | null

export type WebhookDeps = { db: Pool; secrets: Secrets; providers: Providers; webhookBase: WebhookBase }

/** The last part of an instance's webhook URL. Nobody can guess the key, and it is derived, so it needs no storage. */
export const keyOf = (secrets: Secrets, id: number) =>
  `${id}.${secrets.hash(`webhook ${id}`).toString('base64url')}`

/** Includes the token's hash, so that calls about the channel of a former token are not accepted. */
export function secretOf(
  secrets: Secrets,
  { id, tokenCipher }: Pick<WebhookRow, 'id' | 'tokenCipher'>,
): string {
  // Not the stored hash: it may be of the former key already, or still.
  const tokenHash = secrets.hash(secrets.decrypt(tokenCipher))
  return secrets.hash(`webhook secret ${id} ${tokenHash.toString('base64')}`).toString('base64url')
}

/** Finds the instance that a webhook call is about. Returns null if the key or the secret is wrong. */
export async function findCalledInstance(
  { db, secrets }: Pick<WebhookDeps, 'db' | 'secrets'>,
  key: string,
  secret: string,
): Promise<WebhookRow | null> {
  const id = Number(/^(\d{1,15})\./.exec(key)?.[1] ?? 0)
  // The provider calls with the values of the former key until the webhook is set anew.
  const used = [secrets, ...formerOf(secrets)].find((one) => isSame(secrets, key, keyOf(one, id)))
  const row = used && (await findWebhookRow(db, id))
  return row && isSame(secrets, secret, secretOf({ ...used, decrypt: secrets.decrypt }, row)) ? row : null
}

const formerOf = ({ former }: Secrets) => (former ? [former] : [])

/** How long a caller who was let in is let in without a look at the database. */
const REMEMBERED_MS = 60_000
const MAX_REMEMBERED = 20_000

/**
 * Returns `findCalledInstance` for calls that come all day: one look-up of the key and one comparison for each. A token
 * that was changed, or an instance that was deleted, is noticed after a minute at most. Until then only who knew the
 * secret can report receipts of messages that were sent.
 */
export function rememberCalls(deps: Pick<WebhookDeps, 'db' | 'secrets'>) {
  const known = new Map<string, { row: WebhookRow; secret: Buffer; until: number }>()
  return async (key: string, secret: string): Promise<WebhookRow | null> => {
    const entry = known.get(key)
    if (entry && entry.until > performance.now() && isEqual(entry.secret, Buffer.from(secret)))
      return entry.row
    const row = await findCalledInstance(deps, key, secret)
    if (!row) return null
    if (known.size >= MAX_REMEMBERED) known.clear()
    known.set(key, { row, secret: Buffer.from(secret), until: performance.now() + REMEMBERED_MS })
    return row
  }
}

/** The length of a secret is no secret. */
const isEqual = (a: Buffer, b: Buffer) => a.length === b.length && timingSafeEqual(a, b)

/** Compares in constant time, whatever the lengths. */
const isSame = ({ hash }: Secrets, a: string, b: string) => timingSafeEqual(hash(a), hash(b))

/** Sets the webhook of this instance, if that is due. If the provider fails, a later run tries again. */
export async function setWebhook(deps: WebhookDeps, id: number): Promise<void> {
  const base = basesOf(deps)
  if (!base.live && !base.test) return
  for (const row of await claimWebhooks(deps.db, base, { id })) await setClaimed(deps, row)
}

/** Recurring work: sets all webhooks that are due, in batches. */
export async function setDueWebhooks(deps: WebhookDeps, signal: AbortSignal): Promise<void> {
  const base = basesOf(deps)
  if (!base.live && !base.test) return
  for (let read = 1; read > 0 && !signal.aborted; ) {
    const rows = await claimWebhooks(deps.db, base, {})
    await Promise.all(rows.map((row) => setClaimed(deps, row)))
    read = rows.length
  }
}

/**
 * Runs when a server starts, because the installation's URL may have changed or been removed, and because calls may
 * have reached nobody before.
 */
export async function renewWebhooks(deps: WebhookDeps, signal: AbortSignal): Promise<void> {
  await forgetIncoming(deps.db)
  if (!basesOf(deps).live) await forgetLiveWebhooks(deps.db)
  await setDueWebhooks(deps, signal)
}

/** Removes our webhook from the instance's provider. Ignores a failure of the provider. */
export async function removeWebhook(deps: WebhookDeps, row: WebhookRow): Promise<void> {
  const provider = providerOf(deps.providers, row)
  const credentials = { token: deps.secrets.decrypt(row.tokenCipher) }
  for (const secrets of [deps.secrets, ...formerOf(deps.secrets)])
    await provider?.removeWebhook(credentials, keyOf(secrets, row.id)).catch(falseOnFailure)
}

const basesOf = ({ webhookBase, providers }: WebhookDeps) => ({
  live: webhookBase({ isTest: false }),
  test: providers.test && webhookBase({ isTest: true }),
})

async function setClaimed(deps: WebhookDeps, row: WebhookRow): Promise<void> {
  const base = deps.webhookBase(row)
  const provider = providerOf(deps.providers, row)
  if (!base || !provider) return
  const key = keyOf(deps.secrets, row.id)
  const webhook = { key, url: `${base}/api/webhooks/whapi/${key}`, secret: secretOf(deps.secrets, row) }
  const credentials = { token: deps.secrets.decrypt(row.tokenCipher) }
  const isSet = await provider.setWebhook(credentials, webhook).then(() => true, falseOnFailure)
  for (const former of isSet ? formerOf(deps.secrets) : [])
    await provider.removeWebhook(credentials, keyOf(former, row.id)).catch(falseOnFailure)
  await saveWebhookBase(deps.db, row, isSet ? base : null)
}

/** For `.catch`: returns false for a failure of the provider, and rethrows any other error. */
function falseOnFailure(error: unknown): false {
  if (!(error instanceof ProviderFailure)) throw error
  return false
}
