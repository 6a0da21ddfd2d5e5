import { type Actor, nobody, record } from './audit.ts'
import { LOCKS, lock } from './database/advisory-lock.ts'
import type { Db, Tx } from './database/connection.ts'
import { identifier, type Sql, sql } from './database/sql.ts'

/*
 * How opt-outs begin and end. `opt_outs` has their history, and `opted_out` who gets nothing now, by each identity of
 * the person. The engine asks the latter before each message (engine/shared/opt-out.ts).
 */

/** A phone number in E.164 without +, or the digits of a hidden number. */
export type Identity = { kind: 'phone' | 'lid'; value: string }

export type NewOptOut = {
  /** At least one. What else is known of the same person is found. */
  identities: readonly Identity[]
  words: string
  /** When it was said, by our clock (ISO 8601). */
  saidAt: string
  /** The account that they wrote to. */
  instanceId: number
  /** The message's id there. Null if a user decided what it meant. */
  providerMessageId: string | null
  /** The user who decided. Null if the message itself opted them out. */
  by: Actor | null
}

/**
 * Opts a person out, for all accounts or for the one that they wrote to, as the settings say. What was said to a test
 * account holds for that one. Returns the id of the opt-out; null if the message was handled before, or nothing is
 * known of the person. One that the person took back by a later message is recorded only: messages may come late and in
 * any order.
 */
export async function beginOptOut(tx: Tx, { identities, by, ...said }: NewOptOut): Promise<number | null> {
  if (identities.length === 0) return null
  await lock(tx, LOCKS.optOuts)
  const { phone, lid } = named(identities)
  const begun = await tx.maybeOne<{ id: number; endedAt: string | null }>(sql`
    insert into opt_outs (instance_id, provider_message_id, is_for_all, source, words, said_at, created_by_user_name,
      phone, lid, ended_at)
    select ${said.instanceId}, ${said.providerMessageId}, scope.is_for_all, ${by ? 'review' : 'message'},
      ${said.words}, ${said.saidAt}::timestamptz, ${by?.username ?? null}, ${phone}, ${lid}, (
        select min(said_at) from opt_ins i
        where ${isOf('i', identities)}
          and (i.instance_id = ${said.instanceId} or scope.is_for_all and not ${isTest(sql`i.instance_id`)})
          and i.said_at > ${said.saidAt}::timestamptz and ${by === null})
    from opt_out_settings settings, lateral (
      select settings.is_for_all and not ${isTest(sql`${said.instanceId}::bigint`)} as is_for_all) scope
    on conflict on constraint opt_outs_message do nothing
    returning id, ended_at`)
  if (!begun) return null
  if (begun.endedAt === null) {
    await hold(tx, begun.id, identities)
    await decideOpen(tx, identities, {
      ...{ instanceId: said.instanceId, optOutId: begun.id, byName: by?.username ?? null },
    })
  }
  await record(tx, by ?? nobody(''), {
    action: 'opt_out.create',
    object: objectOf(begun.id, identities),
    details: { text: said.words },
  })
  return begun.id
}

/** Opts numbers out of all accounts. Returns how many were new. Messages wait meanwhile, so these are not too many. */
export async function optOutNumbers(
  tx: Tx,
  by: Actor,
  {
    numbers,
    note,
    source = 'form',
  }: { numbers: readonly string[]; note: string; source?: 'form' | 'import' },
): Promise<number> {
  await lock(tx, LOCKS.optOuts)
  const { added, first } = await tx.one<{ added: number; first: number | null }>(sql`
    with given as (
      select distinct number from unnest(${numbers}::text[]) number
      where not exists (
        select from opted_out h where h.kind = 'phone' and h.value = number and h.instance_id is null)
    ), begun as (
      insert into opt_outs (is_for_all, source, words, said_at, created_by_user_name, phone)
      select true, ${source}, ${note}, clock_now(), ${by.username}, number from given
      returning id, phone
    ), held as (
      insert into opted_out (kind, value, opt_out_id)
      select distinct on (person.kind, person.value) person.kind, person.value, b.id
      from begun b, lateral same_person('phone', b.phone) person
      order by person.kind, person.value, b.id
      on conflict on constraint opted_out_key do update set opt_out_id = excluded.opt_out_id
    )
    select count(*) as added, min(id) as first from begun`)
  const [only = ''] = numbers
  if (first !== null)
    await record(tx, by, {
      action: 'opt_out.create',
      object: { type: 'opt_out', id: first, name: numbers.length === 1 ? `+${only}` : '' },
      details: { note, count: added },
    })
  return added
}

const objectOf = (id: number, identities: readonly Identity[]) => {
  const { phone, lid } = named(identities)
  return { type: 'opt_out' as const, id, name: phone ? `+${phone}` : (lid ?? '') }
}

const named = (identities: readonly Identity[]) => ({
  phone: identities.find(({ kind }) => kind === 'phone')?.value ?? null,
  lid: identities.find(({ kind }) => kind === 'lid')?.value ?? null,
})

