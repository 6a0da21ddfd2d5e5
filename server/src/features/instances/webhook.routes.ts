import { contract } from '@sendroom/contract'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { accountHasTrouble, storeReceipts } from '../../engine/index.ts'
import { answer } from '../../platform/http.ts'
import { seen } from '../../platform/refusal.ts'
import { providerOf, webhookSecretHeader } from '../../providers/provider.ts'
import { keepState, type Parts } from './status.ts'
import { markGroupsChanged, type WebhookRow } from './webhook.queries.ts'
import { findCalled } from './webhook.ts'

/** A group of a thousand members is a tenth of this. */
const BODY_BYTES = 1024 * 1024

/** Where an account's provider tells its news. Without key and secret there is nothing here; the body is not read. */
export function webhookRoutes(app: FastifyInstance, parts: Parts): void {
  const called = new WeakMap<FastifyRequest, WebhookRow>()

  async function guard(request: FastifyRequest) {
    const { key = '' } = request.params as { key?: string } // as the path says
    const secret = String(request.headers[webhookSecretHeader] ?? '')
    called.set(request, seen(await findCalled(parts, key, secret)))
  }

  answer(
    app,
    contract.webhooks.whapi,
    async ({ request, body }) => {
      await takeNews(parts, seen(called.get(request) ?? null), body)
      return { success: true as const }
    },
    { guard, bodyBytes: BODY_BYTES },
  )
}

/** Stored, not applied: the answer is fast, and what is stored is not told again. */
async function takeNews(parts: Parts, row: WebhookRow, body: unknown): Promise<void> {
  const news = providerOf(parts.providers, row)?.readNews(body)
  if (!news) return
  await storeReceipts(parts.db, row.id, news.receipts)
  if (news.account) {
    await keepState(parts, row.id, news.account)
    await accountHasTrouble(parts.db, row.id, news.account.status)
  }
  if (news.groupsChanged) await markGroupsChanged(parts.db, row.id)
}
