import { LOCKS, lock } from './database/advisory-lock.ts'
import type { Tx } from './database/connection.ts'
import { type Sql, sql } from './database/sql.ts'

/*
 * How opt-outs begin and end. `opt_outs` has their history, and `opted_out` who gets nothing now, by each identity of
 * the person. The engine asks the latter before each message (engine/shared/opt-out.ts).
 */

/** A phone number in E.164 without +, or the digits of a hidden number. */
export type Identity = { kind: 'phone' | 'lid'; value: string }

export type NewOptOut = {
  /** At least one. What else is known of the same person is found. */
  identities: readonly Identity[]
  source: 'message' | 'review' | 'form' | 'import' | 'api'
  /** The message, or the note of whoever enters it. */
  words: string
  /** When it was said, by our clock (ISO 8601). */
  saidAt: string
  /** The account that they wrote to, and the id of the message there. */
  message: { instanceId: number; providerMessageId: string } | null
  /** The user who entered it. Null if the message itself opted them out. */
  byName: string | null
}

/**
 * Opts a person out, for all accounts or for the one that they wrote to, as the settings say. Returns the id of the
 * opt-out; null if the message was handled before. One that the person took back by a later message is recorded only:
 * messages may come late and in any order.
 */
export async function beginOptOut(
  tx: Tx,
  { identities, message, ...optOut }: NewOptOut,
): Promise<number | null> {
  await lockPeople(tx, identities)
  const { phone, lid } = named(identities)
  const begun = await tx.maybeOne<{ id: number; endedAt: string | null }>(sql`
    insert into opt_outs (instance_id, provider_message_id, is_for_all, source, words, said_at, created_by_user_name,
      phone, lid, ended_at)
    select ${message?.instanceId ?? null}, ${message?.providerMessageId ?? null},
      ${message === null} or settings.is_for_all, ${optOut.source}, ${optOut.words}, ${optOut.saidAt}::timestamptz,
      ${optOut.byName}, ${phone}, ${lid}, (
        select min(said_at) from opt_ins i
        where (i.phone = ${phone} or i.lid = ${lid}) and i.said_at > ${optOut.saidAt}::timestamptz
          and ${optOut.byName === null})
    from opt_out_settings settings
    on conflict on constraint opt_outs_message do nothing
    returning id, ended_at`)
  if (begun && begun.endedAt === null) await hold(tx, begun.id, identities)
  return begun?.id ?? null
}

const named = (identities: readonly Identity[]) => ({
  phone: identities.find(({ kind }) => kind === 'phone')?.value ?? null,
  lid: identities.find(({ kind }) => kind === 'lid')?.value ?? null,
})

/** The later one holds: a message that opts in again ends those that were said before it. */
const hold = (tx: Tx, id: number, identities: readonly Identity[]) =>
  tx.run(sql`
    insert into opted_out as held (kind, value, instance_id, opt_out_id)
    select distinct person.kind, person.value, case when not o.is_for_all then o.instance_id end, o.id
    from opt_outs o, ${listed(identities)}, lateral same_person(given.kind, given.value) person
    where o.id = ${id}
    on conflict on constraint opted_out_key do update set opt_out_id = excluded.opt_out_id
    where (select said_at from opt_outs where id = held.opt_out_id)
      <= (select said_at from opt_outs where id = excluded.opt_out_id)`)

/**
 * Ends the opt-outs of a person who has written so, to this account: those that were said before. A message that was
 * handled before ends nothing. Returns how many ended.
 */
export async function optInByMessage(
  tx: Tx,
  identities: readonly Identity[],
  {
    instanceId,
    providerMessageId,
    saidAt,
  }: { instanceId: number; providerMessageId: string; saidAt: string },
): Promise<number> {
  await lockPeople(tx, identities)
  const { phone, lid } = named(identities)
  const isNew = await tx.run(sql`
    insert into opt_ins (instance_id, provider_message_id, phone, lid, said_at)
    values (${instanceId}, ${providerMessageId}, ${phone}, ${lid}, ${saidAt})
    on conflict do nothing`)
  if (isNew === 0) return 0
  return release(
    tx,
    sql`
    select h.opt_out_id from opted_out h join opt_outs o on o.id = h.opt_out_id
    where (h.instance_id is null or h.instance_id = ${instanceId}) and o.said_at < ${saidAt}::timestamptz
      and (h.kind, h.value) in (
        select person.kind, person.value
        from ${listed(identities)}, lateral same_person(given.kind, given.value) person)`,
    { endedAt: saidAt, byName: null, reason: null },
  )
}

/** Ends an opt-out for a reason of the user. Returns false if it has ended already. */
export async function endOptOut(tx: Tx, id: number, by: { name: string; reason: string }): Promise<boolean> {
  const ended = await release(
    tx,
    // The other opt-outs of the same person would go on otherwise.
    sql`
    select other.opt_out_id from opted_out held
      cross join lateral same_person(held.kind, held.value) person
      join opted_out other on other.kind = person.kind and other.value = person.value
    where held.opt_out_id = ${id}`,
    { endedAt: null, byName: by.name, reason: by.reason },
  )
  return ended > 0
}

type End = { endedAt: string | null; byName: string | null; reason: string | null }

async function release(tx: Tx, ids: Sql, { endedAt, byName, reason }: End): Promise<number> {
  return tx.run(sql`
    with ending as materialized (${ids}
    ), released as (
      delete from opted_out where opt_out_id in (select opt_out_id from ending)
    )
    update opt_outs set ended_at = coalesce(${endedAt}::timestamptz, clock_now()), ended_by_user_name = ${byName},
      ended_reason = ${reason}
    where id in (select opt_out_id from ending)`)
}

const listed = (identities: readonly Identity[]) => sql`
  unnest(${identities.map(({ kind }) => kind)}::text[], ${identities.map(({ value }) => value)}::text[])
    as given (kind, value)`

/** Takes one message of a person after the other. The order of the keys keeps two people from a deadlock. */
async function lockPeople(tx: Tx, identities: readonly Identity[]): Promise<void> {
  for (const { kind, value } of identities.toSorted((a, b) => (a.value < b.value ? -1 : 1)))
    await lock(tx, LOCKS.optOutOf(kind, value))
}
