import type { Contact, ContactExport } from '@sendroom/contract/contacts'
import { limits } from '@sendroom/contract/limits'
import type { Begin, Caller, Recheck } from '../../platform/access.ts'
import { record } from '../../platform/audit.ts'
import { selectedBy } from '../../platform/contacts/filter.ts'
import type { Pool } from '../../platform/database/connection.ts'
import type { Download, Exports } from '../../platform/export/exports.ts'
import { type Column, findToday, readPages, toCsv, toXlsx } from '../../platform/export/tables.ts'
import { listContactsAfter } from './contacts.queries.ts'

import { listFields } from './fields.queries.ts'

/** Exports some contacts, or all that match a filter, by their ids. */
export async function exportContacts(
  { db, exports }: { db: Pool; exports: Exports },
  { caller, begin, recheck }: { caller: Caller; begin: Begin; recheck: Recheck },
  { format, language, ...selection }: ContactExport & { format: 'csv' | 'xlsx' },
  signal: AbortSignal,
): Promise<Download> {
  const selected = await selectedBy(db, selection)
  return exports.open({ caller, signal }, async () => {
    const columns = columnsOf(await listFields(db))
    const pages = await readPages<Contact>((last) => listContactsAfter(db, selected, last?.id ?? 0), recheck)
    await begin((tx, now) => record(tx, now, { action: 'contact.export', details: recorded(selection) }))
    const chunks =
      format === 'csv' ? toCsv(columns, pages, language === 'vi' ? ';' : ',') : toXlsx(columns, pages)
    return { fileName: `Contacts_${await findToday(db)}.${format}`, chunks }
  })
}

/** The audit log can't be changed, so it gets neither searches nor values: somebody may be forgotten. */
const recorded = ({ ids, filter }: Omit<ContactExport, 'language'>) =>
  filter
    ? {
        filter: {
          search: filter.search !== '',
          listId: filter.listId,
          importId: filter.importId,
          isOptedOut: filter.isOptedOut,
          tagIds: filter.tagIds,
          fields: filter.fields.map(({ key }) => key),
        },
      }
    : { count: ids?.length }

const columnsOf = (fields: readonly { key: string; name: string }[]): Column<Contact>[] => [
  { title: 'Name', width: 30, cell: ({ name }) => name },
  ...Array.from({ length: limits.contactNumbers }, (_, place) => ({
    title: place === 0 ? 'Phone number' : `Phone number ${place + 1}`,
    width: 18,
    cell: ({ phoneNumbers }: Contact) => phoneNumbers[place] ?? '',
  })),
  { title: 'Hidden number (LID)', width: 18, cell: ({ lid }) => lid ?? '' },
  { title: 'Tags', width: 30, cell: ({ tags }) => tags.map(({ name }) => name).join(', ') },
  ...fields.map(({ key, name }) => ({
    title: name,
    width: 18,
    cell: ({ values }: Contact) => String(values[key] ?? ''),
  })),
  { title: 'Note', width: 40, cell: ({ note }) => note },
  { title: 'Created at (UTC)', width: 20, cell: ({ createdAt }) => createdAt.slice(0, 19).replace('T', ' ') },
]
