import { hasFile } from '@sendroom/contract/captions'
import type { FileKind } from '@sendroom/contract/files'
import { limits } from '@sendroom/contract/limits'
import type { MessageContent, NewContent } from '@sendroom/contract/message-content'
import { type Caller, canSeeInstance, canSeeMessage } from './access.ts'
import type { Db } from './database/connection.ts'
import { identifier, sql } from './database/sql.ts'
import { InvalidInput } from './refusal.ts'

/** A content as messages and jobs store it. The facts of a file are in `files`. */
export type StoredContent = Exclude<MessageContent, { file: string }> | { kind: FileKind; fileName: string }

/** The columns of a message or a job. */
export type ContentColumns = { content: StoredContent | null; fileId: number | null }

export const noContent: ContentColumns = { content: null, fileId: null }

/** SQL expression: the content of a row of messages or jobs as the contract has it, or null. */
export const contentOf = (row: string) => sql`(
  ${identifier(`${row}.content`)} || coalesce((
    select jsonb_build_object('file', f.name, 'mimeType', f.mime_type, 'size', f.size, 'seconds', f.seconds)
    from files f where f.id = ${identifier(`${row}.file_id`)}), '{}'))`

/**
 * Condition that always holds. Triggers keep programs that do not know contents from losing one: see
 * migrations/0074-message-content.sql.
 */
export const knowsContent = sql`set_config('sendroom.knows_content', 'true', true) = 'true'`

/** Whether a message of this kind can mention people: a text, an image or a video. The provider knows no others. */
export const canMention = (content: StoredContent | null) => content === null || content.kind === 'video'

/** The most characters that a text may have beside this content. */
export const longestText = (content: { kind: string } | null | undefined) =>
  content?.kind === 'poll' ? limits.pollQuestion : limits.messageText

/**
 * Keeps the file from being deleted until the transaction ends. Throws if the caller has no such file, or it is not of
 * this kind.
 */
export async function storeContent(
  tx: Db,
  caller: Caller,
  content: NewContent | null | undefined,
): Promise<ContentColumns> {
  if (!content) return noContent
  if (!hasFile(content)) return { content, fileId: null }
  const { kind, fileName, file: name } = content
  const file = await tx.maybeOne<{ id: number; kinds: string[] }>(sql`
    select id, kinds from files f where name = ${name} and ${mayUseFile(caller)} for key share of f`)
  if (!file) throw new InvalidInput({ content: 'MESSAGE.FILE_GONE' })
  if (!file.kinds.includes(kind)) throw new InvalidInput({ content: 'MESSAGE.FILE_NOT_PLAYABLE' })
  return { content: { kind, fileName }, fileId: file.id }
}

/** SQL condition: the caller has uploaded the file `f`, or sees a message or a job that uses it. */
const mayUseFile = (caller: Caller) => sql`(
  f.user_id = ${caller.id}
  or exists (select from messages m where m.file_id = f.id and ${canSeeMessage(caller, 'm')})
  or exists (select from jobs j where j.file_id = f.id and ${canSeeInstance(caller, 'j.instance_id')})
)`

/** The text of a message as it is stored and read: without a caption, the name of the file. */
export const textWith = (text: string, content: StoredContent | NewContent | null): string =>
  text.trim() === '' && content && 'fileName' in content ? content.fileName : text
