import type { DashboardDay } from '@sendroom/contract/dashboard'
import type { Caller, Recheck } from '../../platform/access.ts'
import { record } from '../../platform/audit.ts'
import type { Pool } from '../../platform/database/connection.ts'
import type { Download, Exports } from '../../platform/export/exports.ts'
import { fileNamePart } from '../../platform/export/file-name.ts'
import { type Column, findToday, readPages, toCsv } from '../../platform/export/tables.ts'
import { orNotFound } from '../../platform/refusal.ts'
import { findInstanceName, listDays } from './days.queries.ts'

const DAYS = 30

/** The last days of all instances that the caller sees, or of one. One that they do not see is not found. */
export async function getDays(db: Pool, caller: Caller, instanceId?: number): Promise<DashboardDay[]> {
  if (instanceId !== undefined) orNotFound(await findInstanceName(db, caller, instanceId))
  return listDays(db, caller, DAYS, instanceId)
}

/** The same as a CSV file. Records the export. */
export async function exportDays(
  { db, exports }: { db: Pool; exports: Exports },
  { caller, recheck }: { caller: Caller; recheck: Recheck },
  instanceId: number | undefined,
  signal: AbortSignal,
): Promise<Download> {
  const findName = async (by: Caller) =>
    instanceId === undefined ? '' : orNotFound(await findInstanceName(db, by, instanceId))
  const name = await findName(caller)
  return exports.open({ caller, signal }, async () => {
    const object =
      instanceId === undefined ? undefined : ({ type: 'instance', id: instanceId, name } as const)
    await db.begin((tx) => record(tx, caller, { action: 'dashboard.export', ...(object && { object }) }))
    const pages = await readPages<DashboardDay>(
      async (last) => (last ? [] : listDays(db, await recheck(), DAYS, instanceId)),
      async () => findName(await recheck()),
    )
    const parts = ['Days', fileNamePart(name), await findToday(db)]
    return { fileName: `${parts.filter(Boolean).join('_')}.csv`, chunks: toCsv(columns, pages) }
  })
}

const columns: Column<DashboardDay>[] = [
  { title: 'Day (GMT+7)', cell: ({ day }) => day },
  { title: 'Sent', cell: ({ sent }) => String(sent) },
  { title: 'Delivered', cell: ({ delivered }) => String(delivered) },
  { title: 'Read', cell: ({ read }) => String(read) },
  { title: 'Failed', cell: ({ failed }) => String(failed) },
]
