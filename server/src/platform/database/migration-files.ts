import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { StartupError } from '../../startup-error.ts'

export type Applied = {
  name: string
  checksum: string
  /** The number of the newest migration of the oldest program that works with this one. Null if nobody said so. */
  worksFrom: string | null
}
export type Migration = Applied & {
  text: string
  /** Whether the file builds an index while others write, which PostgreSQL can do outside a transaction only. */
  isConcurrent: boolean
}

/** Whether the migration that was applied is this file. */
export const isSame = (file: Migration | undefined, { checksum }: Pick<Applied, 'checksum'>) =>
  file?.checksum === checksum

export function readMigrations(folder: string): Migration[] {
  const names = readdirSync(folder)
    .filter((name) => name.endsWith('.sql'))
    .sort()
  const wrong = names.find((name) => !/^\d{4}-[a-z0-9-]+\.sql$/.test(name))
  if (wrong) throw new StartupError(`The name of migration ${wrong} is invalid. Use the form 0001-users.sql.`)
  return names.map((name) => {
    const text = readText(join(folder, name))
    const worksFrom = WORKS_FROM.exec(text)?.[1] ?? numberOf(name)
    return { name, text, worksFrom, checksum: sha256(text), isConcurrent: CONCURRENTLY.test(text) }
  })
}

/** The line by which a migration says that older programs still work: docs/decisions/0019-upgrades-without-a-stop.md */
const WORKS_FROM = /^-- Works with programs from (\d{4}) on\.$/m

/** Such a statement must be the only one of its file, and needs `if not exists`. */
export const CONCURRENTLY = /^create index concurrently /m

export const numberOf = (name: string) => name.slice(0, 4)

/** Without the carriage returns that a checkout on Windows may add. */
const readText = (file: string) => readFileSync(file, 'utf8').replaceAll('\r\n', '\n')

export const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