/** Condition: the account is one of test mode, where people are simulated and say nothing to others. */
const isTest = (instanceId: Sql) =>
  sql`coalesce((select t.is_test from instances t where t.id = ${instanceId}), false)`

/** Condition: the row `of`, with the columns phone and lid, is of this person. */
const isOf = (of: string, identities: readonly Identity[]) => {
  const having = (kind: Identity['kind']) => sql`
    select person.value from ${listed(identities)}, lateral same_person(given.kind, given.value) person
    where person.kind = ${kind}`
  return sql`(${identifier(`${of}.phone`)} in (${having('phone')}) or ${identifier(`${of}.lid`)} in (${having('lid')}))`
}

/** Decides what waits for a decision about the person: an opt-out, or a message that wants messages again, says all. */
const decideOpen = (
  tx: Tx,
  identities: readonly Identity[],
  {
    instanceId,
    optOutId,
    byName,
    saidBefore = null,
  }: { instanceId: number; optOutId: number | null; byName: string | null; saidBefore?: string | null },
) =>
  tx.run(sql`
    update possible_opt_outs p
    set decided_at = clock_now(), decided_by_user_name = ${byName}, opt_out_id = ${optOutId}, version = version + 1
    where decided_at is null and ${isOf('p', identities)}
      and (instance_id = ${instanceId} or not ${isTest(sql`${instanceId}::bigint`)})
      and (${saidBefore}::timestamptz is null or said_at < ${saidBefore}::timestamptz)`)

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
  await lock(tx, LOCKS.optOuts)
  const { phone, lid } = named(identities)
  const isNew = await tx.run(sql`
    insert into opt_ins (instance_id, provider_message_id, phone, lid, said_at)
    values (${instanceId}, ${providerMessageId}, ${phone}, ${lid}, ${saidAt})
    on conflict do nothing`)
  if (isNew === 0) return 0
  const ended = await release(
    tx,
    sql`
    select h.opt_out_id from opted_out h join opt_outs o on o.id = h.opt_out_id
    where (h.instance_id = ${instanceId} or h.instance_id is null and not ${isTest(sql`${instanceId}::bigint`)})
      and o.said_at < ${saidAt}::timestamptz
      and (h.kind, h.value) in (
        select person.kind, person.value
        from ${listed(identities)}, lateral same_person(given.kind, given.value) person)`,
    { endedAt: saidAt, byName: null, reason: null },
  )
  await decideOpen(tx, identities, { instanceId, optOutId: null, byName: null, saidBefore: saidAt })
  for (const id of ended)
    await record(tx, nobody(''), { action: 'opt_out.start', object: objectOf(id, identities) })
  return ended.length
}

/** Ends an opt-out for a reason of the user. Returns false if it has ended already. */
export async function endOptOut(tx: Tx, id: number, by: Actor, reason: string): Promise<boolean> {
  await lock(tx, LOCKS.optOuts)
  const ended = await release(
    tx,
    // The other opt-outs of the same person would go on otherwise.
    sql`
    select other.opt_out_id from opted_out held
      cross join lateral same_person(held.kind, held.value) person
      join opted_out other on other.kind = person.kind and other.value = person.value
    where held.opt_out_id = ${id}`,
    { endedAt: null, byName: by.username, reason },
  )
  if (ended.length === 0) return false
  const person = await tx.one<{ phone: string | null; lid: string | null }>(
    sql`select phone, lid from opt_outs where id = ${id}`,
  )
  const name = person.phone ? `+${person.phone}` : (person.lid ?? '')
  await record(tx, by, { action: 'opt_out.end', object: { type: 'opt_out', id, name }, details: { reason } })
  return true
}

type End = { endedAt: string | null; byName: string | null; reason: string | null }

/** Returns the ids of the opt-outs that ended. */
async function release(tx: Tx, ids: Sql, { endedAt, byName, reason }: End): Promise<number[]> {
  const ended = await tx.many<{ id: number }>(sql`
    with ending as materialized (${ids}
    ), released as (
      delete from opted_out where opt_out_id in (select opt_out_id from ending)
    )
    update opt_outs set ended_at = coalesce(${endedAt}::timestamptz, clock_now()), ended_by_user_name = ${byName},
      ended_reason = ${reason}
    where id in (select opt_out_id from ending) and ended_at is null
    returning id`)
  return ended.map(({ id }) => id)
}

const listed = (identities: readonly Identity[]) => sql`
  unnest(${identities.map(({ kind }) => kind)}::text[], ${identities.map(({ value }) => value)}::text[])
    as given (kind, value)`

/** The provider lists no message any more that was decided so long ago, so it does not come again. */
const DECIDED_DAYS = 90

/** Deletes messages about which somebody decided long ago. The opt-outs stay. */
export const deleteOldDecided = (tx: Db, limit: number): Promise<number> =>
  tx.run(sql`
    delete from possible_opt_outs where id in (
      select id from possible_opt_outs where decided_at < clock_now() - ${DECIDED_DAYS} * interval '1 day'
      limit ${limit} for update skip locked)`)
