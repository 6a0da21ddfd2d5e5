import { limits } from '@sendroom/contract/limits'

/** Slashes lead into folders, Windows refuses the others, and control characters hide what a name is. */
const UNSAFE = /[\\/:*?"<>|\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu

/**
 * A user's name for a file, as recipients see it: no path, nothing that hides or reverses characters, and no beginning
 * of a variable. A name without an ending gets that of its type.
 */
export function cleanFileName(name: string, extension: string): string {
  const base = name.toWellFormed().normalize('NFC').split(/[\\/]/).at(-1) ?? ''
  const safe = base
    .replace(UNSAFE, '_')
    .replace(/\{{2,}/g, '{')
    .replace(/^[.\s]+|[.\s]+$/g, '')
  const [, stem = safe, ending = `.${extension}`] = /^(.+)(\.[\p{L}\p{N}]{1,10})$/u.exec(safe) ?? []
  return cut(stem || 'file', limits.fileNameBytes - Buffer.byteLength(ending)) + ending
}

/** File systems count bytes, and may not cut a character in two. */
function cut(text: string, maxBytes: number): string {
  let bytes = 0
  let end = 0
  for (const character of text) {
    bytes += Buffer.byteLength(character)
    if (bytes > maxBytes) break
    end += character.length
  }
  return text.slice(0, end)
}
