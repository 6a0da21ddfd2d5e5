import type { Source } from '../storage/source.ts'

/** A video's index of 16 MB takes some hundred kilobytes. */
const MAX_INDEX_BYTES = 4 << 20
/** A file of many fragments has thousands. They are refused before. */
const MAX_BOXES = 1000
/** A track's index has some dozens, read a few times. Half a million empty ones fit into an index. */
const MAX_READS = 10_000

export type Mp4 = {
  hasVideo: boolean
  seconds: number | null
  width: number | null
  height: number | null
  /** Why a phone would not play it. */
  whyNot: 'container' | 'codec' | 'damaged' | null
}

type Box = { type: string; body: Buffer }
type Track = { kind: string; codecs: string[]; width: number; height: number }

class Damaged extends Error {}

const UNUSABLE = { hasVideo: true, seconds: null, width: null, height: null }

/**
 * Reads the boxes of an MP4 (ISO/IEC 14496-12) whose first one is `ftyp`. Every length has to fit into the box around
 * it, and every chunk of media into the file. Phones play H.264 with AAC, in one piece.
 */
export async function readMp4(source: Source): Promise<Mp4> {
  try {
    const index = await findIndex(source)
    if (index.length > MAX_INDEX_BYTES) return { ...UNUSABLE, whyNot: 'container' }
    return readIndex(index, source.size)
  } catch (error) {
    // A buffer throws a RangeError for a value beyond its end.
    if (error instanceof Damaged || error instanceof RangeError) return { ...UNUSABLE, whyNot: 'damaged' }
    throw error
  }
}

/** Walks over the outermost boxes to the end of the file, and returns the one with the index. */
async function findIndex(source: Source): Promise<Buffer> {
  let index: Buffer | undefined
  let hasMedia = false
  let at = 0
  for (let count = 0; at < source.size; count++) {
    const { type, headerLength, length } = readHeader(await source.read(at, 16), source.size - at)
    if (count > MAX_BOXES) throw new Damaged('too many boxes')
    if (type === 'mdat') hasMedia = true
    if (type === 'moov' && index) throw new Damaged('two indexes')
    if (type === 'moov') {
      const bytes = Math.min(length - headerLength, MAX_INDEX_BYTES + 1)
      index = await source.read(at + headerLength, bytes)
    }
    at += length
  }
  if (!index || !hasMedia) throw new Damaged('no index or no media')
  return index
}

/** `room`: how many bytes are left of what is around the box. */
function readHeader(bytes: Buffer, room: number) {
  const short = bytes.readUInt32BE(0)
  const type = bytes.toString('latin1', 4, 8)
  const length = short === 0 ? room : short === 1 ? Number(bytes.readBigUInt64BE(8)) : short
  const headerLength = short === 1 ? 16 : 8
  if (length < headerLength || length > room) throw new Damaged(`${type} does not fit`)
  return { type, length, headerLength }
}

/** Reads the boxes inside of an index. Bounds how many it reads over the whole of it, each time anew. */
class BoxReader {
  #reads = 0

  /** The first box that the path leads to. */
  find(bytes: Buffer, ...path: string[]): Buffer | undefined {
    const [first, ...deeper] = path
    if (first === undefined) return bytes
    for (const { type, body } of this.boxesIn(bytes)) if (type === first) return this.find(body, ...deeper)
    return undefined
  }

  require(bytes: Buffer, ...path: string[]): Buffer {
    const found = this.find(bytes, ...path)
    if (!found) throw new Damaged(`${path.join('/')} is missing`)
    return found
  }

