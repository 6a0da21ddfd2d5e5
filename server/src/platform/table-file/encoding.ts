import type { Encoding } from '@sendroom/contract/table-files'
import { readStart, type TableSource } from './source.ts'

/** A guess may be wrong, so somebody should look at the text first. */
export type DetectedEncoding = { encoding: Encoding; isGuess: boolean }

/** So many bytes show which encoding the text is likely to have. */
const SAMPLE_BYTES = 1 << 18

/** Detects by the byte order mark, then by what the whole file allows, then by which letters the bytes would be. */
export async function detectEncoding(source: TableSource): Promise<DetectedEncoding> {
  const sample = await readStart(source, SAMPLE_BYTES)
  const marked = byteOrderMark(sample)
  if (marked) return { encoding: marked, isGuess: false }
  const wide = utf16(sample)
  if (wide) return { encoding: wide, isGuess: false }
  if (await isUtf8(source)) return { encoding: 'utf-8', isGuess: false }
  return { encoding: guess(sample), isGuess: true }
}

/** Yields the file's text, without a byte order mark. Bytes that mean nothing in the encoding become U+FFFD. */
export async function* readText(source: TableSource, encoding: Encoding): AsyncGenerator<string> {
  const decoder = new TextDecoder(encoding)
  for await (const bytes of source.read()) yield decoder.decode(bytes, { stream: true })
  yield decoder.decode()
}

function byteOrderMark(bytes: Buffer): Encoding | null {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le'
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be'
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 'utf-8' : null
}

/** In UTF-16, digits, separators and Latin letters have a zero byte each. Other texts have none. */
function utf16(bytes: Buffer): Encoding | null {
  const zeros = [0, 0] // at even and at odd places
  for (const [index, byte] of bytes.entries()) if (byte === 0) zeros[index % 2] = (zeros[index % 2] ?? 0) + 1
  const [even = 0, odd = 0] = zeros
  if (even + odd < bytes.length / 20) return null
  return odd > even ? 'utf-16le' : 'utf-16be'
}

/** Reads the whole file: the first accent may be on its last page. A character that is cut off at the end counts. */
async function isUtf8(source: TableSource): Promise<boolean> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  try {
    for await (const bytes of source.read()) decoder.decode(bytes, { stream: true })
    return true
  } catch (error) {
    if (error instanceof TypeError) return false
    throw error
  }
}

function guess(sample: Buffer): Encoding {
  const bytes = sample.toString('latin1')
  if (isChinese(bytes)) return 'gb18030'
  return VIETNAMESE.test(bytes) ? 'windows-1258' : 'windows-1252'
}

/**
 * Chinese characters in common use are pairs of bytes, most of them with a first byte from B0 to D7. In other encodings
 * accented letters mostly stand alone between ASCII letters. Vietnamese vowels with a tone are pairs too, from E2 on.
 */
function isChinese(bytes: string): boolean {
  const runs = bytes.match(/[\x80-\xff]+/g) ?? []
  const paired = runs.filter((run) => run.length % 2 === 0 && /^[\xa1-\xf7][\xa1-\xfe]/.test(run))
  const common = bytes.match(/[\xb0-\xd7][\xa1-\xfe]/g) ?? []
  return paired.length > runs.length * 0.8 && common.length * 4 > paired.join('').length
}

/**
 * Windows-1258 writes the tone as a byte after the vowel, and has đ where windows-1252 has the Icelandic ð. A word
 * with such a sign is hardly possible in another language.
 */
const VIETNAMESE =
  /[aeiouyAEIOUY\xc2\xc3\xca\xd4\xd5\xdd\xe2\xe3\xea\xf4\xf5\xfd][\xcc\xd2\xde\xec\xf2]|[\xd0\xf0]/
