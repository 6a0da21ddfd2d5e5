import type { Caller } from '../../platform/access.ts'
import { record } from '../../platform/audit.ts'
import type { Pool } from '../../platform/database/connection.ts'
import type { HeavyWork } from '../../platform/heavy/heavy-work.ts'
import { orNotFound } from '../../platform/refusal.ts'
import { findGroup, listParticipants } from './groups.queries.ts'
import { buildSheetTask } from './sheet.ts'

export type Export = { fileName: string; file: Buffer }

/** Exports the participants of a group to an Excel file, in memory. */
export async function exportParticipants(
  { db, heavyWork }: { db: Pool; heavyWork: HeavyWork },
  caller: Caller,
  groupId: number,
  signal: AbortSignal,
): Promise<Export> {
  const group = orNotFound(await findGroup(db, caller, groupId))
  const object = { type: 'group', id: groupId, name: group.name } as const
  const file = await heavyWork.run({ userId: caller.id, signal }, async ({ inWorker }) => {
    const participants = await listParticipants(db, groupId)
    await record(db, caller, { action: 'group.export', object })
    return inWorker(buildSheetTask, participants)
  })
  return { fileName: fileNameOf(group), file: Buffer.from(file.buffer, file.byteOffset, file.byteLength) }
}

const MAX_NAME_LENGTH = 100

/** Replaces characters that file systems refuse or that reverse the direction of the text. */
function fileNameOf({ name, today }: { name: string; today: string }): string {
  const safe = name.replace(/[\\/:*?"<>|\p{Cc}\p{Bidi_Control}]/gu, '_').trim()
  const short = [...safe].slice(0, MAX_NAME_LENGTH).join('')
  return `Participants_${short}_${today}.xlsx`
}

/** The header of RFC 6266, with the name in UTF-8 (RFC 5987) and in ASCII for older clients. */
export function contentDisposition(fileName: string): string {
  const ascii = fileName
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .replace(/[^\x20-\x7e]|%/g, '_')
  const escaped = (sign: string) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`
  const utf8 = encodeURIComponent(fileName.toWellFormed()).replace(/['()*]/g, escaped)
  return `attachment; filename="${ascii}"; filename*=UTF-8''${utf8}`
}
