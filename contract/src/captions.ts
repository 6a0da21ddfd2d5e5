/*
 * How a text belongs to the content of its message. Without zod, because pages that only show messages load this file.
 */

export const hasFile = <C extends { kind: string }>(
  content: C | null | undefined,
): content is Extract<C, { file: string }> => content !== null && content !== undefined && 'file' in content

type Written = { textContent: string; content: { kind: string; fileName?: string } | null }

/** The text that goes with a file. A message without one has the name of its file as `textContent`. */
export const captionOf = ({ textContent, content }: Written): string =>
  textContent === content?.fileName ? '' : textContent
