/** Writes texts in encodings that Node can only read. The tables come from its decoders. */
function tableOf(encoding: string, sequences: Iterable<number[]>): Map<string, number[]> {
  const decoder = new TextDecoder(encoding)
  const table = new Map<string, number[]>()
  for (const bytes of sequences) {
    const character = decoder.decode(Uint8Array.from(bytes))
    if (!table.has(character)) table.set(character, bytes)
  }
  return table
}

const singles = Array.from({ length: 256 }, (_, byte) => [byte])

function encodeWith(table: Map<string, number[]>, text: Iterable<string>): Buffer {
  const bytes = Array.from(text, (character) => {
    const found = table.get(character)
    if (!found) throw new Error(`${character} is not in this encoding`)
    return found
  })
  return Buffer.from(bytes.flat())
}

const windows1258 = tableOf('windows-1258', singles)

/** Tones that no single byte has follow their vowel, as Windows writes them. */
export function encodeWindows1258(text: string): Buffer {
  const characters = [...text.normalize('NFC')].flatMap((character) => {
    if (windows1258.has(character)) return character
    const [, tone = ''] = /([\u0300\u0301\u0303\u0309\u0323])/.exec(character.normalize('NFD')) ?? []
    return [character.normalize('NFD').replace(tone, '').normalize('NFC'), tone]
  })
  return encodeWith(windows1258, characters)
}

let gb18030: Map<string, number[]> | undefined

/** Encodes ASCII and the characters of two bytes, which nearly all Chinese texts are made of. */
export function encodeGb18030(text: string): Buffer {
  const ascii = singles.slice(0, 128)
  const pairs = Array.from({ length: 126 * 190 }, (_, n) => [0x81 + Math.floor(n / 190), 0x40 + (n % 190)])
  gb18030 ??= tableOf('gb18030', [...ascii, ...pairs])
  return encodeWith(gb18030, text)
}

export function encodeUtf16(text: string, { bigEndian = false, mark = true } = {}): Buffer {
  const bytes = Buffer.from(mark ? `\ufeff${text}` : text, 'utf16le')
  return bigEndian ? bytes.swap16() : bytes
}
