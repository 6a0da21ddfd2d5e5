import { setTimeout as delay } from 'node:timers/promises'
import type { Db, Tx } from '../../platform/database/connection.ts'
import { sql } from '../../platform/database/sql.ts'
import type { ProviderConnection } from '../context.ts'
import type { Said } from './said.ts'

/*
 * WhatsApp hides the numbers of some senders, and shows a LID instead. `known_lids` has the numbers of those that
 * anything has told.
 */

/** Calls at the same time. */
const ASK_AT_ONCE = 5
/** A provider waits for the answer to its webhook call for some seconds, then repeats the call. */
const ASK_FOR_MS = 3_000

/**
 * Finds the numbers of senders with hidden ones: from what the provider told before, else whose they seem to be, by the
 * contact or by our message that theirs quotes. A contact may be wrong, and anybody can quote, so that is kept apart.
 */
export async function findSenders(db: Db, said: readonly Said[]): Promise<Said[]> {
  const hidden = said.filter(({ phone }) => phone === null)
  if (hidden.length === 0) return [...said]
  const found = await db.many<{ nth: number; phone: string | null; likelyPhone: string | null }>(sql`
    select m.nth, (select k.phone from known_lids k where k.lid = m.lid) as phone, coalesce(
      (select other.value from contact_identities i join contact_identities other using (contact_id)
       where i.kind = 'lid' and i.value = m.lid and other.kind = 'phone'
       order by other.is_primary desc, other.value limit 1),
      (select split_part(d.chat_id, '@', 1) from matched_messages sent join deliveries d on d.id = sent.delivery_id
       where sent.instance_id = m.instance_id and sent.provider_message_id = m.quoted_id
         and d.chat_id like '%@s.whatsapp.net')) as likely_phone
    from unnest(${hidden.map(({ instanceId }) => instanceId)}::bigint[], ${hidden.map(({ lid }) => lid)}::text[],
      ${hidden.map(({ quotedId }) => quotedId)}::text[]) with ordinality m (instance_id, lid, quoted_id, nth)`)
  const senders = new Map(found.map(({ nth, ...sender }) => [hidden[nth - 1], sender]))
  return said.map((one) => ({ ...one, ...senders.get(one) }))
}

/** Asks the provider for the numbers of hidden senders, for three seconds. Those who stay hidden are unknown. */
export async function askForPhones(connection: ProviderConnection | null, unknown: Said[]): Promise<Said[]> {
  const phones = new Map<string, string>()
  const lids = new Set(unknown.flatMap(({ lid }) => lid ?? []))
  const waiting = [...lids]
  const isOver = new AbortController()
  async function ask({ provider, credentials }: ProviderConnection) {
    for (let lid = waiting.shift(); lid && !isOver.signal.aborted; lid = waiting.shift()) {
      const phone = await provider.phoneOf(credentials, lid)
      if (phone !== null) phones.set(lid, phone)
    }
  }
  if (connection) {
    const asking = Promise.all(Array.from({ length: ASK_AT_ONCE }, () => ask(connection)))
    const { signal } = isOver
    await Promise.race([asking, delay(ASK_FOR_MS, null, { ref: false, signal }).catch(() => {})])
    isOver.abort()
  }
  return unknown.map((one) => ({ ...one, phone: phones.get(one.lid ?? '') ?? null, wasAsked: true }))
}

export type Lid = {
  lid: string
  phone: string
  /** Whether only a test account knows it: a real account reads the LID of the number again. */
  isTest: boolean
}

/** The LIDs with their numbers that the database does not know yet. */
export async function findNewLids(db: Db, said: readonly Said[]) {
  const all = said.flatMap(({ instanceId, lid, phone }) =>
    lid !== null && phone !== null ? [{ instanceId, lid, phone }] : [],
  )
  if (all.length === 0) return []
  return await db.many<Lid>(sql`
    select distinct on (l.lid) l.lid, l.phone, i.is_test
    from unnest(${all.map(({ lid }) => lid)}::text[], ${all.map(({ phone }) => phone)}::text[],
        ${all.map(({ instanceId }) => instanceId)}::bigint[]) l (lid, phone, instance_id)
      join instances i on i.id = l.instance_id
    where not exists (select from known_lids k where k.lid = l.lid)`)
}

/**
 * Stores whose LID is whose, in the order of the keys, as another transaction may learn the same. Only a transaction
 * has the key of forgotten numbers, whose opt-outs then hold for the LIDs.
 */
export async function learnLids(tx: Tx, lids: readonly Lid[]): Promise<void> {
  if (lids.length === 0) return
  await tx.run(sql`
    insert into known_lids (lid, phone, is_test)
    select l.lid, l.phone, l.is_test
    from unnest(${lids.map(({ lid }) => lid)}::text[], ${lids.map(({ phone }) => phone)}::text[],
      ${lids.map(({ isTest }) => isTest)}::bool[]) l (lid, phone, is_test)
    order by l.lid
    on conflict do nothing`)
}
