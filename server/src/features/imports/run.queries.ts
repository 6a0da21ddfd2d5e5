import type { Tx } from '../../platform/database/connection.ts'
import { type Sql, sql } from '../../platform/database/sql.ts'
import type { Claim } from './work.queries.ts'

/** Each such step is a transaction of some tenths of a second, which others can wait for. */
const ROWS_AT_ONCE = 1000

/**
 * Imports the next rows, as sets. Returns the place of the last row that is through: a number that somebody else has
 * taken in this moment is left for the next step, which finds the contact.
 */
export async function importRows(tx: Tx, claim: Claim): Promise<{ cursor: number }> {
  const { id, cursor } = claim
  const end = cursor + ROWS_AT_ONCE
  const isNext = sql`(r.import_id = ${id} and r.place > ${cursor} and r.place <= ${end} and r.outcome is null)`
  // No choice is removed, and no field deleted, between the look at it and the value.
  await tx.run(sql`select from contact_fields order by id for share`)
  // No tag is deleted between the look at it and the contact that gets it.
  await tx.run(sql`
    select from tags where lower(name) in (
      select lower(name) from unnest(${claim.tags}::text[]) name
      union select lower(tag) from import_rows r, unnest(r.tags) tag where ${isNext}
    ) order by id for key share`)
  // Always before numbers are added, and in this order, as everybody who changes contacts does.
  await tx.run(sql`
    select from contacts where id in (
      select i.contact_id from import_rows r join contact_identities i on i.kind = r.kind and i.value = r.value
      where ${isNext}
    ) order by id for no key update`)
  await addContacts(tx, claim, isNext)
  await changeContacts(tx, claim, isNext)
  if (claim.listId !== null) await addToList(tx, claim, end)
  const left = await tx.one<{ place: number | null }>(sql`
    select min(r.place) as place from import_rows r where ${isNext}`)
  return { cursor: left.place === null ? end : left.place - 1 }
}

/** A row keeps nothing of the file once it is imported. */
const emptied = sql`
  kind = null, value = null, name = null, note = null, tags = null, field_values = null, cells = null`

/** The tags of the row `r` and those of the import. Row by row, because few of them are different. */
const tagsOf = (tags: readonly string[]) => sql`
  (select array_agg(t.id) from tags t where lower(t.name) in (
    select lower(name) from unnest(r.tags || ${tags}::text[]) name
  ))`

/**
 * Makes contacts of the rows whose number nobody has. The identities come first in the same statement, so that a number
 * that somebody adds in this moment gets no second contact.
 */
const addContacts = (tx: Tx, { tags, sourceName }: Claim, isNext: Sql) =>
  tx.run(sql`
    with new as materialized (
      select r.import_id, r.place, r.kind, r.value, r.name, r.note, r.field_values, ${tagsOf(tags)} as tag_ids,
        next_contact_id() as id
      from import_rows r
      where ${isNext} and not exists (
        select from contact_identities i where i.kind = r.kind and i.value = r.value
      )
    ), identified as (
      insert into contact_identities (contact_id, kind, value, is_primary)
      select id, kind, value, kind = 'phone' from new order by kind, value
      on conflict do nothing returning contact_id
    ), made as (
      insert into contacts (id, name, note, numbers, source, source_name)
      overriding system value
      select id, name, note, case kind when 'phone' then value else '' end, 'import', ${sourceName}
      from new join identified on contact_id = id order by id
    ), valued as (
      insert into contact_values (contact_id, field_id, value)
      select new.id, f.id, v.value
      from new join identified on contact_id = new.id, jsonb_each_text(new.field_values) v
        join contact_fields f on f.id = v.key::bigint
      where f.type <> 'choice' or v.value = any(f.choices)
    ), tagged as (
      insert into contact_tags (contact_id, tag_id)
      select new.id, tag_id from new join identified on contact_id = new.id, unnest(new.tag_ids) tag_id
    )
    update import_rows r
    set outcome = 'added', contact_id = new.id, contact_version = 1, tag_ids = coalesce(new.tag_ids, '{}'),
      is_listed = true, ${emptied}
    from new join identified on contact_id = new.id
    where r.import_id = new.import_id and r.place = new.place`)

/**
 * Changes the contacts of the rows whose number is known. A contact that an earlier row has is left alone: two numbers
 * of the file may be one person's.
 */
