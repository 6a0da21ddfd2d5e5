import type { Contact, ContactListQuery } from '@sendroom/contract/contacts'
import type { z } from 'zod'
import type { Db } from '../database/connection.ts'
import { type Sql, sql } from '../database/sql.ts'
import { listPage } from '../list.ts'

/** `select …` of the contact `c` as the contract shows one. */
export const contactRow = sql`
  select c.id, c.name, c.note, c.source, c.source_name, c.created_at, c.version,
    array(
      select '+' || i.value from contact_identities i where i.contact_id = c.id and i.kind = 'phone'
      order by i.is_primary desc, array_position(string_to_array(c.numbers, ' '), i.value), i.value
    ) as phone_numbers,
    (select min(i.value) from contact_identities i where i.contact_id = c.id and i.kind = 'lid') as lid,
    (
      select coalesce(jsonb_agg(jsonb_build_object('id', t.id, 'name', t.name) order by lower(t.name), t.id), '[]')
      from contact_tags ct join tags t on t.id = ct.tag_id where ct.contact_id = c.id
    ) as tags,
    (
      select coalesce(jsonb_object_agg(f.key, case f.type
        when 'number' then to_jsonb(v.value::numeric)
        when 'yesNo' then to_jsonb(v.value::boolean)
        else to_jsonb(v.value) end), '{}')
      from contact_values v join contact_fields f on f.id = v.field_id where v.contact_id = c.id
    ) as "values",
    (
      select min(o.said_at)
      from contact_identities i join opted_out h using (kind, value) join opt_outs o on o.id = h.opt_out_id
      where i.contact_id = c.id
    ) as opted_out_at`

const sortBy = { id: sql`c.id`, name: sql`c.name`, createdAt: sql`c.created_at` }

type Found = { condition: Sql } & Pick<Parameters<typeof listPage>[2], 'countKey' | 'countFrom' | 'total'>

/** Reads one page of the contacts `c` for which the condition holds. See `listPage` for the rest. */
export const contactPage = (
  db: Db,
  query: z.output<typeof ContactListQuery>,
  { condition, ...counts }: Found,
) =>
  listPage<Contact>(db, query, {
    select: contactRow,
    from: sql`from contacts c where ${condition}`,
    sortBy: sortBy[query.sortBy],
    id: sql`c.id`,
    ...counts,
  })
