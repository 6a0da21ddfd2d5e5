import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { LedgerEntry } from '@sendroom/simulator'
import type { Db } from '../../src/platform/database/connection.ts'
import { sql } from '../../src/platform/database/sql.ts'
import type { ContentColumns } from '../../src/platform/message-content.ts'

/** The kinds of messages beside texts and images. Of these, a voice message can't be recognised with certainty. */
export const contentKinds = ['video', 'voice', 'document', 'poll', 'location'] as const
export type ContentKind = (typeof contentKinds)[number]

const fixtures = { video: 'video.mp4', voice: 'voice.ogg', document: 'sound.mp3' }
const NAME = /^chaos-(video|voice|document)-(\d+)$/

/** The content of a job. */
export async function addContent(tx: Db, kind: ContentKind, index: number): Promise<ContentColumns> {
  if (kind === 'poll')
    return { content: { kind, options: ['Yes', `No ${index}`], allowsSeveral: false }, fileId: null }
  if (kind === 'location')
    return { content: { kind, latitude: 10 + index / 100, longitude: 106.7, address: '' }, fileId: null }
  const name = `chaos-${kind}-${index}`
  const bytes = bytesOf(name)
  const { id } = await tx.one<{ id: number }>(sql`
    insert into files (name, mime_type, size, sha256, kinds, seconds)
    values (${name}, 'application/octet-stream', ${bytes.length}, ${createHash('sha256').update(bytes).digest()},
      '{video,voice,document}', ${secondsOf(index)})
    on conflict (name) do update set name = excluded.name returning id`)
  return { content: { kind, fileName: `${kind}.bin` }, fileId: id }
}

/** The length tells which job a voice message in the ledger belongs to. */
export const secondsOf = (index: number) => index + 1

/** The file with this name: of each job another one. Throws for any other name. */
export function bytesOf(name: string): Buffer {
  const [, kind, index] = NAME.exec(name) ?? []
  if (!kind) throw new Error(`There is no file ${name}`)
  const file = readFileSync(
    new URL(`../fixtures/files/${fixtures[kind as keyof typeof fixtures]}`, import.meta.url),
  )
  return Buffer.concat([file, freeBox(Number(index))])
}

/** A box that players of MP4 skip. */
function freeBox(content: number): Buffer {
  const box = Buffer.alloc(12)
  box.writeUInt32BE(12)
  box.write('free', 4)
  box.writeUInt32BE(content, 8)
  return box
}

/** The text by which the ledger shows whose message an entry is. */
export const ledgerText = ({ body, caption, poll, location, seconds }: LedgerEntry) =>
  body ?? caption ?? poll?.title ?? location?.name ?? `${seconds} s`

/** A text with a variable, which stands for the chat's id. */
export const personal = (textContent: string) => ({
  textContent,
  writeTexts: async (tx: Db, jobId: number) => {
    await tx.run(sql`
      insert into delivery_texts (delivery_id, text)
      select id, replace(${textContent}, '{{name}}', chat_id) from deliveries where job_id = ${jobId}`)
    return 0
  },
})
