import { limits } from '@sendroom/contract/limits'
import type { JobDraft, JobPreview } from '@sendroom/contract/new-jobs'
import {
  countsAsOptedOut,
  isKnownPerson,
  isNotOnWhatsapp,
  phoneOf,
  type Recipient,
  type Recipients,
} from '../../engine/index.ts'
import type { Caller } from '../../platform/access.ts'
import { canSeeContact, contactsOfLists } from '../../platform/contacts/lists.ts'
import type { Db } from '../../platform/database/connection.ts'
import { join, raw, type Sql, sql } from '../../platform/database/sql.ts'
import { type ContactFacts, contactFacts, type Template } from '../../platform/personal-texts.ts'

// The recipients of a job to people: typed numbers, contacts and lists of contacts, each person once.

type StoredLists = Parameters<typeof contactsOfLists>[1]

export type ChosenPeople = Pick<JobDraft, 'contactIds'> & {
  /** In E.164 without +, each once. */
  numbers: readonly string[]
  lists: StoredLists
  excluded: StoredLists
}

/** Those of these contacts that the caller sees. */
export async function visibleContacts(db: Db, caller: Caller, ids: readonly number[]): Promise<number[]> {
  const visible = await db.many<{ id: number }>(sql`
    select c.id from contacts c where c.id = any(${ids}::bigint[]) and ${await canSeeContact(db, caller)}`)
  return visible.map(({ id }) => id)
}

/** Whether a recipient of the job is a contact that the caller does not see. */
export const hasHiddenContact = async (db: Db, caller: Caller, jobId: number) =>
  (await db.run(sql`
    select from deliveries d
    where d.job_id = ${jobId} and d.contact_id is not null and not exists (
      select from contacts c where c.id = d.contact_id and ${await canSeeContact(db, caller)})
    limit 1`)) > 0

/** The number by which WhatsApp knows the identity `i` of a contact, if a check has told another one. */
const knownNumber = sql`coalesce(i.whatsapp_phone, i.value)`

/**
 * `with …` of those who are chosen. `kept` has the contacts, `typed` the numbers that belong to no contact, or to one
 * that the caller does not see: the job must not tell whose number it is. `recipients` has both, each person once: two
 * numbers that WhatsApp knows by one are one person.
 */
async function chosenPeople(db: Db, caller: Caller, people: ChosenPeople): Promise<Sql> {
  const { numbers, contactIds, lists, excluded } = people
  const isVisible = await canSeeContact(db, caller)
  const parts = [
    sql`select contact_id, place from typed where contact_id is not null`,
    sql`select distinct id, null::bigint from unnest(${contactIds}::bigint[]) id`,
  ]
  for (const list of lists)
    parts.push(sql`select id, null::bigint from (${await contactsOfLists(db, [list])}) list`)
  return sql`
    with typed as materialized (
      select coalesce(i.whatsapp_phone, n.whatsapp_phone, t.number) as number, t.place, c.id as contact_id
      from unnest(${numbers}::text[]) with ordinality as t (number, place)
        left join number_checks n on n.phone = t.number
        left join contact_identities i on i.kind = 'phone' and i.value = t.number
        left join contact_identities known on known.kind = 'phone' and known.value = n.whatsapp_phone
        left join contacts c on c.id = coalesce(i.contact_id, known.contact_id) and ${isVisible}
    ), chosen (contact_id, place) as materialized (${join(parts, ' union all ')}
    ), people as materialized (
      select contact_id, min(place) as place from chosen group by contact_id
      -- Among a million contacts, the numbers of 100,000 are found ten times as fast in the order of the table.
      order by contact_id
    ), excluded as materialized (${await contactsOfLists(db, excluded)}
    ), excluded_numbers as materialized (
      select ${knownNumber} as number
      from excluded e join contact_identities i on i.contact_id = e.id and i.is_primary
    ), kept as materialized (
      select p.contact_id, p.place, ${knownNumber} as number
      from people p left join contact_identities i on i.contact_id = p.contact_id and i.is_primary
      where not exists (select from excluded e where e.id = p.contact_id)
    ), recipients as materialized (
      select distinct on (number) contact_id, place, number
      from (
        select contact_id, place, number from kept where number is not null
        union all
        select null, place, number from typed where contact_id is null
      ) found
      where not exists (select from excluded_numbers e where e.number = found.number)
      order by number, contact_id
    )`
}

