import type { Pool } from '../platform/database/connection.ts'
import { sql } from '../platform/database/sql.ts'
import { ProviderFailure } from '../providers/provider.ts'
import { type EngineParts, reach } from './parts.ts'
import { storeReceipts } from './receipts.ts'

/*
 * Where no webhook reaches us the provider is asked about messages that went out: rarely, for each call may count.
 * A message is asked about after 15 s, then each time after four times as long, for a day: seven times at most.
 */

/** An account is asked about one message in so long. */
const APART = '10 seconds'
const FOR_SO_LONG = '24 hours'
/** Where no answer comes the account is left alone for so long. */
const BUSY_MS = 60_000
const DAY_MS = 24 * 60 * 60 * 1000

export type Ask = {
  id: number
  instanceId: number
  tokenCipher: Buffer
  isTest: boolean
  chatId: string
  providerMessageId: string
}

/**
 * Of each account that may be asked, the message that has waited longest; the accounts in turn. One that stopped after
 * ten failures sends nothing, but it answers. A question that gets no answer, or whose asker dies, is asked again: after
 * as long as the message is old, but for a minute at least and an hour at most.
 */
export const claimAsks = (db: Pool, limit: number) =>
  db.many<Ask>(sql`
  with due as materialized (
    select i.id as instance_id, i.token_cipher, i.is_test, first.id
    from instances i cross join lateral (
      select d.id from deliveries d
      where d.instance_id = i.id and d.ask_at <= clock_now()
      order by d.ask_at limit 1
    ) first
    where i.webhook_base is null and i.is_active and i.next_ask_at <= clock_now()
      and coalesce(i.waiting->>'code', 'account_failures') = 'account_failures'
    order by i.next_ask_at
    limit ${limit}
    for no key update of i skip locked
  ), asked as (
    update instances i set next_ask_at = clock_now() + ${APART}::interval from due where i.id = due.instance_id
  )
  update deliveries d
  set ask_at = case when clock_now() - d.sent_at < ${FOR_SO_LONG}::interval
    then clock_now() + least(interval '1 hour', greatest(interval '1 minute', clock_now() - d.sent_at)) end
  from due
  where d.id = due.id and d.provider_message_id is not null
  returning d.id, due.instance_id, due.token_cipher, due.is_test, d.chat_id, d.provider_message_id`)

/** It was answered: asked again when it is four times as old, for a day. One that is read has no next time. */
const askLater = (db: Pool, id: number) =>
  db.run(sql`
  update deliveries
  set ask_at = case when clock_now() - sent_at < ${FOR_SO_LONG}::interval / 4
    then clock_now() + 3 * (clock_now() - sent_at) end
  where id = ${id} and ask_at is not null`)

/** Asks about a message. On a trial nothing is asked: the calls that are left are for sending. */
export function openAsking(parts: EngineParts): (asked: Ask) => Promise<void> {
  const knownUnmetered = new Map<number, number>()
  const rest = (instanceId: number, ms: number) =>
    parts.db.run(sql`
    update instances set next_ask_at = clock_now() + ${ms} * interval '1 ms' where id = ${instanceId}`)

  return async ({ id, instanceId, chatId, providerMessageId, ...of }) => {
    const way = reach(parts, of)
    if (!way) return
    const { provider, account } = way
    try {
      if (performance.now() - (knownUnmetered.get(instanceId) ?? Number.NEGATIVE_INFINITY) > DAY_MS) {
        if (await provider.isMetered(account)) return void (await rest(instanceId, DAY_MS))
        knownUnmetered.set(instanceId, performance.now())
      }
      const receipts = await provider.messageStatus(account, chatId, providerMessageId)
      await storeReceipts(parts.db, instanceId, receipts)
      await askLater(parts.db, id)
    } catch (error) {
      if (!(error instanceof ProviderFailure)) throw error
      await rest(instanceId, Math.max(BUSY_MS, error.retryAfterMs ?? 0))
    }
  }
}
