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
  /** Those of the sender, as the provider says. What else it ties to them is found. */
  identities: readonly Identity[]
  /** The number of whoever it seems to be, or whom the user names, if the provider does not tell whose number it is. */
  alsoPhone?: string | null
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
 * account holds for that one. An opt-out that the person took back by a later message is recorded only, as messages may
 * come late and in any order. Whoever says so again while one holds, or was taken back by the same message, only moves
 * its time. Returns null if the message was handled before, or nothing is known of the person.
 */
export async function beginOptOut(tx: Tx, optOut: NewOptOut): Promise<Begun | null> {
  const { identities, alsoPhone = null, by } = optOut
  const also = identitiesOf({ phone: alsoPhone })
  if (identities.length + also.length === 0) return null
  await lock(tx, LOCKS.optOuts)
  if (await isHandled(tx, optOut)) return null
  if (identities.length === 0 || also.length === 0 || (await areOneSender(tx, [...also, ...identities])))
    return beginFor(tx, [...also, ...identities], optOut)
  const begun = await beginFor(tx, identities, optOut)
  if (alsoPhone === null || begun.id === null) return begun
  if (by) await beginFor(tx, also, { ...optOut, linkedTo: begun.id })
  else await tx.run(sql`select link_opt_out('phone', ${alsoPhone}, ${begun.id})`)
  return begun
}

/** Whether the provider ties all of them together. */
const areOneSender = async (tx: Tx, [first, ...others]: readonly Identity[]) =>
  first !== undefined &&
  (await tx.run(sql`
    select from ${listed(others)} where (given.kind, given.value) in (
      select kind, value from same_sender(${first.kind}, ${first.value}))`)) === others.length

/** `id` is null if a later message or a user has ended it already. */
export type Begun = { id: number | null; isNew: boolean }

/** Returns the identities that a message or a row about somebody names. */
export const identitiesOf = ({
  phone,
  lid = null,
}: {
  phone: string | null
  lid?: string | null
}): Identity[] => [
  ...(phone ? [{ kind: 'phone', value: phone } as const] : []),
  ...(lid ? [{ kind: 'lid', value: lid } as const] : []),
]

const isHandled = async (tx: Tx, { instanceId, providerMessageId }: NewOptOut) =>
  (await tx.run(sql`
    select from opt_outs where instance_id = ${instanceId} and provider_message_id = ${providerMessageId}`)) >
  0

/** The account's opt-outs hold for all accounts. */
const isForAll = (instanceId: number) => sql`
  (select is_for_all from opt_out_settings) and not ${isTest(sql`${instanceId}::bigint`)}`

async function beginFor(
  tx: Tx,
  identities: readonly Identity[],
  { by, linkedTo = null, ...said }: NewOptOut & { linkedTo?: number | null },
): Promise<Begun> {
  const takenBackAt = by ? null : await findStart(tx, identities, said)
  const former = await sayAgain(tx, identities, { ...said, by, takenBackAt })
  // Another number of the person may have wanted messages in between.
  if (former) await spread(tx, identities)
  if (former !== undefined) return { id: former, isNew: false }
  const { phone, lid } = named(identities)
  const { id } = await tx.one<{ id: number }>(sql`
    insert into opt_outs (instance_id, provider_message_id, is_for_all, source, words, said_at, created_by_user_name,
      phone, lid, ended_at, linked_to)
    values (${said.instanceId}, ${linkedTo === null ? said.providerMessageId : null}, ${isForAll(said.instanceId)},
      ${by ? 'review' : 'message'}, ${said.words}, ${said.saidAt}, ${by?.username ?? null}, ${phone}, ${lid},
      ${takenBackAt}, ${linkedTo})
    returning id`)
  if (takenBackAt === null) await hold(tx, id, identities)
  const byName = by?.username ?? null
  if (takenBackAt === null)
    await decideOpen(tx, identities, { instanceId: said.instanceId, optOutId: id, byName })
  await record(tx, by ?? nobody(''), {
    action: 'opt_out.create',
    object: objectOf(id, phone, lid),
    details: { text: said.words },
  })
  return { id: takenBackAt === null ? id : null, isNew: true }
}

/** When the sender wanted messages again after they had said this. */
const findStart = async (
  tx: Tx,
  identities: readonly Identity[],
  { instanceId, saidAt }: Pick<NewOptOut, 'instanceId' | 'saidAt'>,
) =>
  (
    await tx.one<{ at: string | null }>(sql`
      select min(said_at) as at from opt_ins i
      where ${isOf('i', identities)} and i.said_at > ${saidAt}::timestamptz
        and (i.instance_id = ${instanceId} or ${isForAll(instanceId)} and not ${isTest(sql`i.instance_id`)})`)
  ).at