type Counts = Pick<
  JobPreview,
  'recipients' | 'duplicates' | 'leftOut' | 'withoutNumber' | 'optedOut' | 'notOnWhatsapp'
> & {
  /** Those whom the instance has not written to, of the ones who get the message. */
  newPeople: number
}

/** Without an instance, those count as opted out who want no messages from any. */
export async function countPeople(
  db: Db,
  caller: Caller,
  people: ChosenPeople,
  instanceId: number | null,
): Promise<Counts> {
  return db.one<Counts>(sql`
    ${await chosenPeople(db, caller, people)}, unreachable as (
      select count(*) filter (where has_opted_out) as opted_out,
        count(*) filter (where not has_opted_out and ${isNotOnWhatsapp}) as not_on_whatsapp,
        count(*) filter (where not has_opted_out and not ${isNotOnWhatsapp}
          and not ${isKnownPerson(sql`d.instance_id`, phoneOf('d.chat_id'))}) as new_people
      from (
        select d.chat_id, d.instance_id, ${countsAsOptedOut} as has_opted_out
        from (
          select number || '@s.whatsapp.net' as chat_id, ${instanceId}::bigint as instance_id from recipients
        ) d
        -- Otherwise the planner computes this for each count anew, with the hash of a number that takes long.
        offset 0
      ) d
    )
    select (select opted_out from unreachable), (select not_on_whatsapp from unreachable),
      (select new_people from unreachable),
      r.count as recipients,
      (select count(*) from chosen) - p.count + k.reachable + t.count - x.count - r.count as duplicates,
      p.count - k.count + x.count as left_out,
      k.count - k.reachable as without_number
    from (select count(*) from recipients) r, (select count(*) from people) p,
      (select count(*), count(number) as reachable from kept) k,
      (select count(*) from typed where contact_id is null) t, (
        select count(*) from (
          select number from kept union all select number from typed where contact_id is null
        ) found where number in (select number from excluded_numbers)
      ) x`)
}

/** The name of a recipient `r` with the contact `c`. */
const nameOf = sql`coalesce(nullif(c.name, ''), '+' || number)`

/** Rows that are read at once. */
const BATCH = 2000

/**
 * Reads the recipients while they are written, all as they are now. First those who are not new for the instance, so
 * that a limit of new people holds up nobody else; of both the typed ones first, in their order. The cursor ends with
 * the transaction.
 */
export async function openPeople(
  tx: Db,
  caller: Caller,
  people: ChosenPeople,
  instanceId: number | null,
): Promise<Recipients> {
  const batches = readByCursor<Recipient & { length: number }>(
    tx,
    sql`
    ${await chosenPeople(tx, caller, people)}
    select count(*) over () as length, contact_id, null::bigint as group_id, number || '@s.whatsapp.net' as chat_id,
      ${nameOf} as name
    from recipients r left join contacts c on c.id = r.contact_id
    order by ${isKnownPerson(sql`${instanceId}::bigint`, sql`number`)} desc, place, contact_id`,
  )
  const { value: first = [] } = await batches.next()
  return {
    length: first[0]?.length ?? 0,
    async *[Symbol.asyncIterator]() {
      yield* first
      for await (const rows of batches) yield* rows
    },
  }
}

/** A recipient as a text needs to know them, with the name by which the job calls them. */
export type RecipientFacts = ContactFacts & { recipientName: string }

/** Reads the recipients in batches, the typed ones first, in their order, and no more than a job takes. */
export async function* readPeople(
  tx: Db,
  caller: Caller,
  people: ChosenPeople,
  template: Template,
): AsyncGenerator<RecipientFacts[]> {
  yield* readByCursor<RecipientFacts>(
    tx,
    sql`
    ${await chosenPeople(tx, caller, people)}
    select ${nameOf} as recipient_name, ${contactFacts(template)}
    from recipients r left join contacts c on c.id = r.contact_id
    order by place, contact_id
    limit ${limits.recipients}`,
  )
}

async function* readByCursor<Row>(tx: Db, query: Sql): AsyncGenerator<Row[], undefined> {
  await tx.run(sql`declare people no scroll cursor for ${query}`)
  for (;;) {
    const rows = await tx.many<Row>(sql`fetch ${raw(String(BATCH))} from people`)
    if (rows.length === 0) return
    yield rows
  }
}
