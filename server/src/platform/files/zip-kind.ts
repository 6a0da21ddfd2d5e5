import { Readable } from 'node:stream'
import { fromRandomAccessReaderPromise, RandomAccessReader } from 'yauzl'
import type { Source } from '../storage/source.ts'
import type { Extension } from './types.ts'

/** A document with many pictures has some hundred entries. Its text is among the first. */
const MAX_ENTRIES = 2000
const PIECE = 1 << 16

const OFFICE: [folder: string, extension: Extension][] = [
  ['word/', 'docx'],
  ['xl/', 'xlsx'],
  ['ppt/', 'pptx'],
]
const OPEN_DOCUMENT: Record<string, Extension> = {
  'application/vnd.oasis.opendocument.text': 'odt',
  'application/vnd.oasis.opendocument.spreadsheet': 'ods',
  'application/vnd.oasis.opendocument.presentation': 'odp',
}

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
  const openDocument = OPEN_DOCUMENT[declaredType(start)]
  if (openDocument) return openDocument
  const names = await namesIn(source).catch((): string[] => []) // a damaged one is sent as it is
  if (!names.includes('[Content_Types].xml')) return 'zip'
  return OFFICE.find(([folder]) => names.some((name) => name.startsWith(folder)))?.[1] ?? 'zip'
}

/** An OpenDocument begins with an entry `mimetype` that is not compressed. */
function declaredType(start: Buffer): string {
  if (start.length < 38 || start.toString('latin1', 30, 38) !== 'mimetype') return ''
  return start.toString('latin1', 38, 38 + start.readUInt32LE(18))
}

async function namesIn(source: Source): Promise<string[]> {
  const file = await fromRandomAccessReaderPromise(new SourceReader(source), source.size, {
    autoClose: false,
  })
  const names: string[] = []
  try {
    for await (const { fileName } of file.eachEntry()) {
      names.push(fileName)
      if (names.length >= MAX_ENTRIES) break
    }
    return names
  } finally {
    file.close()
  }
}
