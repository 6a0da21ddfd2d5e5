import type { OptOut, OptOutExport } from '@sendroom/contract/opt-outs'
import type { Begin, Caller, Recheck } from '../../platform/access.ts'
import { record } from '../../platform/audit.ts'
import type { Pool } from '../../platform/database/connection.ts'
import type { Download, Exports } from '../../platform/export/exports.ts'
import { type Column, findToday, readPages, toCsv, toXlsx } from '../../platform/export/tables.ts'
import { listOptOutsAfter } from './opt-outs.queries.ts'

export const exportOptOuts = (
  { db, exports }: { db: Pool; exports: Exports },
  { caller, begin, recheck }: { caller: Caller; begin: Begin; recheck: Recheck },
  { format, language, search, only }: OptOutExport & { format: 'csv' | 'xlsx' },
  signal: AbortSignal,
): Promise<Download> =>
  exports.open({ caller, signal }, async () => {
    const read = await listOptOutsAfter(db, caller, { search, only })
    const pages = await readPages<OptOut>((last) => read(last?.id ?? 0), recheck)
    // The audit log can't be changed, so it gets no search, which may name a person.
    const details = { filter: { search: search !== '', only } }
    await begin((tx, now) => record(tx, now, { action: 'opt_out.export', details }))
    const chunks =
      format === 'csv' ? toCsv(columns, pages, language === 'vi' ? ';' : ',') : toXlsx(columns, pages)
    return { fileName: `OptOuts_${await findToday(db)}.${format}`, chunks }
  })

const time = (instant: string | null) => instant?.slice(0, 19).replace('T', ' ') ?? ''

const columns: Column<OptOut>[] = [
  { title: 'Phone number', width: 18, cell: ({ phoneNumber }) => phoneNumber ?? '' },
  { title: 'Hidden number (LID)', width: 18, cell: ({ lid }) => lid ?? '' },
  { title: 'Contact', width: 30, cell: ({ contact }) => contact?.name ?? '' },
  { title: 'Source', width: 12, cell: ({ source }) => source },
  { title: 'Words or note', width: 40, cell: ({ words }) => words },
  { title: 'Account', width: 20, cell: ({ instance }) => instance?.name ?? '' },
  { title: 'For all accounts', width: 16, cell: ({ isForAll }) => (isForAll ? 'yes' : 'no') },
  { title: 'Opted out at (UTC)', width: 20, cell: ({ saidAt }) => time(saidAt) },
  { title: 'Entered by', width: 20, cell: ({ createdBy }) => createdBy ?? '' },
  { title: 'Holds', width: 8, cell: ({ holds }) => (holds ? 'yes' : 'no') },
  { title: 'Ended at (UTC)', width: 20, cell: ({ endedAt }) => time(endedAt) },
  { title: 'Ended by', width: 20, cell: ({ endedBy }) => endedBy ?? '' },
  { title: 'Reason of the end', width: 40, cell: ({ endedReason }) => endedReason ?? '' },
  { title: 'Same person as', width: 18, cell: ({ sameAs }) => sameAs ?? '' },
]