  *boxesIn(bytes: Buffer): Generator<Box> {
    for (let at = 0; at < bytes.length; ) {
      const rest = bytes.subarray(at)
      // QuickTime ends lists with a zero.
      if (rest.length === 4 && rest.readUInt32BE(0) === 0) return
      if (++this.#reads > MAX_READS) throw new Damaged('too many boxes in the index')
      const { type, length, headerLength } = readHeader(rest, rest.length)
      yield { type, body: rest.subarray(headerLength, length) }
      at += length
    }
  }
}

function readIndex(index: Buffer, fileSize: number): Mp4 {
  const reader = new BoxReader()
  const children = [...reader.boxesIn(index)]
  const tracks = children
    .filter(({ type }) => type === 'trak')
    .map(({ body }) => readTrack(reader, body, fileSize))
  const video = tracks.find(({ kind }) => kind === 'vide')
  const played = tracks.filter(({ kind }) => kind === 'vide' || kind === 'soun')
  const size = { width: video?.width || null, height: video?.height || null }
  const read = { hasVideo: video !== undefined, seconds: readSeconds(reader.require(index, 'mvhd')), ...size }
  const isInFragments = children.some(({ type }) => type === 'mvex')
  if (isInFragments || played.length === 0) return { ...read, whyNot: 'container' }
  const isPlayable = played.every(({ codecs }) => codecs.length > 0 && codecs.every(isPlayed))
  return { ...read, whyNot: isPlayable ? null : 'codec' }
}

const isPlayed = (codec: string) => codec === 'h264' || codec === 'aac'

function readTrack(reader: BoxReader, track: Buffer, fileSize: number): Track {
  const media = reader.require(track, 'mdia')
  const kind = reader.require(media, 'hdlr').toString('latin1', 8, 12)
  const table = reader.require(media, 'minf', 'stbl')
  const entries = [...reader.boxesIn(reader.require(table, 'stsd').subarray(8))]
  requireChunks(reader, table, fileSize)
  const codecs = entries.map((entry) => codecOf(reader, entry))
  if (kind !== 'vide') return { kind, codecs, width: 0, height: 0 }
  const first = entries[0]?.body ?? Buffer.alloc(0)
  const [width, height] = [first.readUInt16BE(24), first.readUInt16BE(26)]
  const isTurned = hasQuarterTurn(reader.require(track, 'tkhd'))
  const size = isTurned ? { width: height, height: width } : { width, height }
  return { kind, codecs, ...size }
}

/** Phones store upright videos lying down, with a matrix that turns them. */
function hasQuarterTurn(header: Buffer): boolean {
  const matrix = header.readUInt8(0) === 1 ? 52 : 40
  return header.readInt32BE(matrix) === 0 && header.readInt32BE(matrix + 4) !== 0
}

/** Throws if a chunk begins after the end of the file, as in one that was cut off and closed again. */
function requireChunks(reader: BoxReader, table: Buffer, fileSize: number) {
  const long = reader.find(table, 'co64')
  const offsets = long ?? reader.require(table, 'stco')
  const width = long ? 8 : 4
  const count = offsets.readUInt32BE(4)
  for (let n = 0; n < count; n++) {
    const at = 8 + n * width
    const offset = long ? Number(offsets.readBigUInt64BE(at)) : offsets.readUInt32BE(at)
    if (offset >= fileSize) throw new Damaged('a chunk is missing')
  }
}

function codecOf(reader: BoxReader, { type, body }: Box): string {
  if (type === 'avc1' || type === 'avc3') return 'h264'
  if (type !== 'mp4a') return type
  // Three generations of QuickTime have headers of different lengths.
  const header = { 0: 28, 1: 44, 2: 64 }[body.readUInt16BE(8)]
  if (header === undefined) throw new Damaged('an unknown version of mp4a')
  const children = body.subarray(header)
  const description = reader.find(children, 'esds') ?? reader.find(children, 'wave', 'esds')
  // 0x40 is AAC of MPEG-4, the others that of MPEG-2. 0x6b would be MP3.
  return description && [0x40, 0x66, 0x67, 0x68].includes(objectTypeOf(description)) ? 'aac' : 'other'
}

/** Reads the object type of an `esds` (ISO/IEC 14496-1, 7.2.6.5 and 7.2.6.6). */
function objectTypeOf(description: Buffer): number {
  let at = 4
  const enter = (tag: number) => {
    if (description.readUInt8(at++) !== tag) throw new Damaged('an unknown description')
    // The length has seven bits in each byte, and the eighth says that another one follows.
    while (description.readUInt8(at++) & 0x80) {}
  }
  enter(3)
  const flags = description.readUInt8(at + 2)
  at += 3
  if (flags & 0x80) at += 2
  if (flags & 0x40) at += 1 + description.readUInt8(at)
  if (flags & 0x20) at += 2
  enter(4)
  return description.readUInt8(at)
}

function readSeconds(header: Buffer): number | null {
  const isLong = header.readUInt8(0) === 1
  const scale = header.readUInt32BE(isLong ? 20 : 12)
  const duration = isLong ? Number(header.readBigUInt64BE(24)) : header.readUInt32BE(16)
  return wholeSeconds(duration / scale)
}

const DAY = 86_400

/** A length that nobody plays is no length. */
export const wholeSeconds = (seconds: number) =>
  seconds > 0 && seconds <= DAY ? Math.max(1, Math.round(seconds)) : null
