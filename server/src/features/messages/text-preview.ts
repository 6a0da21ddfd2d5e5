import { limits } from '@sendroom/contract/limits'
import type { TextPreview, TextPreviewQuery, TextVariable } from '@sendroom/contract/text-previews'
import type { Caller } from '../../platform/access.ts'
import { isAmongVisible } from '../../platform/contacts/lists.ts'
import type { Db } from '../../platform/database/connection.ts'
import { type Sql, sql } from '../../platform/database/sql.ts'
import { longestText } from '../../platform/message-content.ts'
import {
  type ContactFacts,
  contactFacts,
  readTemplate,
  rendererOf,
  type Template,
} from '../../platform/personal-texts.ts'

export const listVariables = (db: Db) =>
  db.many<TextVariable>(sql`select key, name, type from contact_fields order by name, id`)

const BATCH = 2000

/** Writes the text for the next contact, or the next one with a problem, of as many as a job can have. */
export async function previewText(
  db: Db,
  caller: Caller,
  { textContent, isPoll, after, onlyProblems }: TextPreviewQuery,
  country: string,
  signal: AbortSignal,
): Promise<TextPreview> {
  const template = await readTemplate(db, textContent, 'textContent')
  const render = rendererOf(template, country)
  const isVisible = await isAmongVisible(db, caller)
  const longest = longestText(isPoll ? { kind: 'poll' } : null)
  const size = onlyProblems ? BATCH : 1
  for (let last = after ?? 0, seen = 0, more = true; more && seen < limits.recipients; seen += size) {
    signal.throwIfAborted()
    const batch = await readContacts(db, template, isVisible, last, size)
    for (const contact of batch) {
      const { text, missing } = render(contact)
      const isTooLong = text.length > longest
      if (onlyProblems && missing.length === 0 && !isTooLong) continue
      const { id, name, phoneNumber } = contact
      return { contact: { id, name: name ?? '', phoneNumber }, text, missing, isTooLong }
    }
    last = batch.at(-1)?.id ?? 0
    more = batch.length === size
  }
  return { contact: null, text: '', missing: [], isTooLong: false }
}

type Contact = ContactFacts & { id: number; phoneNumber: string | null }

const readContacts = (db: Db, template: Template, isVisible: Sql, after: number, limit: number) =>
  db.many<Contact>(sql`
    select c.id, ${contactFacts(template)},
      (select '+' || i.value from contact_identities i where i.contact_id = c.id and i.is_primary) as phone_number
    from contacts c where c.id > ${after} and ${isVisible} order by c.id limit ${limit}`)
