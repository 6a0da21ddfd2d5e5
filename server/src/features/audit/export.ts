import { Readable } from 'node:stream'
import type { AuditEntry, AuditFilter } from '@sendroom/contract/audit'
import type { Caller } from '../../platform/access.ts'
import { record } from '../../platform/audit.ts'
import type { Pool } from '../../platform/database/connection.ts'
import { findToday, listSlice } from './audit.queries.ts'

const MAX_ROWS = 100_000
/** Bounds the memory: an entry may have two texts of 4,000 characters. */
const SLICE = 500

/** Exports the newest entries as a stream of CSV. Records the export itself. */
export async function exportEntries(db: Pool, caller: Caller, filter: AuditFilter, maxRows = MAX_ROWS) {
  await record(db, caller, {
    action: 'audit.export',
    details: { filter: { ...filter, search: filter.search || undefined } },
  })
  // Read before the answer begins: from then on an error could only break the download off.
  const first = await listSlice(db, filter, null, Math.min(SLICE, maxRows))
  const file = Readable.from(lines(db, filter, first, maxRows))
  return { fileName: `Audit_log_${await findToday(db)}.csv`, file }
}

const header = ['Time', 'User', 'Action', 'Object', 'Object id', 'Object name', 'Address', 'Details']

async function* lines(db: Pool, filter: AuditFilter, first: readonly AuditEntry[], maxRows: number) {
  // The byte order mark tells Excel that the file is UTF-8.
  yield `\ufeff${lineOf(header)}`
  let slice = first
  for (let left = maxRows; slice.length > 0; ) {
    yield slice.map((entry) => lineOf(cellsOf(entry))).join('')
    left -= slice.length
    if (slice.length < SLICE || left === 0) return
    slice = await listSlice(db, filter, slice.at(-1)?.id ?? null, Math.min(SLICE, left))
  }
}

const cellsOf = ({
  at,
  userName,
  action,
  objectType,
  objectId,
  objectName,
  address,
  details,
}: AuditEntry) => [
  at,
  userName,
  action,
  objectType ?? '',
  String(objectId ?? ''),
  objectName,
  address,
  JSON.stringify(details),
]

const lineOf = (cells: string[]) => `${cells.map(cellOf).join(',')}\r\n`

/** A spreadsheet takes a cell that begins with one of these signs as a formula. An apostrophe makes it text. */
const cellOf = (text: string) => `"${text.replace(/^[=+\-@\t\r\n]/, "'$&").replaceAll('"', '""')}"`
