import type { Caller } from '../../platform/access.ts'
import { record } from '../../platform/audit.ts'
import type { Pool } from '../../platform/database/connection.ts'
import { Refusal } from '../../platform/refusal.ts'
import { findGroup, listParticipants, type Participant } from './groups.queries.ts'

export type Export = { fileName: string; file: Buffer }

/** Exports the participants of a group to an Excel file, in memory. A WhatsApp group has about a thousand at most. */
export async function exportParticipants(db: Pool, caller: Caller, groupId: number): Promise<Export> {
  const group = await findGroup(db, caller, groupId)
  if (!group) throw new Refusal('not_found')
  const participants = await listParticipants(db, groupId)
  await record(db, caller, {
    action: 'group.export',
    object: { type: 'group', id: groupId, name: group.name },
  })
  // Loaded here, because exports are rare and the library would slow down every start.
  const { default: writeXlsxFile } = await import('write-excel-file/node')
  const sheet = [header, ...participants.map(rowOf)]
  const file = await writeXlsxFile(sheet, {
    columns: [{ width: 30 }, { width: 32 }, { width: 12 }],
  }).toBuffer()
  return { fileName: fileNameOf(group), file }
}

/** Cells always have the type text, so that a name such as =1+1 never becomes a formula. */
const text = (value: string) => ({ value, type: String })

const header = ['Name', 'Phone number', 'Role'].map((title) => ({
  ...text(title),
  fontWeight: 'bold' as const,
}))

const roles = { creator: 'owner', admin: 'admin', member: 'member' }

const rowOf = ({ personId, name, rank }: Participant) => [
  text(name ?? ''),
  text(personId.endsWith('@lid') ? `${personId} (hidden number)` : `+${personId}`),
  text(roles[rank]),
]

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
