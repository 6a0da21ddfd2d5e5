import { setTimeout as delay } from 'node:timers/promises'
import {
  defaultOptOutWords,
  type Meaning,
  type OptOutWords,
  readerOf,
  type WordReader,
} from '@sendroom/contract/opt-out-words'
import type { Db, Pool, Tx } from '../../platform/database/connection.ts'
import { sql } from '../../platform/database/sql.ts'
import { beginOptOut, type Identity, optInByMessage } from '../../platform/opt-outs.ts'
import type { IncomingMessage } from '../../providers/provider.ts'
import type { ProviderConnection } from '../context.ts'
import { lockInstance, underLock } from '../shared/lock.ts'

/** A message whose sender and meaning are known, as far as they can be. `saidAt` is by our clock (ISO 8601). */
type Read = {
  message: IncomingMessage
  meaning: Meaning | null
  phone: string | null
  lid: string | null
  saidAt: string
}

type Options = {
  /** The provider's clock minus ours, in ms. */
  clockAheadMs?: number
  /** True to fail while somebody has the instance's lock, so that the provider repeats its call. */
  isGivingUp?: () => boolean
}

/** The provider is asked for the number of a hidden sender. Its webhook calls are answered within 5 s. */
const ASK_FOR_MS = 3_000

/**
 * Stores what private messages say: opt-outs, their ends, messages that may have meant one, and that somebody has
 * answered. Nothing else is kept. Each message counts once, however often and in whatever order they come.
 *
 * The opt-outs are committed first, and wait for no instance's lock.
 *
 * @throws an error for `isLockTimedOut` if the replies could not be stored, and any error of the database. Then the
 * same messages have to come again.
 */
export async function storeIncoming(
  db: Pool,
  instanceId: number,
  connection: ProviderConnection | null,
  messages: readonly IncomingMessage[],
  { clockAheadMs = 0, isGivingUp = () => false }: Options = {},
): Promise<void> {
  if (messages.length === 0) return
  const read = await readWords(db)
  const known = await findSenders(db, instanceId, messages)
  const all: Read[] = []
  for (const message of messages) {
    const meaning = read(message.text)
    const sender = known.get(message.id) ?? { phone: message.senderPhone, lid: message.senderLid }
    const asked = sender.phone === null && meaning ? await askForPhone(connection, sender.lid) : null
    const saidAt = new Date(message.timestamp * 1000 - clockAheadMs).toISOString()
    all.push({ message, meaning, phone: sender.phone ?? asked, lid: sender.lid, saidAt })
  }
  const meant = all.filter(({ meaning }) => meaning !== null)
  const learned = all.filter(({ phone, lid }) => phone !== null && lid !== null)
  if (meant.length + learned.length > 0)
    await db.begin(async (tx) => {
      await learnLids(tx, learned)
      for (const one of meant.toSorted(byTime)) await act(tx, instanceId, one)
    })
  await storeReplies(db, instanceId, all, isGivingUp)
}

const byTime = (a: Read, b: Read) => (a.saidAt < b.saidAt ? -1 : a.saidAt > b.saidAt ? 1 : 0)

async function readWords(db: Db): Promise<WordReader> {
  const { version, words } = await db.one<{ version: number; words: OptOutWords | null }>(
    sql`select version, words from opt_out_settings`,
  )
  const key = `${version} ${words === null}`
  if (lastReader?.key !== key) lastReader = { key, read: readerOf(words ?? defaultOptOutWords) }
  return lastReader.read
}

/** Making a reader takes a hundred times as long as reading a message. */
let lastReader: { key: string; read: WordReader } | null = null

type Sender = { phone: string | null; lid: string | null }

/** Finds the numbers of senders with hidden ones: from what was told before, or by our message that theirs quotes. */
async function findSenders(db: Db, instanceId: number, messages: readonly IncomingMessage[]) {
  const hidden = messages.filter(({ senderPhone }) => senderPhone === null)
  if (hidden.length === 0) return new Map<string, Sender>()
  const found = await db.many<Sender & { id: string }>(sql`
    select m.id, m.lid, coalesce(
      (select k.phone from known_lids k where k.lid = m.lid),
      (select min(other.value) from contact_identities i join contact_identities other using (contact_id)
       where i.kind = 'lid' and i.value = m.lid and other.kind = 'phone' and other.is_primary),
      (select split_part(d.chat_id, '@', 1) from matched_messages sent join deliveries d on d.id = sent.delivery_id
       where sent.instance_id = ${instanceId} and sent.provider_message_id = m.quoted_id
         and d.chat_id like '%@s.whatsapp.net')) as phone
    from unnest(${hidden.map(({ id }) => id)}::text[], ${hidden.map(({ senderLid }) => senderLid)}::text[],
      ${hidden.map(({ quotedId }) => quotedId)}::text[]) m (id, lid, quoted_id)`)
  return new Map(found.map(({ id, ...sender }) => [id, sender]))
}

