import { constants, crc32, deflateRawSync } from 'node:zlib'

/** A part of a zip: its text, or bytes that are compressed already and the size that the zip claims for them. */
export type ZipPart = string | { deflated: Buffer; claimedSize: number; crc?: number }

/** Makes a zip as bytes, also one that no program would write. */
export function zipOf(parts: Record<string, ZipPart>): Buffer {
  const files: Buffer[] = []
  const directory: Buffer[] = []
  let offset = 0
  for (const [name, part] of Object.entries(parts)) {
    const { deflated, claimedSize, crc = 0 } = typeof part === 'string' ? deflate(part) : part
    const fields = Buffer.alloc(26)
    fields.writeUInt16LE(20, 0) // version
    fields.writeUInt16LE(0x800, 2) // names are UTF-8
    fields.writeUInt16LE(8, 4) // deflate
    fields.writeUInt32LE(crc, 10)
    fields.writeUInt32LE(deflated.length, 14)
    fields.writeUInt32LE(claimedSize, 18)
    fields.writeUInt16LE(Buffer.byteLength(name), 22)
    const place = Buffer.alloc(14)
    place.writeUInt32LE(offset, 10)
    const file = Buffer.concat([Buffer.from('PK\x03\x04'), fields, Buffer.from(name), deflated])
    directory.push(Buffer.from('PK\x01\x02\x14\x00', 'latin1'), fields, place, Buffer.from(name))
    files.push(file)
    offset += file.length
  }
  const listed = Buffer.concat(directory)
  const end = Buffer.alloc(18)
  end.writeUInt16LE(files.length, 4)
  end.writeUInt16LE(files.length, 6)
  end.writeUInt32LE(listed.length, 8)
  end.writeUInt32LE(offset, 12)
  return Buffer.concat([...files, listed, Buffer.from('PK\x05\x06', 'latin1'), end])
}

function deflate(text: string) {
  const bytes = Buffer.from(text)
  return { deflated: deflateRawSync(bytes), claimedSize: bytes.length, crc: crc32(bytes) }
}

/** Compresses `start`, then as many spaces as wanted, of which each million takes a thousand bytes. */
export function deflateWithSpaces(start: string, megabytes: number): Buffer {
  const flush = { finishFlush: constants.Z_FULL_FLUSH }
  const spaces = deflateRawSync(Buffer.alloc(1 << 20, ' '), flush)
  const end = deflateRawSync(Buffer.alloc(0))
  return Buffer.concat([
    deflateRawSync(Buffer.from(start), flush),
    ...Array.from({ length: megabytes }, () => spaces),
    end,
  ])
}

const RELATION_TYPE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
const relations = (targets: Record<string, string>) =>
  `<?xml version="1.0"?><Relationships>${Object.entries(targets)
    .map(
      ([target, type], n) =>
        `<Relationship Id="rId${n}" Type="${RELATION_TYPE}/${type}" Target="${target}"/>`,
    )
    .join('')}</Relationships>`

/** The parts of an xlsx. `sheets` are what stands between the tags of `sheetData`, by name. */
export function xlsxParts(
  sheets: Record<string, string>,
  { sharedStrings = '', styles = '', workbookPr = '', hidden = '' } = {},
): Record<string, string> {
  const names = Object.keys(sheets)
  const sheetTags = names.map(
    (name, n) =>
      `<sheet name="${name}" sheetId="${n + 1}" r:id="rId${n}"${name === hidden ? ' state="hidden"' : ''}/>`,
  )
  return {
    '[Content_Types].xml': '<Types/>',
    '_rels/.rels': relations({ 'xl/workbook.xml': 'officeDocument' }),
    'xl/_rels/workbook.xml.rels': relations({
      ...Object.fromEntries(names.map((_, n) => [`worksheets/sheet${n + 1}.xml`, 'worksheet'])),
      'styles.xml': 'styles',
      '/xl/sharedStrings.xml': 'sharedStrings',
    }),
    'xl/workbook.xml': `<workbook>${workbookPr}<sheets>${sheetTags.join('')}</sheets></workbook>`,
    'xl/styles.xml': `<styleSheet>${styles}</styleSheet>`,
    'xl/sharedStrings.xml': `<sst>${sharedStrings}</sst>`,
    ...Object.fromEntries(
      names.map((name, n) => [
        `xl/worksheets/sheet${n + 1}.xml`,
        `<worksheet><sheetData>${sheets[name]}</sheetData></worksheet>`,
      ]),
    ),
  }
}
