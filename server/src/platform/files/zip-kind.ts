import { Readable } from 'node:stream'
import { fromRandomAccessReaderPromise, RandomAccessReader } from 'yauzl'
import type { Source } from '../storage/source.ts'
import type { Extension } from './types.ts'

/** A document with many pictures has some hundred entries. Its text is among the first. */
const MAX_ENTRIES = 2000
/** Names may have 64 kB each. */
const MAX_NAME_BYTES = 4 << 20
const PIECE = 1 << 16

const OFFICE: [folder: string, extension: Extension][] = [
  ['word/', 'docx'],
  ['xl/', 'xlsx'],
  ['ppt/', 'pptx'],
]
const CONTENT_TYPES = '[Content_Types].xml'
const OPEN_DOCUMENT = new Map<string, Extension>([
  ['application/vnd.oasis.opendocument.text', 'odt'],
  ['application/vnd.oasis.opendocument.spreadsheet', 'ods'],
  ['application/vnd.oasis.opendocument.presentation', 'odp'],
])

class SourceReader extends RandomAccessReader {
  readonly #source: Source

  constructor(source: Source) {
    super()
    this.#source = source
  }

  override _readStreamForRange(start: number, end: number): Readable {
    return Readable.from(piecesOf(this.#source, start, end), { objectMode: false })
  }
}

async function* piecesOf(source: Source, start: number, end: number) {
  for (let at = start; at < end; at += PIECE) yield await source.read(at, Math.min(PIECE, end - at))
}

/** Tells documents that are zips from others by the names in them. Nothing is unpacked. */
export async function zipKind(source: Source, start: Buffer): Promise<Extension> {
  const openDocument = OPEN_DOCUMENT.get(declaredType(start))
  if (openDocument) return openDocument
  return officeKind(source).catch(() => 'zip') // a damaged one is sent as it is
}

/** An OpenDocument begins with an entry `mimetype` that is not compressed. */
function declaredType(start: Buffer): string {
  if (start.length < 38 || start.toString('latin1', 30, 38) !== 'mimetype') return ''
  return start.toString('latin1', 38, 38 + start.readUInt32LE(18))
}

async function officeKind(source: Source): Promise<Extension> {
  let hasTypes = false
  const folders = new Set<string>()
  for await (const name of namesIn(source)) {
    if (name.equals(Buffer.from(CONTENT_TYPES))) hasTypes = true
    for (const [folder] of OFFICE) if (name.indexOf(folder) === 0) folders.add(folder)
  }
  const found = OFFICE.find(([folder]) => folders.has(folder))
  return hasTypes && found ? found[1] : 'zip'
}

/** The names as bytes, and no more of them than a document has. */
async function* namesIn(source: Source): AsyncGenerator<Buffer> {
  const file = await fromRandomAccessReaderPromise(new SourceReader(source), source.size, {
    autoClose: false,
    decodeStrings: false,
  })
  let bytes = 0
  try {
    for await (const { fileNameRaw } of file.eachEntry()) {
      bytes += fileNameRaw.length
      if (file.entriesRead > MAX_ENTRIES || bytes > MAX_NAME_BYTES) return
      yield fileNameRaw
    }
  } finally {
    file.close()
  }
}
