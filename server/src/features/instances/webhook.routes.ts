import { contract } from '@sendroom/contract'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import {
  markInstanceTrouble,
  openReceiptIntake,
  type ReceiptIntake,
  storeIncoming,
} from '../../engine/index.ts'
import { isLockTimedOut } from '../../platform/database/errors.ts'
import { route } from '../../platform/http.ts'
import { orNotFound, Refusal } from '../../platform/refusal.ts'
import { type IncomingMessage, providerOf, webhookSecretHeader } from '../../providers/provider.ts'
import { type Deps, saveState } from './status.ts'
import { hasSameToken, markGroupsChanged, type WebhookRow } from './webhook.queries.ts'
import { rememberCalls } from './webhook.ts'

/** Ten times the size of a call about a group with a thousand members. */
const BODY_BYTES = 1024 * 1024

/**
 * Receives the webhook calls of the providers. The key in the path and the secret in a header authenticate a call. A
 * wrong one answers `not_found`, before the body is read.
 */
export function webhookRoutes(app: FastifyInstance, deps: Deps): void {
  const calledInstances = new WeakMap<FastifyRequest, WebhookRow>()
  const findCalledInstance = rememberCalls(deps)
  const intake = openReceiptIntake(deps.db)
  app.addHook('onClose', intake.close)

  async function guard(request: FastifyRequest) {
    const { key = '' } = request.params as { key?: string } // the contract's path has this parameter
    const secret = String(request.headers[webhookSecretHeader] ?? '')
    calledInstances.set(request, orNotFound(await findCalledInstance(key, secret)))
  }

  route(
    app,
    contract.webhooks.whapi,
    async ({ request, body }) => {
      await handleEvent(deps, intake, orNotFound(calledInstances.get(request) ?? null), body)
      return { success: true as const }
    },
    { guard, bodyBytes: BODY_BYTES },
  )
}

/** The provider repeats calls that are not answered with success. */
async function handleEvent(deps: Deps, intake: ReceiptIntake, row: WebhookRow, body: unknown): Promise<void> {
  const event = providerOf(deps.providers, row)?.readEvent(body)
  if (!event) return
  if (event.incoming.length > 0) await acceptIncoming(deps, row, event.incoming)
  if (event.receipts.length > 0) await intake.accept(row.id, event.receipts)
  // Whoever was let in without a look at the database may report receipts, but not the state of a former channel.
  if (event.instance && (await hasSameToken(deps.db, row))) {
    await saveState(deps, row.id, event.instance)
    await markInstanceTrouble(deps.db, row.id, event.instance.status)
  }
  if (event.groupsChanged) await markGroupsChanged(deps.db, row.id)
}

/** A provider waits for an answer for 5 s, and repeats the call without one. */
const INCOMING_MS = 3_000

async function acceptIncoming(
  { db, providers, secrets }: Deps,
  row: WebhookRow,
  incoming: IncomingMessage[],
) {
  const provider = providerOf(providers, row)
  const connection = provider && { provider, credentials: { token: secrets.decrypt(row.tokenCipher) } }
  const until = performance.now() + INCOMING_MS
  try {
    await storeIncoming(db, row.id, connection, incoming, { isGivingUp: () => performance.now() > until })
  } catch (error) {
    throw isLockTimedOut(error) ? new Refusal('unavailable', {}, 2) : error
  }
}
