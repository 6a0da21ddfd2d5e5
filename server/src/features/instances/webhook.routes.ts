import { contract } from '@sendroom/contract'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import {
  type IncomingIntake,
  markInstanceTrouble,
  openIncomingIntake,
  openReceiptIntake,
  openVoteIntake,
  type ReceiptIntake,
  type VoteIntake,
} from '../../engine/index.ts'
import { route } from '../../platform/http.ts'
import { orNotFound } from '../../platform/refusal.ts'
import { providerOf, webhookSecretHeader } from '../../providers/provider.ts'
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
  const intakes = {
    receipts: openReceiptIntake(deps.db),
    incoming: openIncomingIntake(deps.db),
    votes: openVoteIntake(deps.db, (err) => app.log.warn({ err }, 'Could not notify open pages of votes')),
  }
  app.addHook('onClose', () => Promise.all(Object.values(intakes).map(({ close }) => close())).then(() => {}))

  async function guard(request: FastifyRequest) {
    const { key = '' } = request.params as { key?: string } // the contract's path has this parameter
    const secret = String(request.headers[webhookSecretHeader] ?? '')
    calledInstances.set(request, orNotFound(await findCalledInstance(key, secret)))
  }

  route(
    app,
    contract.webhooks.whapi,
    async ({ request, body }) => {
      await handleEvent(deps, intakes, orNotFound(calledInstances.get(request) ?? null), body)
      return { success: true as const }
    },
    { guard, bodyBytes: BODY_BYTES },
  )
}

type Intakes = { receipts: ReceiptIntake; incoming: IncomingIntake; votes: VoteIntake }

/** The provider repeats calls that are not answered with success. */
async function handleEvent(deps: Deps, intakes: Intakes, row: WebhookRow, body: unknown): Promise<void> {
  const provider = providerOf(deps.providers, row)
  const event = provider?.readEvent(body)
  if (!provider || !event) return
  const isSame = () => isSameToken(deps, row)
  // Whoever was let in without a look at the database may report receipts, but nothing else of a former channel.
  if (event.incoming.length > 0 && (await isSame())) {
    const credentials = { token: deps.secrets.decrypt(row.tokenCipher) }
    await intakes.incoming.accept(row.id, { provider, credentials }, event.incoming)
  }
  if (event.votes.length > 0 && (await isSame())) await intakes.votes.accept(row.id, event.votes)
  if (event.receipts.length > 0) await intakes.receipts.accept(row.id, event.receipts)
  if (event.instance && (await isSame())) {
    await saveState(deps, row.id, event.instance)
    await markInstanceTrouble(deps.db, row.id, event.instance.status)
  }
  if (event.groupsChanged) await markGroupsChanged(deps.db, row.id)
}

/** `rotate-key` may have replaced the hash since the row was read. */
const isSameToken = ({ db, secrets }: Deps, { id, tokenHash, tokenCipher }: WebhookRow) =>
  hasSameToken(db, id, [tokenHash, secrets.hash(secrets.decrypt(tokenCipher))])
