import { isChannelRow } from '../../platform/channels.ts'
import type { Pool } from '../../platform/database/connection.ts'
import { identifier, sql } from '../../platform/database/sql.ts'
import { meter } from '../../platform/meter.ts'
import { ProviderFailure } from '../../providers/provider.ts'
import { type EngineDeps, resolveProvider } from '../context.ts'
import { stoppedByFailures } from '../shared/instance-change.ts'
import { lockInstances } from '../shared/lock.ts'
import { openMetering } from '../shared/metered.ts'
import { storeBatch, withoutNul } from './store.ts'

/*
 * Where no webhook reaches us, the provider is asked what became of a message: after 15 s, then each time after four
 * times as long, for a day. Those are seven calls at most, since a provider may count them.
 */

/** The provider is asked about a message of an instance once in this time. */
const BETWEEN_POLLS = '10 seconds'
const POLLED_FOR = '24 hours'
/** An instance is left alone for so long when the provider does not answer. */
const BUSY_MS = 60_000
const DAY_MS = 24 * 60 * 60 * 1000
/** Calls at a time. */
const MAX_CALLS = 20

type Poll = {
  id: number
  instanceId: number
  tokenCipher: Buffer
  isTest: boolean
  chatId: string
  providerMessageId: string
}

/**
 * In an update that makes a delivery `d` sent: when to ask first. `instance` names a relation with the columns
 * webhook_base and is_test. Test-mode instances always have a webhook. A post to a channel has no receipts.
 */
export const firstPollAt = (instance: string) => sql`
  case when ${identifier(instance)}.webhook_base is null and not ${identifier(instance)}.is_test
      and not ${isChannelRow('d')}
    then clock_now() + interval '15 seconds' end`

/**
 * Takes the message of each instance that has waited longest; instances take turns. An instance that stopped after ten
 * failures sends nothing, but can still be asked. A poll that gets no answer, or whose worker dies, is repeated after
 * as long as the message is old: at least a minute, at most an hour.
 */
const claimPolls = (db: Pool) =>
  db.many<Poll>(sql`
    with due as materialized (
      select i.id as instance_id, i.token_cipher, i.is_test, first.id
      from instances i cross join lateral (
        select d.id from deliveries d
        where d.instance_id = i.id and d.ask_at <= clock_now()
        order by d.ask_at limit 1
      ) first
      where i.webhook_base is null and i.is_active and i.next_ask_at <= clock_now()
        and (i.waiting is null or ${stoppedByFailures('i')})
      order by i.next_ask_at
      limit ${MAX_CALLS}
      for no key update of i skip locked
    ), polled as (
      update instances i set next_ask_at = clock_now() + ${BETWEEN_POLLS}::interval
      from due where i.id = due.instance_id
    )
    update deliveries d
    set ask_at = case when clock_now() - d.sent_at < ${POLLED_FOR}::interval
      then clock_now() + least(interval '1 hour', greatest(interval '1 minute', clock_now() - d.sent_at)) end
    from due
    where d.id = due.id and d.provider_message_id is not null
    returning d.id, due.instance_id, due.token_cipher, due.is_test, d.chat_id, d.provider_message_id`)

/** After an answer: asks again when the message is four times as old. A message that was read has no next time. */
const pollLater = (db: Pool, id: number) =>
  db.run(sql`
    update deliveries
    set ask_at = case when clock_now() - sent_at < ${POLLED_FOR}::interval / 4
      then clock_now() + 3 * (clock_now() - sent_at) end
    where id = ${id} and ask_at is not null`)

/**
 * Returns a function that polls what is due, and then returns how many messages that were. An instance on a trial is
 * not polled: the calls that are left are for sending.
 */
export function openPolling(deps: EngineDeps): () => Promise<number> {
  const { isMetered } = openMetering()
  const pause = (instanceId: number, ms: number) =>
    deps.db.run(sql`
      update instances set next_ask_at = clock_now() + ${ms} * interval '1 ms'
      where id in (select i.id from instances i where i.id = ${instanceId} ${lockInstances('skip')})`)

  async function poll({ id, instanceId, chatId, providerMessageId, ...instance }: Poll) {
    const connection = resolveProvider(deps, { instanceId, ...instance })
    if (!connection) return
    const { provider, credentials } = connection
    try {
      if (await isMetered(instanceId, connection)) return void (await pause(instanceId, DAY_MS))
      const receipts = await provider.messageStatus(credentials, chatId, providerMessageId)
      await storeBatch(
        deps.db,
        receipts.map((receipt) => ({ ...withoutNul(receipt), instanceId })),
      )
      for (const { state } of receipts) meter.received(state)
      await pollLater(deps.db, id)
    } catch (error) {
      if (!(error instanceof ProviderFailure)) throw error
      await pause(instanceId, Math.max(BUSY_MS, error.retryAfterMs ?? 0))
    }
  }

  return async () => {
    const due = await claimPolls(deps.db)
    for (const result of await Promise.allSettled(due.map(poll)))
      if (result.status === 'rejected') throw result.reason
    return due.length
  }
}
