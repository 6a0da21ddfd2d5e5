import type { AuditEntry, AuditFilter } from '@sendroom/contract/audit'
import type { Caller, Recheck } from '../../platform/access.ts'
import { record } from '../../platform/audit.ts'
import type { Pool } from '../../platform/database/connection.ts'
import type { Download, Exports } from '../../platform/export/exports.ts'
import { type Column, findToday, readPages, toCsv } from '../../platform/export/tables.ts'
import { listSlice } from './audit.queries.ts'

const MAX_ROWS = 100_000
/** Bounds the memory: an entry may have two texts of 4,000 characters. */
const SLICE = 500

/** Exports the newest entries as a stream of CSV. Records the export itself. */
export const exportEntries = (
  { db, exports }: { db: Pool; exports: Exports },
  { caller, recheck }: { caller: Caller; recheck: Recheck },
  filter: AuditFilter,
  signal: AbortSignal,
  maxRows = MAX_ROWS,
): Promise<Download> =>
  exports.open({ caller, signal }, async () => {
    const details = { filter: { ...filter, search: filter.search || undefined } }
    await db.begin((tx) => record(tx, caller, { action: 'audit.export', details }))
    let left = maxRows
    const pages = await readPages<AuditEntry>(async (last) => {
      const slice = await listSlice(db, filter, last?.id ?? null, Math.min(SLICE, left))
      left -= slice.length
      return slice
    }, recheck)
    return { fileName: `Audit_log_${await findToday(db)}.csv`, chunks: toCsv(columns, pages) }
  })

const columns: Column<AuditEntry>[] = [
  { title: 'Time', cell: ({ at }) => at },
  { title: 'User', cell: ({ userName }) => userName },
  { title: 'Action', cell: ({ action }) => action },
  { title: 'Object', cell: ({ objectType }) => objectType ?? '' },
  { title: 'Object id', cell: ({ objectId }) => String(objectId ?? '') },
  { title: 'Object name', cell: ({ objectName }) => objectName },
  { title: 'Address', cell: ({ address }) => address },
  { title: 'Details', cell: ({ details }) => JSON.stringify(details) },
]
