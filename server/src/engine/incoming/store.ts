import {
  defaultOptOutWords,
  type Meaning,
  type OptOutWords,
  readerOf,
  type WordReader,
} from '@sendroom/contract/opt-out-words'
import { LOCKS, lock } from '../../platform/database/advisory-lock.ts'
import type { Db, Pool, Tx } from '../../platform/database/connection.ts'
import { sql } from '../../platform/database/sql.ts'
import { beginOptOut, identitiesOf, optInByMessage } from '../../platform/opt-outs.ts'
import type { ProviderConnection } from '../context.ts'
import { findHeard, recordHeard } from './heard.ts'
import { findNewReplies, recordReplies } from './replies.ts'
import type { Said } from './said.ts'
import { askForPhones, findNewLids, findSenders, learnLids } from './senders.ts'

type Meant = Said & { meaning: Meaning }

/**
 * Stores what the messages say, and asks the provider for the numbers of hidden senders who may have opted out.
 *
 * @throws any error of the database. Then the same messages have to come again.
 */
export async function storeIncoming(
  store: (said: Said[]) => Promise<Said[]>,
  connection: ProviderConnection | null,
  said: Said[],
): Promise<void> {
  const unknown = await store(said)
  if (unknown.length > 0) await store(await askForPhones(connection, unknown))
}

/**
 * Stores in one transaction what private messages say: opt-outs, their ends, messages that may have meant one, and that
 * somebody has answered, or a contact written. Nothing else is kept. Each message counts once, however often and in
 * whatever order they come. Returns, unstored, the messages that mean something and whose sender the provider has to be
 * asked for.
 *
 * The transaction waits for nothing that another one holds while it waits: for LIDs in the order of their keys, then
 * for the lock of opt-outs, then for rows that only its holder writes, and for no instance's lock (replies.ts). An
 * ordinary message of somebody who has answered before takes three look-ups, and no transaction.
 */
export async function storeSaid(db: Pool, received: readonly Said[]): Promise<Said[]> {
  const read = await readWords(db)
  const said = await findSenders(db, received)
  const meant = await leaveOutHandled(
    db,
    said.flatMap((one) => {
      const meaning = read(one.text)
      return meaning ? [{ ...one, meaning }] : []
    }),
  )
  const isUnknown = ({ phone, wasAsked }: Said) => phone === null && !wasAsked
  const unknown = meant.filter(isUnknown)
  const acting = meant.filter((one) => !isUnknown(one)).toSorted(byTime)
  const lids = await findNewLids(db, said)
  const replies = await findNewReplies(
    db,
    said.filter((one) => !unknown.some(({ id }) => id === one.id)),
  )
  const heard = await findHeard(db, said)
  if (acting.length + lids.length + replies.length + heard.length > 0)
    await db.begin(async (tx) => {
      await learnLids(tx, lids)
      if (acting.length > 0) await lock(tx, LOCKS.optOuts)
      for (const one of acting) await act(tx, one)
      await recordReplies(tx, replies)
      await recordHeard(tx, heard)
    })
  return unknown
}

const byTime = (a: Said, b: Said) => (a.saidAt < b.saidAt ? -1 : a.saidAt > b.saidAt ? 1 : 0)

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

/** Lists are read again and again, so most messages that mean something were handled before. */
async function leaveOutHandled(db: Db, meant: Meant[]): Promise<Meant[]> {
  if (meant.length === 0) return []
  const handled = await db.many<{ nth: number }>(sql`
    with m as materialized (
      select *
      from unnest(${meant.map(({ instanceId }) => instanceId)}::bigint[], ${meant.map(({ id }) => id)}::text[])
        with ordinality m (instance_id, provider_message_id, nth)
    )
    select nth from m join opt_outs using (instance_id, provider_message_id)
    union select nth from m join opt_ins using (instance_id, provider_message_id)
    union select nth from m join possible_opt_outs using (instance_id, provider_message_id)`)
  const numbers = new Set(handled.map(({ nth }) => nth))
  return meant.filter((_, n) => !numbers.has(n + 1))
}

async function act(tx: Tx, { meaning, ...said }: Meant): Promise<void> {
  const { instanceId, id, saidAt, text, likelyPhone } = said
  const identities = identitiesOf(said)
  const message = { instanceId, providerMessageId: id, saidAt }
  // Whoever it seems to be has not said so: at most they get no more messages.
  const alsoPhone = said.phone === null ? likelyPhone : null
  if (meaning.kind === 'start') await optInByMessage(tx, identities, message)
  if (meaning.kind === 'stop') {
    const begun = await beginOptOut(tx, { ...message, identities, alsoPhone, words: text, by: null })
    if (begun?.isNew && said.phone === null && alsoPhone === null)
      await insertPossible(tx, said, 'unknown_person')
  }
  if (meaning.kind === 'possible')
    await insertPossible(tx, { ...said, phone: said.phone ?? alsoPhone }, meaning.why)
}

/** If the person with this number has opted out already, there is nothing to decide. */
const insertPossible = (tx: Tx, { instanceId, id, text, saidAt, phone, lid }: Said, why: string) =>
  tx.run(sql`
    insert into possible_opt_outs (instance_id, phone, lid, why, words, provider_message_id, said_at)
    select ${instanceId}, ${phone}::text, ${lid}, ${why}, ${text}, ${id}, ${saidAt}::timestamptz
    where ${phone}::text is null or is_opted_out(${phone}::text || '@s.whatsapp.net', ${instanceId}) is not true
    on conflict do nothing`)
