import { type Sql, sql } from '../../platform/database/sql.ts'

/** A number, with all by which the provider ties it to one sender: other forms of it, and hidden numbers. */
export type Person = {
  phones: readonly string[]
  lids: readonly string[]
  /** Both, as any table writes them. */
  values: readonly string[]
  /** The same as chats of deliveries. */
  chats: readonly string[]
  /** The same as digits that every spelling has: `912345678` of +84 912 345 678 and of 0912.345.678. */
  spelled: readonly string[]
}

/** Where something about a number is stored. The rows are those of `t`. */
type Place = {
  where: (of: Person) => Sql
  /**
   * Forgetting deletes the row, changes columns, or does neither, because another place or step does that, or
   * because the row stays, which docs/admins/personal-data.md explains.
   */
  forget?: 'delete' | ((of: Person) => Sql)
  /** The columns that a file about the number gets. All of them unless named. */
  columns?: string[]
}

const isPhone = ({ phones }: Person) => sql`t.phone = any(${phones})`
export const isPhoneOrLid = ({ phones, lids }: Person) =>
  sql`(t.phone = any(${phones}) or t.lid = any(${lids}))`
const contactIds = ({ values }: Person) => sql`
  (select i.contact_id from contact_identities i where i.value = any(${values}))`

/** Digits of other keyboards, as the form for numbers reads them. */
const DIGITS = { from: '０１２３４５６７８９٠١٢٣٤٥٦٧٨٩۰۱۲۳۴۵۶۷۸۹', to: '012345678901234567890123456789' }

/** Stands between the digits of a number: brackets, dots, slashes, tildes, spaces, also unseen ones, and dashes. */
const BETWEEN = String.raw`[][ .()/~\uff08\uff09\uff3b\uff3d\uff0e\uff0f\u2053\u223c\uff5e\u00a0\u202f\u00ad\u200b\u2060\u3000\u2010-\u2015\u2212\u30fc\uff0d-]+`

/**
 * Condition: the text contains one of the numbers, in whichever way they are written. For text that people have typed,
 * and texts of several people.
 */
export const mentions = (text: Sql, { spelled }: Person) => sql`
  exists (select from unnest(${spelled}::text[]) digits
    where strpos(regexp_replace(translate(${text}, ${DIGITS.from}, ${DIGITS.to}), ${`(?<=[0-9])${BETWEEN}(?=[0-9])`}, '', 'g'),
      digits) > 0)`

/** All tables that can have a row about a number. A test fills each table and compares. */
export const places: Record<string, Place> = {
  contacts: { where: (of) => sql`t.id in ${contactIds(of)}` },
  contact_identities: { where: (of) => sql`t.contact_id in ${contactIds(of)}` },
  contact_values: { where: (of) => sql`t.contact_id in ${contactIds(of)}` },
  deliveries: {
    where: ({ chats }) => sql`t.job_id in (select id from jobs) and t.chat_id = any(${chats})`,
  },
  delivery_texts: {
    where: ({ chats }) => sql`t.delivery_id in (
      select d.id from jobs j join deliveries d on d.job_id = j.id and d.chat_id = any(${chats}))`,
  },
  delivery_mentions: {
    where: ({ phones }) => sql`t.phones && ${phones}::text[]`,
    forget: ({ phones }) =>
      sql`phones = array(select unnest(t.phones) except select unnest(${phones}::text[]))`,
  },
  job_logs: {
    // `reason_without` takes ten times as long, so it gets few rows.
    where: (of) => sql`
      case when ${mentions(sql`t.reason::text`, of)} then reason_without(t.reason, ${of.values}::text[]) <> t.reason end`,
    forget: ({ values }) => sql`reason = reason_without(t.reason, ${values}::text[])`,
  },
  poll_results: {
    where: ({ values }) => sql`exists (
      select from jsonb_each(t.voters) votes (option, list), jsonb_array_elements_text(list) voter
      where split_part(voter, '@', 1) = any(${values}))`,
    forget: ({ values }) => sql`voters = (
      select coalesce(jsonb_object_agg(option, (
        select coalesce(jsonb_agg(voter), '[]') from jsonb_array_elements_text(list) voter
        where split_part(voter, '@', 1) <> all(${values}))), '{}')
      from jsonb_each(t.voters) votes (option, list))`,
  },
  instance_people: { where: isPhone, forget: 'delete' },
  number_checks: {
    where: ({ phones }) => sql`(t.phone = any(${phones}) or t.whatsapp_phone = any(${phones}))`,
    forget: 'delete',
  },
  due_number_checks: { where: isPhone, forget: 'delete' },
  due_replies: { where: isPhone, forget: 'delete' },
  known_lids: { where: isPhoneOrLid, forget: 'delete' },
  opt_ins: { where: isPhoneOrLid, forget: 'delete' },
  possible_opt_outs: { where: isPhoneOrLid, forget: 'delete' },
  opt_outs: { where: isPhoneOrLid },
  opted_out: { where: ({ values }) => sql`t.value = any(${values})` },
  participants: { where: ({ values }) => sql`t.person_id = any(${values})`, forget: 'delete' },
  other_viewers: { where: ({ values }) => sql`t.person_id = any(${values})`, forget: 'delete' },
  receipt_events: { where: ({ values }) => sql`t.viewer = any(${values})`, forget: 'delete' },
  receipt_batches: { where: (of) => mentions(sql`t.receipts`, of) },
  receipts_set_aside: {
    where: (of) => mentions(sql`t.receipts || t.reason`, of),
    forget: 'delete',
  },
  import_rows: {
    where: (of) =>
      sql`(t.value = any(${of.values}) or ${mentions(
        sql`concat(t.cells::text, t.problem::text, t.before::text, t.note, t.field_values::text)`,
        of,
      )})`,
    forget: 'delete',
  },
  series: { where: (of) => mentions(sql`concat(t.recipients::text, t.frozen::text)`, of) },
  // These stay: a text that names a number, an account’s own number, a group’s id, and what was recorded.
  messages: {
    where: (of) => mentions(sql`concat_ws(' | ', t.text_content, t.content::text)`, of),
    columns: ['id', 'text_content', 'content', 'created_at'],
  },
  jobs: {
    where: (of) => mentions(sql`concat_ws(' | ', t.name, t.text_content, t.content::text)`, of),
    columns: ['id', 'name', 'text_content', 'content', 'created_at'],
  },
  instances: {
    where: ({ phones }) => sql`t.whats_app_number = any(${phones})`,
    columns: ['id', 'name', 'whats_app_number'],
  },
  groups: { where: (of) => mentions(sql`t.chat_id || t.name`, of), columns: ['id', 'chat_id', 'name'] },
  audit_log: { where: (of) => mentions(sql`t.search_text || t.details::text`, of) },
}