const changeContacts = (tx: Tx, { id, known, tags, listId }: Claim, isNext: Sql) =>
  tx.run(sql`
    with found as materialized (
      select r.place, r.number, r.name, r.note, r.field_values,
        ${known === 'keep' ? sql`(select array_agg(t.id) from tags t where lower(t.name) in (select lower(name) from unnest(${tags}::text[]) name))` : tagsOf(tags)} as tag_ids,
        i.contact_id, row_number() over (partition by i.contact_id order by r.place) as n, earlier.number as earlier
      from import_rows r
        join contact_identities i on i.kind = r.kind and i.value = r.value
        left join import_rows earlier on earlier.import_id = r.import_id and earlier.contact_id = i.contact_id
      where ${isNext}
    ), target as materialized (
      select f.*, c.name as old_name, c.note as old_note, c.version,
        ${merged(known, 'name')} as new_name, ${merged(known, 'note')} as new_note,
        ${
          listId === null
            ? sql`false`
            : sql`not exists (
          select from list_contacts l where l.list_id = ${listId} and l.contact_id = c.id
        )`
        } as comes_into_list
      from found f join contacts c on c.id = f.contact_id
      where f.n = 1 and f.earlier is null
    ), new_values as materialized (
      select t.contact_id, f.id as field_id, v.value, old.value as before
      from target t cross join jsonb_each_text(t.field_values) v
        join contact_fields f on f.id = v.key::bigint and (f.type <> 'choice' or v.value = any(f.choices))
        left join contact_values old on old.contact_id = t.contact_id and old.field_id = f.id
      where ${differs(known)}
    ), new_tags as materialized (
      select t.contact_id, tag_id
      from target t, unnest(t.tag_ids) tag_id
      where not exists (select from contact_tags c where c.contact_id = t.contact_id and c.tag_id = tag_id)
    ), changed as materialized (
      select t.contact_id, t.old_name, t.old_note, t.new_name, t.new_note,
        (t.new_name, t.new_note) <> (t.old_name, t.old_note) or v.before is not null as is_edited,
        coalesce(v.before, '{}') as values_before, coalesce(g.tag_ids, '{}') as tag_ids
      from target t
        left join (
          select contact_id, jsonb_object_agg(field_id, before) as before from new_values group by contact_id
        ) v on v.contact_id = t.contact_id
        left join (
          select contact_id, array_agg(tag_id) as tag_ids from new_tags group by contact_id
        ) g on g.contact_id = t.contact_id
    ), edited as (
      update contacts c set name = e.new_name, note = e.new_note, version = c.version + 1
      from changed e where e.contact_id = c.id and e.is_edited
    ), valued as (
      insert into contact_values (contact_id, field_id, value) select contact_id, field_id, value from new_values
      on conflict (contact_id, field_id) do update set value = excluded.value
    ), tagged as (
      insert into contact_tags (contact_id, tag_id) select contact_id, tag_id from new_tags
      on conflict do nothing
    ), single as (
      update import_rows r
      set outcome = case when e.is_edited or e.tag_ids <> '{}' then 'changed' else 'unchanged' end,
        contact_id = t.contact_id, contact_version = t.version + e.is_edited::int, tag_ids = e.tag_ids,
        before = case when e.is_edited then
          jsonb_build_object('name', e.old_name, 'note', e.old_note, 'values', e.values_before)
        end,
        is_listed = t.comes_into_list, ${emptied}
      from target t join changed e on e.contact_id = t.contact_id
      where r.import_id = ${id} and r.place = t.place
    )
    update import_rows r
    set outcome = 'twice', problem = jsonb_build_object('code', 'twice', 'params', jsonb_build_object('row',
      coalesce(f.earlier, (select min(first.number) from found first where first.contact_id = f.contact_id and first.n = 1))))
    from found f
    where r.import_id = ${id} and r.place = f.place and (f.n > 1 or f.earlier is not null)`)

/** An empty cell never takes anything away. */
function merged(known: Claim['known'], column: 'name' | 'note'): Sql {
  const [old, given] = column === 'name' ? [sql`c.name`, sql`f.name`] : [sql`c.note`, sql`f.note`]
  if (known === 'keep') return old
  return known === 'fill'
    ? sql`coalesce(nullif(${old}, ''), ${given})`
    : sql`coalesce(nullif(${given}, ''), ${old})`
}

function differs(known: Claim['known']): Sql {
  if (known === 'keep') return sql`false`
  return known === 'fill' ? sql`old.value is null` : sql`old.value is distinct from v.value`
}

/** Unless somebody has deleted the list. */
const addToList = (tx: Tx, { id, cursor, listId }: Claim, end: number) =>
  tx.run(sql`
    with list as (select id from lists where id = ${listId} for key share)
    insert into list_contacts (list_id, contact_id)
    select list.id, r.contact_id from list, import_rows r
    where r.import_id = ${id} and r.place > ${cursor} and r.place <= ${end} and r.contact_id is not null
    order by r.contact_id
    on conflict do nothing`)

