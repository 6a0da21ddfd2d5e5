import type { CountryCode } from 'libphonenumber-js'
import { countUnsettled, forgetDeliveries, skipForgotten } from '../../engine/index.ts'
import { isApprovedSeries } from '../../platform/approvers.ts'
import { LOCKS, lock } from '../../platform/database/advisory-lock.ts'
import type { Pool, Tx } from '../../platform/database/connection.ts'
import { forBulkWrites } from '../../platform/database/session-defaults.ts'
import { identifier, json, sql } from '../../platform/database/sql.ts'
import { readPhoneNumber } from '../../platform/phone-number.ts'
import { personOf } from './person.ts'
import { isPhoneOrLid, mentions, type Person, places } from './places.ts'

/** A transaction that began before the request may still store the number. None takes as long as this. */
const AGAIN_AFTER_MINUTES = 2
const SLICE = 500

type Open = { id: number; isLast: boolean }

/**
 * Recurring work: forgets the numbers of all open requests. Queued messages are skipped and those without a result are
 * awaited first. Then everything goes slice by slice, once at the beginning and once at the end. A run that is broken
 * off is repeated: what it has forgotten is not found any more.
 */
export async function forgetNumbers(db: Pool, country: CountryCode, signal: AbortSignal): Promise<void> {
  const open = await db.many<Open>(sql`
    select id, is_last
    from (
      select *, requested_at < clock_now() - ${AGAIN_AFTER_MINUTES} * interval '1 minute' as is_last
      from forget_requests where done_at is null
    ) r
    where is_last or erased = 0 or unsettled > 0
    order by id`)
  for (const request of open) {
    if (signal.aborted) return
    await forgetNumber(db, request, country, signal)
  }
}

async function forgetNumber(db: Pool, { id, isLast }: Open, country: CountryCode, signal: AbortSignal) {
  const person = personOf(await growIdentities(db, id))
  await skipForgotten(db, person.chats)
  const unsettled = await db.begin((tx) => countUnsettled(tx, person.chats))
  await db.run(
    sql`update forget_requests set unsettled = ${unsettled} where id = ${id} and unsettled <> ${unsettled}`,
  )
  if (unsettled > 0) return
  for (const step of stepsOf(person, country)) {
    for (let isMore = true; isMore; ) {
      if (signal.aborted) return
      const erased = await db.begin(async (tx) => {
        await forBulkWrites(tx)
        const erased = await step(tx)
        await tx.run(
          sql`update forget_requests set erased = erased + ${erased} where id = ${id} and ${erased} > 0`,
        )
        return erased
      })
      isMore = erased > 0
    }
  }
  if (isLast)
    await db.run(sql`
      update forget_requests set phone = null, identities = '{}', done_at = clock_now() where id = ${id}`)
}

/** Adds what the provider has tied to the number since the last pass. Each pass forgets that tie. */
async function growIdentities(db: Pool, id: number): Promise<string[]> {
  const { identities } = await db.one<{ identities: string[] }>(sql`
    with grown as materialized (
      select array(
        select distinct sender.kind || ' ' || sender.value
        from unnest(r.identities) one,
          lateral same_sender(split_part(one, ' ', 1), split_part(one, ' ', 2)) sender) as identities
      from forget_requests r where r.id = ${id}
    ), stored as (
      update forget_requests r set identities = grown.identities from grown
      where r.id = ${id} and not (grown.identities <@ r.identities)
    )
    select identities from grown`)
  return identities
}

