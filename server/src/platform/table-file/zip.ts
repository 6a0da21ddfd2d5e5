import { Readable } from 'node:stream'
import { crc32 } from 'node:zlib'
import { type Entry, fromRandomAccessReaderPromise, RandomAccessReader, type ZipFile } from 'yauzl'
import type { TableSource } from './source.ts'
import { TableFileError } from './table-file-error.ts'
import { createXmlReader, XmlError, type XmlHandlers } from './xml.ts'

/** Beside its few sheets a workbook may have pictures, drawings and comments. */
const MAX_ENTRIES = 2000

class SourceReader extends RandomAccessReader {
  readonly #source: TableSource

  constructor(source: TableSource) {
    super()
    this.#source = source
  }

  override _readStreamForRange(start: number, end: number): Readable {
    return Readable.from(this.#source.read(start, end), { objectMode: false })
  }
}

export type Zip = {
  has: (name: string) => boolean
  /** How many bytes an entry claims to unpack to. */
  sizeOf: (name: string) => number
  /** Reads an entry's XML if it is not larger than allowed, and gives control back after each part of it. */
  readXml: (name: string, maxBytes: number, handlers: XmlHandlers) => AsyncGenerator<void>
  close: () => void
}

/**
 * Opens a zip without unpacking anything. Entries that claim to be too large are refused before they are read, and
 * one that is larger than it claims breaks off.
 */
export async function openZip(source: TableSource): Promise<Zip> {
  const file = await fromRandomAccessReaderPromise(new SourceReader(source), source.size, {
    autoClose: false,
  }).catch(damaged)
  const entries = new Map<string, Entry>()
  try {
    if (file.entryCount > MAX_ENTRIES) throw new TableFileError('too_large')
    for await (const entry of file.eachEntry()) entries.set(entry.fileName, entry)
  } catch (error) {
    file.close()
    throw error instanceof TableFileError ? error : damaged(error)
  }

  async function* readXml(name: string, maxBytes: number, handlers: XmlHandlers): AsyncGenerator<void> {
    const entry = entries.get(name)
    if (!entry) throw new TableFileError('damaged')
    if (entry.uncompressedSize > maxBytes) throw new TableFileError('too_large')
    const read = createXmlReader(handlers)
    const decoder = new TextDecoder('utf-8')
    let checksum = 0
    for await (const bytes of partsOf(file, entry)) {
      checksum = crc32(bytes, checksum)
      try {
        read(decoder.decode(bytes, { stream: true }))
      } catch (error) {
        throw error instanceof XmlError ? damaged(error) : error
      }
      yield
    }
    if (checksum !== entry.crc32) throw new TableFileError('damaged')
  }

  return {
    has: (name) => entries.has(name),
    sizeOf: (name) => entries.get(name)?.uncompressedSize ?? 0,
    readXml,
    close: () => file.close(),
  }
}

/** Whatever fails in here is the file's fault, or its disk's. */
async function* partsOf(file: ZipFile, entry: Entry): AsyncGenerator<Buffer> {
  let stream: Readable | undefined
  try {
    stream = await file.openReadStreamPromise(entry)
    yield* stream
  } catch (error) {
    damaged(error)
  } finally {
    stream?.destroy()
  }
}

function damaged(error: unknown): never {
  throw new TableFileError('damaged', undefined, { cause: error })
}
