import { z } from 'zod'
import { isStoredName } from '../platform/files/types.ts'
import { StartupError } from '../startup-error.ts'
import { type Proof, readArchive } from './archive.ts'
import { type Manifest, parseManifest } from './manifest.ts'
import { DamagedError, type Part } from './tar.ts'

/*
 * The parts of a backup, in this order. docs/decisions/0017-the-file-of-a-backup.md says why.
 *
 *     sendroom.json            what the backup is: manifest.ts
 *     tables/NAME.000001.copy  rows of a table in PostgreSQL's text format, whole rows in each part
 *     images/NAME              an image
 *     files/NAME.000001        a piece of another file: together they may be larger than the memory
 *     secret.key               the encryption key, only on request
 *     SHA256SUMS               the checksums: archive.ts
 *     SIGNATURE                their HMAC, with a key that is derived from SECRET_KEY
 */

const MANIFEST = 'sendroom.json'
/** The names of the other parts. */
const NAME =
  /^(?:secret\.key|tables\/(?<table>[a-z_]+)\.\d+\.copy|images\/(?<image>[0-9a-f]{32}\.[a-z]{3,4})|files\/(?<file>\w{32}\.\w{3,4})\.(?<number>\d{6}))$/

export const manifestPart = (manifest: Manifest): Part => ({
  name: MANIFEST,
  bytes: Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`),
})
export const rowsPart = (table: string, number: number, bytes: Buffer): Part => ({
  name: `tables/${table}.${String(number).padStart(6, '0')}.copy`,
  bytes,
})
export const imagePart = (name: string, bytes: Uint8Array): Part => ({
  name: `images/${name}`,
  bytes: Buffer.from(bytes),
})
export const piecePart = (file: string, number: number, bytes: Buffer): Part => ({
  name: `files/${file}.${String(number).padStart(6, '0')}`,
  bytes,
})
export const keyPart = (key: string): Part => ({ name: 'secret.key', bytes: Buffer.from(`${key}\n`) })

/** A reader gets the parts of a backup, and ignores those without a function. */
export type Reader = {
  rows?: (table: string, text: Buffer, rowCount: number) => Promise<void>
  image?: (name: string, bytes: Buffer) => Promise<void>
  /** The pieces of a file come one after the other, in their order. */
  piece?: (file: string, bytes: Buffer) => Promise<void>
}

/**
 * Reads a backup from beginning to end. Without a `reader` this is the check that nothing is missing or altered: throws
 * a StartupError if something is, or if a newer Sendroom made the file.
 */
export async function readBackup(
  path: string,
  signal: AbortSignal,
  reader: Reader = {},
  password?: string,
): Promise<{ manifest: Manifest; key: string | undefined; proof: Proof }> {
  try {
    return await readParts(path, signal, reader, password)
  } catch (error) {
    throw explain(error, path)
  }
}

async function readParts(path: string, signal: AbortSignal, reader: Reader, password: string | undefined) {
  let proof: Proof = { checksum: '', isSigned: false, isSignedWith: () => false }
  await using parts = readArchive(path, {
    password,
    prove: (found) => {
      proof = found
    },
  })
  const manifest = await readManifest(parts)
  let key: string | undefined
  const rowCounts = new Map<string, number>()
  const refuseMixed = followPieces()
  for await (const { name, bytes } of parts) {
    signal.throwIfAborted()
    const { table, image, file, number } = NAME.exec(name)?.groups ?? refuse(name)
    if (table) {
      const rowCount = countLines(bytes)
      rowCounts.set(table, (rowCounts.get(table) ?? 0) + rowCount)
      await reader.rows?.(table, bytes, rowCount)
    } else if (image) await reader.image?.(image, bytes)
    else if (file) {
      refuseMixed(name, file, Number(number))
      await reader.piece?.(file, bytes)
    } else key = bytes.toString().trim()
  }
  for (const name of rowCounts.keys())
    if (!manifest.tables.some((table) => table.name === name)) refuse(`tables/${name}`)
  for (const { name, rows } of manifest.tables)
    if ((rowCounts.get(name) ?? 0) !== rows) throw new DamagedError(`rows of ${name} are missing`)
  return { manifest, key, proof }
}

/** Returns a function that refuses the piece of a file unless it follows the one before, or begins a new file. */
function followPieces() {
  const files = new Set<string>()
  let last = { file: '', number: 0 }
  return (name: string, file: string, number: number) => {
    const isNext = file === last.file && number === last.number + 1
    const isFirst = number === 1 && !files.has(file)
    if (!isStoredName(file) || !(isNext || isFirst)) refuse(name)
    files.add(file)
    last = { file, number }
  }
}

/** Reads the first part. If it is not one that we can restore, reads on first: the file could be damaged. */
async function readManifest(parts: AsyncGenerator<Part>): Promise<Manifest> {
  const first = await parts.next()
  if (first.done) throw new DamagedError('it is empty')
  if (first.value.name !== MANIFEST) refuse(first.value.name)
  try {
    return parseManifest(first.value.bytes)
  } catch (error) {
    for await (const _ of parts) {
      // Only the checksums at the end matter.
    }
    throw error
  }
}

function refuse(name: string): never {
  throw new DamagedError(`${JSON.stringify(name)} does not belong there`)
}

export function countLines(text: Buffer): number {
  let count = 0
  for (let at = text.indexOf(10); at !== -1; at = text.indexOf(10, at + 1)) count++
  return count
}

function explain(error: unknown, path: string): unknown {
  const reason =
    error instanceof DamagedError ? error.message : isUnreadable(error) && 'it says nothing that we know'
  return reason ? damaged(path, reason) : error
}

export const damaged = (path: string, reason: string) =>
  new StartupError(`The file ${path} is damaged, or no backup of Sendroom: ${reason}.`)

/** The description of the backup is no JSON, or another one. */
const isUnreadable = (error: unknown) => error instanceof SyntaxError || error instanceof z.ZodError