/**
 * If this changes nothing, moves the time of the opt-out that the sender has repeated, and returns its id, or null if
 * that has ended. A list of messages may be read again, so a stop from before an opt-out that has ended is no new one.
 */
async function sayAgain(
  tx: Tx,
  identities: readonly Identity[],
  {
    instanceId,
    saidAt,
    by,
    takenBackAt,
  }: Pick<NewOptOut, 'instanceId' | 'saidAt' | 'by'> & { takenBackAt: string | null },
): Promise<number | null | undefined> {
  const holding = sql`
    select given.kind, given.value, o.id
    from ${listed(identities)} join opted_out h using (kind, value) join opt_outs o on o.id = h.opt_out_id
    where o.source <> 'linked' and (h.instance_id is null or h.instance_id = ${instanceId} and not (${isForAll(instanceId)}))`
  const former = await tx.many<{ id: number; holds: boolean }>(sql`
    with holding as materialized (${holding}
    ), said_before as (
      select id, true as holds from holding
      where ${takenBackAt}::timestamptz is null
        and (select count(distinct (kind, value)) from holding) = (select count(*) from ${listed(identities)})
      union all
      select o.id, false from opt_outs o
      where ${by === null} and ${isNamed('o', identities)} and o.linked_to is null and o.ended_at is not null
        and (o.is_for_all or o.instance_id = ${instanceId} and not (${isForAll(instanceId)}))
        and (o.ended_at = ${takenBackAt}::timestamptz
          or coalesce(o.last_said_at, o.said_at) >= ${saidAt}::timestamptz)
    )
    update opt_outs o set last_said_at = greatest(coalesce(o.last_said_at, o.said_at), ${saidAt}::timestamptz)
    from said_before where said_before.id = o.id
    returning o.id, said_before.holds`)
  return former.length === 0 ? undefined : (former.find(({ holds }) => holds)?.id ?? null)
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
        select from opted_out h join opt_outs o on o.id = h.opt_out_id
        where h.kind = 'phone' and h.value = number and h.instance_id is null and o.source <> 'linked')
    ), begun as (
      insert into opt_outs (is_for_all, source, words, said_at, created_by_user_name, phone)
      select true, ${source}, ${note}, clock_now(), ${by.username}, number from given
      returning id, phone
    ), held as (
      insert into opted_out (kind, value, opt_out_id)
      select 'phone', phone, id from begun order by phone
      on conflict on constraint opted_out_key do update set opt_out_id = excluded.opt_out_id
    )
    select count(*) as added, min(id) as first from begun`)
  await tx.run(sql`
    select spread_opt_outs('phone', number) from unnest(${numbers}::text[]) number
    where exists (
      select from same_person('phone', number) other where (other.kind, other.value) <> ('phone', number))
    order by number`)
  const [only = ''] = numbers
  if (first !== null)
    await record(tx, by, {
      action: 'opt_out.create',
      object: { type: 'opt_out', id: first, name: numbers.length === 1 ? `+${only}` : '' },
      details: { note, count: added },
    })
  return added
}

const objectOf = (id: number, phone: string | null, lid: string | null) => ({
  type: 'opt_out' as const,
  id,
  name: phone ? `+${phone}` : (lid ?? ''),
})

const named = (identities: readonly Identity[]) => ({
  phone: identities.find(({ kind }) => kind === 'phone')?.value ?? null,
  lid: identities.find(({ kind }) => kind === 'lid')?.value ?? null,
})

/** Condition: the account is one of test mode, where people are simulated and say nothing to others. */
const isTest = (instanceId: Sql) =>
  sql`coalesce((select t.is_test from instances t where t.id = ${instanceId}), false)`

/** Condition: the row `of`, with the columns phone and lid, is of this sender. */
const isOf = (of: string, identities: readonly Identity[]) => {
  const having = (kind: Identity['kind']) => sql`
    select sender.value from ${listed(identities)}, lateral same_sender(given.kind, given.value) sender
    where sender.kind = ${kind}`
  return sql`(${identifier(`${of}.phone`)} in (${having('phone')}) or ${identifier(`${of}.lid`)} in (${having('lid')}))`
}

/** The same, by these identities alone. */
const isNamed = (of: string, identities: readonly Identity[]) => {
  const { phone, lid } = named(identities)
  return sql`(
    ${identifier(`${of}.phone`)} in (${phone}, other_form(${phone})) or ${identifier(`${of}.lid`)} = ${lid})`
}

/** Decides what waits for a decision about the sender: an opt-out, or a message that wants messages again, says all. */
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

/** Gives the opt-out to its identities, and others of the person one of their own that is linked to it. */
const hold = async (tx: Tx, id: number, identities: readonly Identity[]) => {
  await tx.run(sql`
    insert into opted_out as held (kind, value, instance_id, opt_out_id)
    select given.kind, given.value, case when not o.is_for_all then o.instance_id end, o.id
    from opt_outs o, ${listed(identities)}
    where o.id = ${id}
    on conflict on constraint opted_out_key do update set opt_out_id = excluded.opt_out_id
    where (select source from opt_outs where id = held.opt_out_id) = 'linked'`)
  await spread(tx, identities)
}

const spread = (tx: Tx, identities: readonly Identity[]) =>
  tx.run(sql`select spread_opt_outs(given.kind, given.value) from ${listed(identities)}`)

/**
 * Ends the opt-outs of a sender who has written so to this account, and those that began for the sake of theirs: all
 * that were said before. What somebody else has said does not end, not even if a contact has both numbers. A message
 * that was handled before ends nothing. Returns how many ended.
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
  if (identities.length === 0) return 0
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
    select h.opt_out_id
    from ${listed(identities)}, lateral same_sender(given.kind, given.value) sender
      join opted_out h using (kind, value) join opt_outs o on o.id = h.opt_out_id
    where (h.instance_id = ${instanceId} or h.instance_id is null and not ${isTest(sql`${instanceId}::bigint`)})
      and coalesce(o.last_said_at, o.said_at) < ${saidAt}::timestamptz`,
    { endedAt: saidAt, byName: null, reason: null },
  )
  await tx.run(sql`
    delete from forgotten_opt_outs f using ${listed(identities)}
    where f.hash = number_hash(given.kind, given.value) and f.said_at < ${saidAt}::timestamptz
      and (f.instance_id = ${instanceId} or f.instance_id = 0 and not ${isTest(sql`${instanceId}::bigint`)})`)
  await decideOpen(tx, identities, { instanceId, optOutId: null, byName: null, saidBefore: saidAt })
  const sameAs = objectOf(0, phone, lid).name
  await record(
    tx,
    nobody(''),
    ...ended.map((one) => ({
      action: 'opt_out.start' as const,
      object: objectOf(one.id, one.phone, one.lid),
      ...(one.linkedTo !== null && { details: { sameAs } }),
    })),
  )
  // Another opt-out of the person may hold for those identities, too, and a later one for the sender.
  const linked = ended.filter(({ linkedTo }) => linkedTo !== null).flatMap(identitiesOf)
  const sender = (await hasLaterOptOut(tx, identities, saidAt)) ? identities : []
  if (linked.length + sender.length > 0) await spread(tx, [...linked, ...sender])
  return ended.length
}

