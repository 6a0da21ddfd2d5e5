/** The movie header of a file of the size limit takes some hundred kilobytes. */
const maxHeaderBytes = 4 * 1024 * 1024

/** Reads the boxes of an MP4 as its bytes pass by. Only the movie header is kept in memory. */
export interface BoxReader {
  write(chunk: Buffer): void
  /**
   * Returns the codecs of the tracks, such as `avc1` (H.264) and `mp4a` (AAC). Null if the file has no movie header, or
   * if a box is longer or shorter than it says.
   */
  codecs(): string[] | null
}

/** Creates a reader. Source of the format: ISO/IEC 14496-12, section 4.2. */
export function createBoxReader(): BoxReader {
  let head = Buffer.alloc(0)
  /** Bytes of the present box that are still to come. */
  let left = 0
  let header: Buffer[] | null = null
  let isInHeader = false
  let isBroken = false

  /** Takes what belongs to the head of a box, and returns the rest. */
  function readHead(chunk: Buffer): Buffer {
    const length = head.length >= 8 && head.readUInt32BE(0) === 1 ? 16 : 8
    const taken = chunk.subarray(0, length - head.length)
    head = Buffer.concat([head, taken])
    const rest = chunk.subarray(taken.length)
    if (head.length < 8 || (head.readUInt32BE(0) === 1 && head.length < 16)) return rest
    beginBox(head)
    head = Buffer.alloc(0)
    return rest
  }

  function beginBox(box: Buffer) {
    const short = box.readUInt32BE(0)
    const size = short === 1 ? Number(box.readBigUInt64BE(8)) : short
    // A size of 0 means: to the end of the file.
    left = size === 0 ? Number.POSITIVE_INFINITY : size - box.length
    isInHeader = box.toString('latin1', 4, 8) === 'moov'
    if (isInHeader) header = []
    if (left < 0 || (isInHeader && left > maxHeaderBytes)) isBroken = true
  }

  function readBody(chunk: Buffer): Buffer {
    const part = chunk.subarray(0, Math.min(left, chunk.length))
    if (isInHeader) header?.push(Buffer.from(part))
    left -= part.length
    return chunk.subarray(part.length)
  }

  return {
    write(chunk) {
      for (let rest = chunk; rest.length > 0 && !isBroken; )
        rest = left === 0 ? readHead(rest) : readBody(rest)
    },
    codecs() {
      const isWhole = !isBroken && head.length === 0 && (left === 0 || left === Number.POSITIVE_INFINITY)
      return isWhole && header ? codecsIn(Buffer.concat(header)) : null
    },
  }
}

/** Finds the sample descriptions (`stsd`): four bytes of version, the number of entries, then the first entry. */
function codecsIn(header: Buffer): string[] {
  const codecs: string[] = []
  for (let at = header.indexOf('stsd'); at !== -1; at = header.indexOf('stsd', at + 4))
    codecs.push(header.toString('latin1', at + 16, at + 20))
  return codecs
}
