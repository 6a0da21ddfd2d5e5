import { z } from 'zod'
import { tagNames } from './contacts.ts'
import { endpoint } from './endpoint.ts'
import { limits } from './limits.ts'
import { listQuery, page } from './paging.ts'
import { isInsertable } from './personal-text.ts'
import { encodings, knownModes, rowProblems, separators } from './table-files.ts'
import { Id, Instant, idList, idParams, key, Named, ReadVersion } from './values.ts'

const Country = z.string().regex(/^[A-Z]{2}$/, key('IMPORT.COUNTRY_INVALID'))

/** A column is part of a contact, the value of a field, or null if the column is left out. */
const ColumnMeaning = z.union([
  z.enum(['phone', 'name', 'note', 'tags']),
  z.object({ field: z.string().max(limits.contactFieldKey) }),
  z.null(),
])
export type ColumnMeaning = z.output<typeof ColumnMeaning>

/** How a file is read. */
const Reading = z.object({
  kind: z.enum(['csv', 'xlsx']),
  encoding: z.enum(encodings).nullable().meta({ description: 'Of a CSV' }),
  separator: z.enum(separators).nullable().meta({ description: 'Of a CSV' }),
  sheet: z.string().nullable().meta({ description: 'Of an xlsx' }),
  hasHeader: z.boolean(),
  columns: z.array(ColumnMeaning).meta({ description: 'The meaning of each column' }),
  country: z.string().meta({ description: 'The country of numbers without +, such as VN' }),
})
export type Reading = z.output<typeof Reading>

const count = (description: string) => z.number().meta({ description })

/** An import of contacts. */
export const Import = z
  .object({
    id: z.number(),
    source: z.enum(['file', 'addressBook', 'groups']),
    fileName: z.string().meta({ description: 'Empty unless the source is a file' }),
    instance: Named.nullable().meta({ description: 'The account, unless the source is a file' }),
    createdByUserName: z.string(),
    createdAt: Instant,
    status: z.enum(['checking', 'checked', 'running', 'done', 'undoing', 'undone']).meta({
      description:
        '`checking`: all rows are being read. `checked`: nothing is stored yet. `running`, `undoing`: in the background',
    }),
    fault: z
      .object({ code: z.string(), params: z.record(z.string(), z.union([z.string(), z.number()])) })
      .nullable()
      .meta({ description: 'The error code for which it can’t be read, while its status is `checked`' }),
    reading: Reading.nullable().meta({ description: 'Null unless the source is a file' }),
    progress: z.object({ done: z.number(), total: z.number().nullable() }).nullable().meta({
      description: 'In rows, while something is done in the background',
    }),
    rows: count('All rows. The five counts add up to them'),
    added: count('New contacts. Until the import has ended, the rows that may become one'),
    changed: count('Contacts that were changed'),
    unchanged: count('Known contacts that were not changed. Until the import has ended, all that are known'),
    twice: count('Rows of a person who is in an earlier row'),
    refused: count('Rows that could not be used'),
    known: z.enum(knownModes).nullable().meta({ description: 'What was done to known contacts' }),
    list: Named.nullable(),
    tags: z.array(z.string()),
    consent: z.string().meta({ description: 'Why these people may be written to, in the words of the user' }),
    startedByUserName: z.string(),
    startedAt: Instant.nullable(),
    endedAt: Instant.nullable(),
    undone: z
      .object({
        removed: count('New contacts that were deleted, and changed ones that are as before'),
        kept: count('Contacts that stay, because they were used or changed since'),
        gone: count('Contacts that could not be removed: somebody has deleted them, or what they had before'),
      })
      .nullable(),
    canBeUndone: z.boolean(),
    hasProblems: z.boolean().meta({ description: 'Whether there are rows to download' }),
    version: z.number(),
  })
  .meta({ id: 'Import' })
export type Import = z.output<typeof Import>

const RowProblem = z.object({
  code: z.enum(rowProblems),
  params: z.record(z.string(), z.union([z.string(), z.number()])),
})
export type RowProblem = z.output<typeof RowProblem>

/** The first rows of an import, as they are understood. */
export const ImportPreview = z
  .object({
    isGuess: z.boolean().meta({ description: 'Whether the encoding is only a guess' }),
    sheets: z.array(z.string()),
    header: z.array(z.string()).nullable(),
    rows: z.array(
      z.object({
        number: z.number(),
        cells: z.array(z.string()),
        problem: RowProblem.nullable(),
      }),
    ),
  })
  .meta({ id: 'ImportPreview' })
