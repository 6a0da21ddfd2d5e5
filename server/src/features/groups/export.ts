import type { Caller, Recheck } from '../../platform/access.ts'
import { record } from '../../platform/audit.ts'
import type { Pool } from '../../platform/database/connection.ts'
import type { Download, Exports } from '../../platform/export/exports.ts'
import { fileNamePart } from '../../platform/export/file-name.ts'
import { type Column, findToday, readPages, toXlsx } from '../../platform/export/tables.ts'
import { orNotFound, Refusal } from '../../platform/refusal.ts'
import { findGroup, listParticipants, type Participant } from './groups.queries.ts'

/** Exports the participants of a group to an Excel file. */
export async function exportParticipants(
  { db, exports }: { db: Pool; exports: Exports },
  { caller, recheck }: { caller: Caller; recheck: Recheck },
  groupId: number,
  signal: AbortSignal,
): Promise<Download> {
  const { isChannel, ...group } = orNotFound(await findGroup(db, caller, groupId))
  if (isChannel) throw new Refusal('channel_without_members')
  return exports.open({ caller, signal }, async () => {
    const pages = await readPages<Participant>(
      (last) => listParticipants(db, groupId, last),
      async () => orNotFound(await findGroup(db, await recheck(), groupId)),
    )
    await db.begin((tx) =>
      record(tx, caller, { action: 'group.export', object: { type: 'group', ...group } }),
    )
    return {
      fileName: `Participants_${fileNamePart(group.name)}_${await findToday(db)}.xlsx`,
      chunks: toXlsx(columns, pages),
    }
  })
}

const roles = { creator: 'owner', admin: 'admin', member: 'member' }

const columns: Column<Participant>[] = [
  { title: 'Name', width: 30, cell: ({ name }) => name ?? '' },
  { title: 'Phone number', width: 32, cell: ({ personId }) => numberOf(personId) },
  { title: 'Role', width: 12, cell: ({ rank }) => roles[rank] },
]

const numberOf = (personId: string) =>
  personId.endsWith('@lid') ? `${personId} (hidden number)` : `+${personId}`
