import type { Task } from '../../platform/heavy/worker-thread.ts'
import type { Participant } from './groups.queries.ts'

/** Builds the Excel file with a row for each participant, of their JSON text. */
export async function buildSheet(json: string): Promise<Uint8Array<ArrayBuffer>> {
  const participants: Participant[] = JSON.parse(json)
  // Loaded here, because only the worker thread needs the library.
  const { default: writeXlsxFile } = await import('write-excel-file/node')
  const sheet = [header, ...participants.map(rowOf)]
  const file = await writeXlsxFile(sheet, {
    columns: [{ width: 30 }, { width: 32 }, { width: 12 }],
  }).toBuffer()
  return new Uint8Array(file)
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

export const buildSheetTask: Task<string, Uint8Array<ArrayBuffer>> = {
  module: import.meta.url,
  run: buildSheet,
}