export type ImportPreview = z.output<typeof ImportPreview>

/** A user's choices instead of what was recognised. Whatever is left out is recognised anew. */
export const ReadingChange = z.object({
  encoding: z.enum(encodings).optional(),
  separator: z.enum(separators).optional(),
  sheet: z.string().max(limits.importSheet).optional(),
  hasHeader: z.boolean().optional(),
  columns: z
    .array(ColumnMeaning)
    .max(limits.importColumns)
    .refine(isEachOnce, key('IMPORT.COLUMNS_TWICE'))
    .optional(),
  country: Country,
  version: ReadVersion,
})
export type ReadingChange = z.output<typeof ReadingChange>

function isEachOnce(columns: ColumnMeaning[]): boolean {
  const meanings = columns.filter((column) => column !== null).map((column) => JSON.stringify(column))
  return new Set(meanings).size === meanings.length
}

export const ImportStart = z.object({
  known: z.enum(knownModes),
  listId: Id.nullable().default(null),
  tags: tagNames,
  consent: z
    .string(key('IMPORT.CONSENT_REQUIRED'))
    .trim()
    .min(1, key('IMPORT.CONSENT_REQUIRED'))
    .max(limits.importConsent, key('IMPORT.CONSENT_REQUIRED'))
    .refine(isInsertable, key('IMPORT.CONSENT_REQUIRED')),
  version: ReadVersion,
})
export type ImportStart = z.output<typeof ImportStart>

/** Without groups: the account's address book. */
export const ImportFromInstance = z.object({
  instanceId: Id,
  groupIds: idList(1000).default([]),
})
export type ImportFromInstance = z.output<typeof ImportFromInstance>

const access = 'canManageContacts'

export const imports = {
  list: endpoint({
    method: 'GET',
    path: '/imports',
    access,
    summary: 'Your imports of contacts, the newest first. Admins see all',
    query: listQuery(['id'], { sortBy: 'id', sortDirection: 'desc' }).pick({ page: true, pageSize: true }),
    response: page(Import),
  }),
  get: endpoint({
    method: 'GET',
    path: '/imports/:id',
    access,
    summary: 'One import',
    params: idParams,
    response: Import,
  }),
  preview: endpoint({
    method: 'GET',
    path: '/imports/:id/preview',
    access,
    summary: 'The first rows of an import that has not begun, as they are understood',
    params: idParams,
    response: ImportPreview,
  }),
  upload: endpoint({
    method: 'POST',
    path: '/imports',
    access,
    summary: `Upload a CSV or xlsx of at most ${limits.importMegabytes} MB as the field \`file\` of a form. All rows are checked, and none is stored`,
    upload: 'file',
    response: Import,
    status: 201,
  }),
  fromInstance: endpoint({
    method: 'POST',
    path: '/imports/from-account',
    access,
    summary:
      'Read the address book of an account, or the members of groups, which needs the right to export them. None is stored',
    body: ImportFromInstance,
    response: Import,
    status: 201,
  }),
  read: endpoint({
    method: 'PUT',
    path: '/imports/:id',
    access,
    summary: 'Change how the file is read, and check all rows anew',
    params: idParams,
    body: ReadingChange,
    response: Import,
  }),
  start: endpoint({
    method: 'POST',
    path: '/imports/:id/start',
    access,
    summary: 'Store the contacts of a checked import, in the background',
    params: idParams,
    body: ImportStart,
    response: Import,
  }),
  undo: endpoint({
    method: 'POST',
    path: '/imports/:id/undo',
    access,
    summary: `Undo an import within ${limits.importDays} days, in the background`,
    params: idParams,
    response: Import,
  }),
  remove: endpoint({
    method: 'DELETE',
    path: '/imports/:id',
    access,
    summary: 'Remove an import that has not begun, with its file',
    params: idParams,
  }),
  problems: endpoint({
    method: 'GET',
    path: '/imports/:id/problems',
    access,
    summary: 'The rows that were not imported, as CSV: their columns, their numbers and the reasons',
    params: idParams,
    download: 'text/csv; charset=utf-8',
  }),
}
