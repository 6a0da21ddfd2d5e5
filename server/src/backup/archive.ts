import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import { once } from 'node:events'
import { createReadStream, createWriteStream, type WriteStream } from 'node:fs'
import { open } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import { createGunzip, createGzip } from 'node:zlib'
import { collectAfter } from '../platform/storage/flow.ts'
import { StartupError } from '../startup-error.ts'
import { decrypt, encrypt, isEncrypted } from './encryption.ts'
import { DamagedError, type Part, packTar, unpackTar } from './tar.ts'

/** The checksums as `sha256sum` would print them for all others. An archive without this part was cut off. */
const CHECKSUMS = 'SHA256SUMS'
/** The last part: HMAC-SHA-256 of the checksums. */
const SIGNATURE = 'SIGNATURE'
/** Compressed and read in chunks of this size. The default of 16 kB leaves so much garbage: 25 MB when reading. */
const CHUNK_BYTES = 1 << 18
/**
 * So many times each byte of a part counts for the collector. On its way it is in some five buffers: read, put
 * together, compressed, cut and encrypted, or back. Counted five times, the buffers still came to 25 MB at times.
 */
const BUFFERS_COUNTED = 12

/** Creates a file that only its owner can read. Its end waits until the disk has all of it. */
export async function createArchive(path: string): Promise<WriteStream> {
  const file = createWriteStream(path, { flags: 'wx', mode: 0o600, flush: true })
  await once(file, 'open')
  return file
}

/** `signingKey`: undefined in an installation that was never started. `password`: undefined for a readable file. */
export type Protection = { signingKey?: Buffer | undefined; password?: string | undefined }

/** Writes the parts as a compressed tar archive, signed and perhaps encrypted, and closes the file. */
export function writeArchive(
  file: WriteStream,
  parts: AsyncIterable<Part>,
  signal: AbortSignal,
  { signingKey, password }: Protection = {},
): Promise<void> {
  const archive = packTar(withChecksums(parts, signingKey))
  const gzip = createGzip({ chunkSize: CHUNK_BYTES })
  if (password === undefined) return pipeline(archive, gzip, file, { signal })
  return pipeline(archive, gzip, (chunks) => encrypt(chunks, password), file, { signal })
}

async function* withChecksums(
  parts: AsyncIterable<Part>,
  signingKey: Buffer | undefined,
): AsyncGenerator<Part> {
  const lines: string[] = []
  for await (const part of parts) {
    lines.push(lineOf(part))
    collectAfter(BUFFERS_COUNTED * part.bytes.length)
    yield part
  }
  const checksums = lines.join('')
  yield { name: CHECKSUMS, bytes: Buffer.from(checksums) }
  if (signingKey) yield { name: SIGNATURE, bytes: signatureOf(checksums, signingKey) }
}

const signatureOf = (checksums: string, key: Buffer) => createHmac('sha256', key).update(checksums).digest()

/** Says what an archive that was read to its end proves. Archives with the same parts have the same checksum. */
export type Proof = { checksum: string; isSigned: boolean; isSignedWith: (key: Buffer) => boolean }

/**
 * Yields the parts of an archive. Throws a DamagedError as soon as something is wrong, but the checksums come last: the
 * parts are only proven when all have been read. Then `prove` gets the signature.
 */
export async function* readArchive(
  path: string,
  { password, prove }: { password?: string | undefined; prove?: ((proof: Proof) => void) | undefined } = {},
): AsyncGenerator<Part> {
  const decode = await decoderOf(path, password)
  const gunzip = createGunzip({ chunkSize: CHUNK_BYTES })
  let unreadable: unknown
  const source = createReadStream(path)
  const opened = decode ? pipeline(source, decode, gunzip) : pipeline(source, gunzip)
  const reading = opened.catch((error) => {
    unreadable = error // also fails `gunzip`, which is read
  })
  const lines: string[] = []
  let checksums: string | undefined
  let signature: Buffer | undefined
  try {
    for await (const part of unpackTar(gunzip)) {
      if (checksums !== undefined && part.name === SIGNATURE && !signature) signature = part.bytes
      else if (checksums !== undefined) throw new DamagedError('something follows its end')
      else if (part.name === CHECKSUMS) checksums = part.bytes.toString()
      else {
        lines.push(lineOf(part))
        collectAfter(BUFFERS_COUNTED * part.bytes.length)
        yield part
      }
    }
    if (checksums !== lines.join('')) throw new DamagedError('its checksums do not match')
    prove?.(proofOf(checksums, signature))
  } catch (error) {
    if (unreadable instanceof DamagedError) throw unreadable
    throw isOfZlib(error) ? new DamagedError('it cannot be decompressed') : error
  } finally {
    gunzip.destroy()
    await reading
  }
}

function proofOf(checksums: string, signature: Buffer | undefined): Proof {
  const isSignedWith = (key: Buffer) => {
    const expected = signatureOf(checksums, key)
    return signature?.length === expected.length && timingSafeEqual(signature, expected)
  }
  return { checksum: hashOf(checksums), isSigned: signature !== undefined, isSignedWith }
}

type Decoder = (chunks: AsyncIterable<Buffer>) => AsyncGenerator<Buffer>

async function decoderOf(path: string, password: string | undefined): Promise<Decoder | null> {
  const file = await open(path)
  const { buffer } = await file.read(Buffer.alloc(64), 0, 64, 0).finally(() => file.close())
  if (!isEncrypted(buffer)) return null
  if (password === undefined)
    throw new StartupError(`${path} is encrypted. Set BACKUP_PASSWORD to the password that it was made with.`)
  return (chunks) => decrypt(chunks, password)
}

const hashOf = (bytes: Buffer | string) => createHash('sha256').update(bytes).digest('hex')

const lineOf = ({ name, bytes }: Part) => `${hashOf(bytes)}  ${name}\n`

const isOfZlib = (error: unknown) =>
  error instanceof Error && 'code' in error && String(error.code).startsWith('Z_')
