import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createReadStream, createWriteStream, type WriteStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import { createGunzip, createGzip } from 'node:zlib'
import { collectAfter } from '../platform/storage/flow.ts'
import { DamagedError, type Part, packTar, unpackTar } from './tar.ts'

/** The last part: what `sha256sum` would print for all others. An archive without it was cut off. */
const CHECKSUMS = 'SHA256SUMS'
/** The default of 16 kB leaves so much garbage that reading takes 25 MB more memory. */
const CHUNK_BYTES = 1 << 18

/** Creates a file that only its owner can read. Its end waits until the disk has all of it. */
export async function createArchive(path: string): Promise<WriteStream> {
  const file = createWriteStream(path, { flags: 'wx', mode: 0o600, flush: true })
  await once(file, 'open')
  return file
}

/** Writes the parts as a compressed tar archive, and closes the file. */
export const writeArchive = (
  file: WriteStream,
  parts: AsyncIterable<Part>,
  signal: AbortSignal,
): Promise<void> => pipeline(packTar(withChecksums(parts)), createGzip(), file, { signal })

async function* withChecksums(parts: AsyncIterable<Part>): AsyncGenerator<Part> {
  const lines: string[] = []
  for await (const part of parts) {
    lines.push(lineOf(part))
    collectAfter(part.bytes.length)
    yield part
  }
  yield { name: CHECKSUMS, bytes: Buffer.from(lines.join('')) }
}

/**
 * Yields the parts of an archive. Throws a DamagedError as soon as something is wrong, but the checksums come last: the
 * parts are only proven when all have been read.
 */
export async function* readArchive(path: string): AsyncGenerator<Part> {
  const gunzip = createGunzip({ chunkSize: CHUNK_BYTES })
  const reading = pipeline(createReadStream(path), gunzip).catch(() => {}) // also fails `gunzip`, which is read
  const lines: string[] = []
  let checksums: string | undefined
  try {
    for await (const part of unpackTar(gunzip)) {
      if (checksums !== undefined) throw new DamagedError('something follows its end')
      if (part.name === CHECKSUMS) checksums = part.bytes.toString()
      else {
        lines.push(lineOf(part))
        collectAfter(part.bytes.length)
        yield part
      }
    }
    if (checksums !== lines.join('')) throw new DamagedError('its checksums do not match')
  } catch (error) {
    throw isOfZlib(error) ? new DamagedError('it cannot be decompressed') : error
  } finally {
    gunzip.destroy()
    await reading
  }
}

const lineOf = ({ name, bytes }: Part) => `${createHash('sha256').update(bytes).digest('hex')}  ${name}\n`

const isOfZlib = (error: unknown) =>
  error instanceof Error && 'code' in error && String(error.code).startsWith('Z_')
