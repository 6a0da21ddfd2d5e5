/** A file inside an archive, small enough for memory. */
export type Part = { name: string; bytes: Buffer }

/** The file is not what was written. The message continues "… is damaged: ". */
export class DamagedError extends Error {}

const BLOCK = 512
/** More than any part that we write. A damaged or crafted size must not fill the memory. */
const MAX_BYTES = (1 << 26) - 1
const OCTAL = /^[0-7]+ *$/
const ORDINARY_FILE = '0'

/**
 * Yields a tar archive. https://pubs.opengroup.org/onlinepubs/9799919799/utilities/pax.html, "ustar Interchange Format"
 */
export async function* packTar(parts: AsyncIterable<Part>): AsyncGenerator<Buffer> {
  for await (const { name, bytes } of parts) {
    yield headerOf(name, bytes.length)
    yield bytes
    yield Buffer.alloc(paddingOf(bytes.length))
  }
  yield Buffer.alloc(2 * BLOCK)
}

/** Yields the parts of an archive that `packTar` made, and reads the stream to its end. */
export async function* unpackTar(stream: AsyncIterable<Buffer>): AsyncGenerator<Part> {
  const chunks = stream[Symbol.asyncIterator]()
  const take = takerOf(chunks)
  for (;;) {
    const header = await take(BLOCK)
    if (header.every((byte) => byte === 0)) break
    const { name, size } = readHeader(header)
    const bytes = await take(size)
    await take(paddingOf(size))
    yield { name, bytes }
  }
  // Decompression compares its own checksum at the end of the stream.
  while (!(await chunks.next()).done) {}
}

const paddingOf = (size: number) => (BLOCK - (size % BLOCK)) % BLOCK
const octal = (value: number, digits: number) => value.toString(8).padStart(digits, '0')

function headerOf(name: string, size: number): Buffer {
  const header = Buffer.alloc(BLOCK)
  header.write(name, 0, 100)
  header.write(octal(0o600, 7), 100)
  header.write(octal(0, 7), 108) // user id
  header.write(octal(0, 7), 116) // group id
  header.write(octal(size, 11), 124)
  header.write(octal(0, 11), 136) // time of the last change
  header.write(ORDINARY_FILE, 156)
  header.write('ustar\0' + '00', 257)
  header.write(`${octal(checksumOf(header), 6)}\0 `, 148)
  return header
}

function readHeader(header: Buffer): { name: string; size: number } {
  const text = (from: number, to: number) => header.toString('utf8', from, to).split('\0')[0] ?? ''
  const number = (from: number, to: number) => {
    const digits = text(from, to)
    return OCTAL.test(digits) ? Number.parseInt(digits, 8) : Number.NaN
  }
  const size = number(124, 136)
  const isIntact = number(148, 156) === checksumOf(header) && text(156, 157) === ORDINARY_FILE
  if (!isIntact || !(size <= MAX_BYTES)) throw new DamagedError('a header is not valid')
  return { name: text(0, 100), size }
}

/** The sum of all bytes, with spaces in the field of the checksum itself. */
export const checksumOf = (header: Buffer) =>
  header.reduce((sum, byte, index) => sum + (index >= 148 && index < 156 ? 0x20 : byte), 0)

/** Returns a function that takes the next so many bytes from the stream. */
function takerOf(chunks: AsyncIterator<Buffer>) {
  let chunk: Buffer = Buffer.alloc(0)
  return async (size: number): Promise<Buffer> => {
    const taken = Buffer.allocUnsafe(size)
    for (let length = 0; length < size; ) {
      if (chunk.length === 0) {
        const next = await chunks.next()
        if (next.done) throw new DamagedError('its end is missing')
        chunk = next.value
      }
      const count = chunk.copy(taken, length)
      chunk = chunk.subarray(count)
      length += count
    }
    return taken
  }
}
