import { hiddenInNames } from '@sendroom/contract/file-names'
import { limits } from '@sendroom/contract/limits'

/** Slashes lead into folders, and Windows refuses the others. */
const UNSAFE = new RegExp(String.raw`[\\/:*?"<>|]|${hiddenInNames}`, 'gu')

/** The patterns below look at pairs of characters in the worst case, and a form may bring 80 kB of dots. */
const MAX_CHARACTERS = 1000

/**
 * A user's name for a file, as recipients see it: no path, nothing that hides or reverses characters, and no beginning
 * of a variable. A name without an ending gets that of its type.
 */
export function cleanFileName(name: string, extension: string): string {
  const base = name.split(/[\\/]/).at(-1) ?? ''
  const safe = shorten(base)
    .toWellFormed()
    .normalize('NFC')
    .replace(UNSAFE, '_')
    .replace(/\{{2,}/g, '{')
    .replace(/^[.\s]+|[.\s]+$/g, '')
  const [, stem = safe, ending = `.${extension}`] = /^(.+)(\.[\p{L}\p{N}]{1,10})$/u.exec(safe) ?? []
  return cut(stem || 'file', limits.fileName - Buffer.byteLength(ending)) + ending
}

/** Keeps the beginning and the end, which has the ending. */
const shorten = (name: string) =>
  name.length > MAX_CHARACTERS ? name.slice(0, MAX_CHARACTERS / 2) + name.slice(-MAX_CHARACTERS / 2) : name

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