async function askForPhone(
  connection: ProviderConnection | null,
  lid: string | null,
): Promise<string | null> {
  if (!connection || lid === null) return null
  const asked = connection.provider.phoneOf(connection.credentials, lid)
  return Promise.race([asked, delay(ASK_FOR_MS, null, { ref: false })])
}

/** Stores whose LID is whose, in the order of the keys, as another call may learn the same. */
export const learnLids = (tx: Tx, learned: readonly Pick<Read, 'phone' | 'lid'>[]) =>
  learned.length === 0
    ? null
    : tx.run(sql`
        insert into known_lids (lid, phone)
        select distinct on (lid) lid, phone
        from unnest(${learned.map(({ lid }) => lid)}::text[], ${learned.map(({ phone }) => phone)}::text[]) l (lid, phone)
        order by lid
        on conflict do nothing`)

async function act(
  tx: Tx,
  instanceId: number,
  { message, meaning, phone, lid, saidAt }: Read,
): Promise<void> {
  const identities: Identity[] = [
    ...(phone ? [{ kind: 'phone', value: phone } as const] : []),
    ...(lid ? [{ kind: 'lid', value: lid } as const] : []),
  ]
  const said = { instanceId, providerMessageId: message.id, saidAt }
  if (meaning?.kind === 'start') await optInByMessage(tx, identities, said)
  if (meaning?.kind === 'stop') await beginOptOut(tx, { ...said, identities, words: message.text, by: null })
  const why = meaning?.kind === 'possible' ? meaning.why : phone === null ? 'unknown_person' : null
  if (why !== null && meaning?.kind !== 'start')
    // If the person has opted out already, there is nothing to decide.
    await tx.run(sql`
      insert into possible_opt_outs (instance_id, phone, lid, why, words, provider_message_id, said_at)
      select ${instanceId}, ${phone}, ${lid}, ${why}, ${message.text}, ${message.id}, ${saidAt}::timestamptz
      where ${phone === null} or not is_opted_out(${phone} || '@s.whatsapp.net', ${instanceId})
      on conflict do nothing`)
}

/** Somebody who has answered is new no more, and gives the instance back one of the new people that it may write to. */
async function storeReplies(db: Pool, instanceId: number, all: readonly Read[], isGivingUp: () => boolean) {
  const phones = [...new Set(all.flatMap(({ phone }) => phone ?? []))].sort()
  const fresh = await db.many<{ phone: string }>(sql`
    select phone from unnest(${phones}::text[]) phone
    where not exists (
      select from instance_people p
      where p.instance_id = ${instanceId} and p.phone = phone.phone and p.replied_at is not null)`)
  if (fresh.length === 0) return
  const first = new Map(
    all
      .toSorted(byTime)
      .reverse()
      .map(({ phone, saidAt }) => [phone, saidAt]),
  )
  await underLock(db, instanceId, isGivingUp, async (tx) => {
    await lockInstance(tx, instanceId)
    const answered = await tx.many<{ day: number | null }>(sql`
      insert into instance_people as p (instance_id, phone, replied_at)
      select ${instanceId}, r.phone, r.at
      from unnest(${fresh.map(({ phone }) => phone)}::text[],
        ${fresh.map(({ phone }) => first.get(phone) ?? null)}::timestamptz[]) r (phone, at)
      order by r.phone
      on conflict (instance_id, phone) do update set replied_at = excluded.replied_at where p.replied_at is null
      returning (select local_day(p.first_sent_at, i.time_zone) from instances i where i.id = p.instance_id) as day`)
    for (const { day } of answered)
      if (day !== null)
        await tx.run(sql`
          update instances i
          set sent_by_day = record_day(i.sent_by_day, 'n', ${day}, -1), new_people_left = i.new_people_left + 1
          where i.id = ${instanceId}`)
  })
}