/** Keeps only a keyed hash of each identity that has opted out. At once, so that no new opt-out goes without one. */
async function forgetOptOuts(tx: Tx, person: Person): Promise<number> {
  await lock(tx, LOCKS.optOuts)
  const { isKeyless } = await tx.one<{ isKeyless: boolean }>(sql`
    select number_hash('phone', '') is null as is_keyless`)
  if (isKeyless) throw new Error('The key of forgotten numbers is missing')
  return tx.run(sql`
    with known as materialized (
      select t.id, coalesce(t.last_said_at, t.said_at) as said_at from opt_outs t
      where ${isPhoneOrLid(person)}
        or t.id in (select h.opt_out_id from opted_out h where h.value = any(${person.values}))
    ), hashed as (
      insert into forgotten_opt_outs (hash, instance_id, said_at)
      select number_hash(h.kind, h.value), coalesce(h.instance_id, 0), max(known.said_at)
      from known join opted_out h on h.opt_out_id = known.id
      group by 1, 2
      on conflict (hash, instance_id) do update set said_at = greatest(forgotten_opt_outs.said_at, excluded.said_at)
    )
    delete from opt_outs where id in (select id from known)`)
}

type Step = (tx: Tx) => Promise<number>

/** Each forgets a slice and returns how many rows that were. */
const stepsOf = (person: Person, country: CountryCode): Step[] => [
  (tx) => forgetOptOuts(tx, person),
  // Those that need others to be found come before them.
  (tx) => forgetDeliveries(tx, person.chats, SLICE),
  (tx) => deleteContacts(tx, person),
  (tx) => changeSeries(tx, person, country),
  ...Object.entries(places).flatMap(([table, { where, forget }]) =>
    forget
      ? [(tx: Tx) => forgetRows(tx, table, where(person), forget === 'delete' ? null : forget(person))]
      : [],
  ),
]

const forgetRows = (
  tx: Tx,
  table: string,
  where: ReturnType<typeof sql>,
  changes: ReturnType<typeof sql> | null,
) => {
  const found = sql`t.ctid = any(array(
    select t.ctid from ${identifier(table)} t where ${where} limit ${SLICE} for update))`
  return changes
    ? tx.run(sql`update ${identifier(table)} t set ${changes} where ${found}`)
    : tx.run(sql`delete from ${identifier(table)} t where ${found}`)
}

/** A contact is one person, so the whole of it goes, with its other numbers. */
const deleteContacts = (tx: Tx, { values }: Person) =>
  tx.run(sql`
    with known as materialized (
      select c.id from contacts c
      where c.id in (select contact_id from contact_identities where value = any(${values})) for update
    ), off_lists as (
      delete from list_contacts where contact_id in (select id from known)
    )
    delete from contacts where id in (select id from known)`)

type Recipients = { phoneNumbers: string }

type SeriesRow = {
  id: number
  recipients: Recipients
  frozen: { numbers: string[] } | null
  isApproved: boolean
}

/** Typed numbers are as somebody wrote them, so each is read as the form reads it. Frozen ones are `+84…`. */
async function changeSeries(tx: Tx, person: Person, country: CountryCode): Promise<number> {
  const { phones } = person
  const rows = await tx.many<SeriesRow>(sql`
    select id, recipients, frozen, ${isApprovedSeries} as is_approved from series s
    where ${mentions(sql`concat(s.recipients->>'phoneNumbers', s.frozen->'numbers')`, person)} for update`)
  const isKept = (written: string) => !phones.includes(readPhoneNumber(written.trim(), country) ?? '')
  let changed = 0
  for (const { id, recipients, frozen, isApproved } of rows) {
    const typed = (recipients.phoneNumbers ?? '').split(/[,;\t\r\n]/).filter((written) => written.trim())
    const kept = {
      typed: typed.filter(isKept),
      numbers: frozen?.numbers.filter((number) => !phones.includes(number.slice(1))),
    }
    if (kept.typed.length === typed.length && kept.numbers?.length === frozen?.numbers.length) continue
    await tx.run(sql`
      update series set recipients = ${json({ ...recipients, phoneNumbers: kept.typed.join('\n') })},
        frozen = ${json(frozen && { ...frozen, numbers: kept.numbers })}, version = version + 1
      where id = ${id}`)
    // The approval still holds: only somebody is missing.
    if (isApproved)
      await tx.run(sql`update series set approved_hash = series_content_hash(id) where id = ${id}`)
    changed += 1
  }
  return changed
}
