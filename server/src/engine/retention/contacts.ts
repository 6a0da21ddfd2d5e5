import { isInOneOf, type StoredList } from '../../platform/contacts/filter.ts'
import { LOCKS, tryLock } from '../../platform/database/advisory-lock.ts'
import type { Tx } from '../../platform/database/connection.ts'
import { type Sql, sql } from '../../platform/database/sql.ts'
import { findUnused, isUsing, type Kind, lockUnused, none } from './unused.ts'

/**
 * Contacts that nobody has changed, imported, tagged or listed, who got and wrote no message, and whom no job and no
 * series needs. Opt-outs are not theirs: they stay.
 */
export const contacts: Kind = {
  name: 'contact',
  table: 'contacts',
  async deleteUnused(tx, ids, since) {
    const isSilent = sql`(${isOld(since)} and ${isNotWrittenTo(since)})`
    const silent = await findUnused(tx, 'contacts', ids, isSilent)
    if (silent.length === 0) return { count: 0, isComplete: true }
    // Whoever writes a job or a series reads its people in several statements, and locks none of them. Meanwhile they
    // wait for us, so what takes long is looked for once.
    if (!(await tryLock(tx, LOCKS.peopleOfJobs))) return { count: 0, isComplete: false }
    const inSeries = await chosenInSeries(tx, silent)
    const others = silent.filter((id) => !inSeries.has(id))
    const unused = await lockUnused(tx, 'contacts', others, sql`(${isSilent} and ${await isInNoSeries(tx)})`)
    if (unused.length === 0) return { count: 0, isComplete: true }
    const free = await lockParts(tx, unused)
    // As sets: the foreign keys would look for them contact by contact.
    for (const part of parts) await tx.run(sql`delete from ${part} where contact_id = any(${free})`)
    const count = await tx.run(sql`delete from contacts where id = any(${free})`)
    return { count, isComplete: true }
  },
}

const parts = [sql`list_contacts`, sql`contact_values`, sql`contact_tags`, sql`contact_identities`]

/**
 * Locks all rows of these contacts, and returns the contacts of which nobody else has locked one. Whoever deletes a
 * list, a tag or a field locks such rows without their contacts, and all who create a job would wait for that with us.
 */
async function lockParts(tx: Tx, ids: readonly number[]): Promise<number[]> {
  const busy = new Set<number>()
  for (const part of parts) {
    const all = sql`from ${part} where contact_id = any(${ids})`
    const found = await tx.many<{ id: number }>(sql`
      with locked as materialized (select contact_id ${all} for update skip locked)
      select contact_id as id, count(*) ${all} group by contact_id
      except select contact_id, count(*) from locked group by contact_id`)
    for (const { id } of found) busy.add(id)
  }
  return ids.filter((id) => !busy.has(id))
}

const isOld = (since: Sql) => sql`
  x.changed_at < ${since}
  and ${none(sql`from contact_tags t where t.contact_id = x.id and t.added_at >= ${since}`)}
  and ${none(sql`from list_contacts l where l.contact_id = x.id and l.added_at >= ${since}`)}
  and ${none(sql`
    from import_rows r join imports i on i.id = r.import_id
    where r.contact_id = x.id and (i.ended_at is null or greatest(i.ended_at, i.undone_at) >= ${since})`)}`

/** Members who may not see the contact send to it by its number. The limits of an account know that. */
const isNotWrittenTo = (since: Sql) => sql`
  ${none(sql`
    from contact_identities i where i.contact_id = x.id and i.used_at >= ${since} - interval '1 day'`)}
  and ${none(sql`from deliveries d join jobs j on j.id = d.job_id where d.contact_id = x.id and ${isUsing(since)}`)}
  and ${none(sql`
    from contact_identities i cross join instances a
      join instance_people p on p.instance_id = a.id and p.phone = coalesce(i.whatsapp_phone, i.value)
    where i.contact_id = x.id and i.kind = 'phone' and p.last_sent_at[cardinality(p.last_sent_at)] >= ${since}`)}`

/** Numbers are typed with or without a country code. Two that end alike keep a contact too many. */
const DIGITS = 6

/** The ends of the numbers that series were given: a run takes the name and the values from the contact. */
async function typedInSeries(tx: Tx): Promise<string[]> {
  const rows = await tx.many<{ digits: string }>(sql`
    select distinct right(regexp_replace(number, '[^0-9]', '', 'g'), ${DIGITS}) as digits
    from series s, regexp_split_to_table(s.recipients ->> 'phoneNumbers', '[,;\t\r\n]') number
    where s.job_type = 'SendToUsers' and s.state <> 'ended'`)
  return rows.map(({ digits }) => digits)
}

/** Those of the contacts whom series have chosen or keep, of whom there may be a million. */
async function chosenInSeries(tx: Tx, ids: readonly number[]): Promise<Set<number>> {
  const rows = await tx.many<{ id: number }>(sql`
    select distinct chosen.id::bigint
    from series s,
      jsonb_array_elements_text((s.recipients -> 'contactIds') || coalesce(s.frozen -> 'ids', '[]')) chosen (id)
    where chosen.id = any(${ids.map(String)}::text[]) and s.job_type = 'SendToUsers' and s.state <> 'ended'`)
  return new Set(rows.map(({ id }) => id))
}

/** A list that a series leaves out counts, too. */
async function isInNoSeries(tx: Tx): Promise<Sql> {
  const filters = await tx.many<StoredList>(sql`
    select l.id, l.filter from lists l
    where l.filter is not null and exists (
      select from series_lists u join series s on s.id = u.series_id where u.list_id = l.id and s.state <> 'ended')`)
  const isInList = filters.length > 0 ? await isInOneOf(tx, filters) : sql`false`
  const typed = await typedInSeries(tx)
  return sql`
    ${none(sql`
      from contact_identities i
      where i.contact_id = x.id and i.kind = 'phone' and right(i.value, ${DIGITS}) = any(${typed}::text[])`)}
    and ${none(sql`
      from list_contacts l join series_lists u using (list_id) join series s on s.id = u.series_id
      where l.contact_id = x.id and s.state <> 'ended'`)}
    and ${none(sql`from contacts c where c.id = x.id and ${isInList}`)}`
}