/** Whether the person of the sender has said so by another number after this, as messages may come late. */
const hasLaterOptOut = async (tx: Tx, identities: readonly Identity[], saidAt: string) =>
  (await tx.run(sql`
    select from ${listed(identities)}, lateral same_person(given.kind, given.value) person
      join opted_out h on h.kind = person.kind and h.value = person.value join opt_outs o on o.id = h.opt_out_id
    where coalesce(o.last_said_at, o.said_at) > ${saidAt}::timestamptz limit 1`)) > 0

/** Ends an opt-out for a reason of the user, and all others of the person. Returns false if it has ended already. */
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
  await record(
    tx,
    by,
    ...ended.map(({ id, phone, lid }) => ({
      action: 'opt_out.end' as const,
      object: objectOf(id, phone, lid),
      details: { reason },
    })),
  )
  return ended.length > 0
}

type End = { endedAt: string | null; byName: string | null; reason: string | null }

type Ended = { id: number; phone: string | null; lid: string | null; linkedTo: number | null }

/** Ends these opt-outs, and those that began for their sake. Returns all of them. */
const release = (tx: Tx, ids: Sql, { endedAt, byName, reason }: End) =>
  tx.many<Ended>(sql`
    with given (id) as materialized (${ids}
    ), ending as materialized (
      select id from given
      union
      select linked.id from given join opt_outs linked on linked.linked_to = given.id
      where exists (select from opted_out h where h.opt_out_id = linked.id)
    ), released as (
      delete from opted_out where opt_out_id in (select id from ending)
    )
    update opt_outs set ended_at = coalesce(${endedAt}::timestamptz, clock_now()), ended_by_user_name = ${byName},
      ended_reason = ${reason}
    where id in (select id from ending) and ended_at is null
    returning id, phone, lid, linked_to`)

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

/** No start counts for longer than an account remembers a person (`deleteOldPeople`). */
const START_DAYS = 400

/** Deletes starts from long ago. The provider lists no stop any more that one of them would take back. */
export const deleteOldStarts = (tx: Db, limit: number): Promise<number> =>
  tx.run(sql`
    delete from opt_ins where (instance_id, provider_message_id) in (
      select instance_id, provider_message_id from opt_ins
      where said_at < clock_now() - ${START_DAYS} * interval '1 day'
      limit ${limit} for update skip locked)`)
