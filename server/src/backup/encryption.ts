import { createCipheriv, createDecipheriv, randomBytes, scrypt } from 'node:crypto'
import { promisify } from 'node:util'
import { DamagedError } from './tar.ts'

/*
 * A file that is encrypted with a password. It is cut into pieces, so that neither writing nor reading needs all of it,
 * and each piece is sealed with AES-256-GCM (https://eprint.iacr.org/2015/189, "STREAM"). The nonce has the number of
 * the piece and whether it is the last one: no piece can be altered, left out, moved or put behind the end unnoticed.
 *
 *     sendroom backup 1 + line feed, 16 bytes of salt, 7 bytes of every nonce
 *     then for each piece its bytes and the tag of 16
 */

const MAGIC = Buffer.from('sendroom backup 1\n')
const SALT_BYTES = 16
const PREFIX_BYTES = 7
const HEADER_BYTES = MAGIC.length + SALT_BYTES + PREFIX_BYTES
const TAG_BYTES = 16
const PIECE_BYTES = 1 << 16

/** As OWASP advises for 32 MB of memory, so that a small machine can restore. */
const COST = { N: 1 << 15, r: 8, p: 3, maxmem: 1 << 26 }

const derive: (password: string, salt: Buffer, bytes: number, cost: typeof COST) => Promise<Buffer> =
  promisify(scrypt)

let lastKey: { password: string; salt: Buffer; key: Buffer } | undefined

/** Kept for the next call: a backup is read back, and a restore reads the file twice. Each time would take 32 MB. */
async function keyOf(password: string, salt: Buffer): Promise<Buffer> {
  if (lastKey?.password !== password || !lastKey.salt.equals(salt))
    lastKey = { password, salt, key: await derive(password.normalize('NFC'), salt, 32, COST) }
  return lastKey.key
}

export const isEncrypted = (beginning: Buffer) => beginning.subarray(0, MAGIC.length).equals(MAGIC)

function nonceOf(prefix: Buffer, number: number, isLast: boolean): Buffer {
  const nonce = Buffer.alloc(12)
  prefix.copy(nonce)
  nonce.writeUInt32BE(number, PREFIX_BYTES)
  nonce.writeUInt8(isLast ? 1 : 0, 11)
  return nonce
}

export async function* encrypt(chunks: AsyncIterable<Buffer>, password: string): AsyncGenerator<Buffer> {
  const header = Buffer.concat([MAGIC, randomBytes(SALT_BYTES + PREFIX_BYTES)])
  const { key, prefix } = await readHeader(header, password)
  yield header
  for await (const { bytes, number, isLast } of piecesOf(chunks, PIECE_BYTES)) {
    const cipher = createCipheriv('aes-256-gcm', key, nonceOf(prefix, number, isLast))
    if (number === 0) cipher.setAAD(header)
    yield cipher.update(bytes)
    cipher.final()
    yield cipher.getAuthTag()
  }
}

/** Throws a DamagedError at the first piece that is not as it was written. Nothing of that piece is passed on. */
export async function* decrypt(chunks: AsyncIterable<Buffer>, password: string): AsyncGenerator<Buffer> {
  const source = chunks[Symbol.asyncIterator]()
  let beginning: Buffer = Buffer.alloc(0)
  while (beginning.length < HEADER_BYTES) {
    const next = await source.next()
    if (next.done) throw new DamagedError('its end is missing')
    beginning = Buffer.concat([beginning, next.value])
  }
  const header = beginning.subarray(0, HEADER_BYTES)
  const { key, prefix } = await readHeader(header, password)
  const rest = chain(beginning.subarray(HEADER_BYTES), source)
  for await (const { bytes, number, isLast } of piecesOf(rest, PIECE_BYTES + TAG_BYTES)) {
    if (bytes.length < TAG_BYTES) throw new DamagedError('its end is missing')
    const decipher = createDecipheriv('aes-256-gcm', key, nonceOf(prefix, number, isLast))
    if (number === 0) decipher.setAAD(header)
    decipher.setAuthTag(bytes.subarray(-TAG_BYTES))
    const opened = decipher.update(bytes.subarray(0, -TAG_BYTES))
    try {
      decipher.final()
    } catch {
      throw new DamagedError(
        number === 0 ? 'the password is wrong, or the file was altered' : 'it was altered or cut off',
      )
    }
    yield opened
  }
}

async function readHeader(header: Buffer, password: string) {
  const salt = header.subarray(MAGIC.length, MAGIC.length + SALT_BYTES)
  return { key: await keyOf(password, salt), prefix: header.subarray(-PREFIX_BYTES) }
}

async function* chain(first: Buffer, rest: AsyncIterator<Buffer>): AsyncGenerator<Buffer> {
  yield first
  for (let next = await rest.next(); !next.done; next = await rest.next()) yield next.value
}

type Piece = { bytes: Buffer; number: number; isLast: boolean }

/** Cuts into pieces of this size. Only the last one is shorter, and may be empty. */
async function* piecesOf(chunks: AsyncIterable<Buffer>, size: number): AsyncGenerator<Piece> {
  let pending: Buffer = Buffer.alloc(0)
  let number = 0
  for await (const chunk of chunks) {
    pending = pending.length === 0 ? chunk : Buffer.concat([pending, chunk])
    let at = 0
    // A full piece is kept until something follows, since it may be the last.
    for (; pending.length - at > size; at += size)
      yield { bytes: pending.subarray(at, at + size), number: number++, isLast: false }
    pending = pending.subarray(at)
  }
  yield { bytes: pending, number, isLast: true }
}
