/*
 * How a text belongs to the content of its message. Without zod, because pages that only show messages load this file.
 */

export const hasFile = <C extends { kind: string }>(
  content: C | null | undefined,
): content is Extract<C, { file: string }> => content !== null && content !== undefined && 'file' in content

/** Whether WhatsApp shows a caption with messages of this kind. */
export const hasCaption = (kind: string) => kind !== 'audio' && kind !== 'voice'

type Written = { textContent: string; content: { kind: string; fileName?: string } | null }

/**
 * The text that goes with a message. A file without a caption has its name as `textContent`, and so at first has a
 * voice message, whose text may be changed and is never sent.
 */
export const captionOf = ({ textContent, content }: Written): string =>
  content && (textContent.trim() === content.fileName || !hasCaption(content.kind)) ? '' : textContent