const UNDONE_AT_ONCE = 2000

/**
 * Undoes the next rows. A new contact is deleted unless something else refers to it by now: a job, another list, a
 * tag, an edit or another import. A changed one gets back what it had, unless somebody has edited it since.
 */
export async function undoRows(tx: Tx, { id, cursor, listId }: Claim): Promise<{ cursor: number }> {
  const end = cursor + UNDONE_AT_ONCE
  const isNext = sql`(
    r.import_id = ${id} and r.place > ${cursor} and r.place <= ${end} and r.contact_id is not null and r.undone is null)`
  await tx.run(sql`
    select from contacts where id in (select r.contact_id from import_rows r where ${isNext}) order by id for update`)
  await decide(tx, isNext, listId)
  const isRemoved = sql`(
    r.import_id = ${id} and r.place > ${cursor} and r.place <= ${end} and r.undone = 'removed')`
  await restore(tx, isRemoved)
  if (listId !== null) await leaveList(tx, { id, cursor, listId }, end)
  await deleteAdded(tx, isRemoved)
  return { cursor: end }
}

const decide = (tx: Tx, isNext: Sql, listId: number | null) =>
  tx.run(sql`
    update import_rows r
    set undone = case
      when r.outcome = 'unchanged' then 'removed'
      when c.id is null then 'gone'
      when c.version <> r.contact_version then 'kept'
      when r.outcome = 'changed' then case when exists (
        select from jsonb_each_text(r.before -> 'values') v left join contact_fields f on f.id = v.key::bigint
        where v.value is not null and (f.id is null or (f.type = 'choice' and v.value <> all(f.choices)))
      ) then 'gone' else 'removed' end
      when exists (select from deliveries d where d.contact_id = c.id)
        or exists (select from list_contacts l where l.contact_id = c.id and l.list_id is distinct from ${listId})
        or exists (select from contact_tags t where t.contact_id = c.id and t.tag_id <> all(r.tag_ids))
        or exists (
          select from import_rows o
          where o.contact_id = c.id and o.import_id <> r.import_id and o.undone is distinct from 'removed'
        )
        then 'kept'
      else 'removed'
    end
    from import_rows same left join contacts c on c.id = same.contact_id
    where ${isNext} and same.import_id = r.import_id and same.place = r.place`)

async function restore(tx: Tx, isRemoved: Sql): Promise<void> {
  const isChanged = sql`${isRemoved} and r.outcome = 'changed'`
  await tx.run(sql`
    update contacts c
    set name = r.before ->> 'name', note = r.before ->> 'note', version = c.version + 1
    from import_rows r where ${isChanged} and r.before is not null and c.id = r.contact_id`)
  await tx.run(sql`
    delete from contact_values o using import_rows r, jsonb_each_text(r.before -> 'values') v
    where ${isChanged} and o.contact_id = r.contact_id and o.field_id = v.key::bigint and v.value is null`)
  await tx.run(sql`
    update contact_values o set value = v.value from import_rows r, jsonb_each_text(r.before -> 'values') v
    where ${isChanged} and o.contact_id = r.contact_id and o.field_id = v.key::bigint and v.value is not null`)
  await tx.run(sql`
    delete from contact_tags t using import_rows r
    where ${isChanged} and t.contact_id = r.contact_id and t.tag_id = any(r.tag_ids)`)
}

/** Known contacts leave the list into which the import has brought them, unless they are kept. */
const leaveList = (tx: Tx, { id, cursor, listId }: Pick<Claim, 'id' | 'cursor' | 'listId'>, end: number) =>
  tx.run(sql`
    delete from list_contacts l using import_rows r
    where r.import_id = ${id} and r.place > ${cursor} and r.place <= ${end} and r.is_listed
      and r.undone is distinct from 'kept' and l.list_id = ${listId} and l.contact_id = r.contact_id`)

/** Their parts go first and as a set: the foreign keys would look for them contact by contact. */
async function deleteAdded(tx: Tx, isRemoved: Sql): Promise<void> {
  const added = sql`(select r.contact_id from import_rows r where ${isRemoved} and r.outcome = 'added')`
  await tx.run(sql`delete from contact_values where contact_id in ${added}`)
  await tx.run(sql`delete from contact_tags where contact_id in ${added}`)
  await tx.run(sql`delete from contact_identities where contact_id in ${added}`)
  await tx.run(sql`delete from contacts where id in ${added}`)
}
