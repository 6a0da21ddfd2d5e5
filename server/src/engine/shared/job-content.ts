import { captionOf } from '@sendroom/contract/captions'
import { sql } from '../../platform/database/sql.ts'
import type { StoredContent } from '../../platform/message-content.ts'
import type { OutgoingContent } from '../../providers/provider.ts'

/** The content of a job's messages, without the text, which may be the recipient's own. */
export type JobContent = {
  /** Null for a text, and for an image. */
  content: StoredContent | null
  hasImage: boolean
  file: FileFacts | null
}

/** `sha256` in hex, `size` in bytes. */
type FileFacts = { sha256: string; size: number; seconds: number | null }

/** The columns of `JobContent`, of the job `j`. */
export const jobContent = sql`
  j.content, j.image_id is not null as has_image, (
    select jsonb_build_object('sha256', encode(f.sha256, 'hex'), 'size', f.size, 'seconds', f.seconds)
    from files f where f.id = j.file_id
  ) as file`

/**
 * The content of a message as the provider takes it.
 *
 * @param mediaId the id of the uploaded image or file; null for a message without one
 */
export function outgoingContent(
  { content, hasImage, file, text }: JobContent & { text: string },
  mediaId: string | null,
): OutgoingContent {
  if (content?.kind === 'poll') return { ...content, question: text }
  if (content?.kind === 'location') return { ...content, name: text }
  if (mediaId === null) return { kind: 'text', text }
  const caption = captionOf({ textContent: text, content })
  if (content === null) return hasImage ? { kind: 'image', mediaId, caption } : { kind: 'text', text }
  switch (content.kind) {
    case 'video':
      return { kind: 'video', mediaId, caption }
    case 'document':
      return { kind: 'document', mediaId, caption, fileName: content.fileName }
    default:
      return { kind: content.kind, mediaId, seconds: file?.seconds ?? null }
  }
}
