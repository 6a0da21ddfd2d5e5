import { copyFile, readFile, writeFile } from 'node:fs/promises'
import { buffer } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { readAll, useBackups } from '../../test/backup-fixture.ts'
import { factories } from '../../test/factories.ts'
import { until } from '../../test/until.ts'
import { LOCKS } from '../platform/database/advisory-lock.ts'
import { sql } from '../platform/database/sql.ts'
import { decrypt, encrypt } from './encryption.ts'

const backups = useBackups()
const PASSWORD = 'correct horse battery'
const KEY = 'the key of an installation, long enough'

async function* cut(bytes: Buffer, size: number) {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

const all = (chunks: AsyncIterable<Buffer>) => buffer(chunks)
const PIECE = (1 << 16) + 16
const HEADER = 41

// R-2120
test.each([0, 1, 65_535, 65_536, 65_537, 200_000])('%i bytes are encrypted and read again', async (size) => {
  const bytes = Buffer.alloc(size, 'text ')
  const sealed = await all(encrypt(cut(bytes, 1000), PASSWORD))
  expect(sealed.includes('text text')).toBe(false)
  expect(await all(decrypt(cut(sealed, 777), PASSWORD))).toEqual(bytes)
})

// R-2120
test('whatever is altered, left out, moved, appended or cut off is refused, and a wrong password', async () => {
  const bytes = Buffer.alloc(200_000, 'text ')
  const sealed = await all(encrypt(cut(bytes, 1000), PASSWORD))
  const piece = (number: number) => sealed.subarray(HEADER + number * PIECE, HEADER + (number + 1) * PIECE)
  const altered = (at: number) => {
    const copy = Buffer.from(sealed)
    copy[at] = (copy[at] ?? 0) ^ 1
    return copy
  }
  const header = sealed.subarray(0, HEADER)
  const wrong = {
    'a byte': altered(100_000),
    'the salt': altered(20),
    'a nonce': altered(HEADER - 1),
    'the last byte': altered(sealed.length - 1),
    'the last piece is missing': sealed.subarray(0, HEADER + 3 * PIECE),
    'half a piece is missing': sealed.subarray(0, sealed.length - 100),
    'all but the header is missing': header,
    'two pieces changed places': Buffer.concat([header, piece(1), piece(0), piece(2), piece(3)]),
    'something follows': Buffer.concat([sealed, Buffer.from('x')]),
  }
  for (const [what, file] of Object.entries(wrong))
    await expect(all(decrypt(cut(file, 5000), PASSWORD)), what).rejects.toThrow()
  await expect(all(decrypt(cut(sealed, 5000), 'another password'))).rejects.toThrow('the password is wrong')
})

async function filled() {
  const source = await backups.open('tpl')
  source.env = { SECRET_KEY: KEY }
  const add = factories(source.db, await source.openSecrets())
  await add.contact({ name: 'Nguyễn Thị Lan' })
  return source
}

// R-2121
test('with a password nobody reads the file without it, and with it everything is restored', async () => {
  const source = await filled()
  source.env = { SECRET_KEY: KEY, BACKUP_PASSWORD: PASSWORD }
  await source.backUp(backups.file())
  const target = await backups.open('template0')
  target.env = { SECRET_KEY: KEY }
  await expect(target.restore(backups.file())).rejects.toThrow('is encrypted. Set BACKUP_PASSWORD')
  target.env = { SECRET_KEY: KEY, BACKUP_PASSWORD: 'another password' }
  await expect(target.restore(backups.file())).rejects.toThrow('the password is wrong')
  const bytes = await readFile(backups.file())
  await writeFile(backups.file('cut'), bytes.subarray(0, -40))
  target.env = { SECRET_KEY: KEY, BACKUP_PASSWORD: PASSWORD }
  await expect(target.restore(backups.file('cut'))).rejects.toThrow('is damaged')
  expect(await target.db.many(sql`select from pg_tables where schemaname = 'public'`)).toEqual([])

  await target.restore(backups.file())
  expect((await readAll(target.db)).contacts).toEqual((await readAll(source.db)).contacts)
})

// R-2122
test('with a key only a file that was signed with it is restored, before anything is written', async () => {
  const source = await filled()
  await source.backUp(backups.file())
  const target = await backups.open('template0')
  target.env = { SECRET_KEY: 'the key of somebody else, long enough' }
  await expect(target.restore(backups.file())).rejects.toThrow('was not signed with this key')
  await expect(target.restore(backups.file(), { allowsUnsigned: true })).rejects.toThrow('was not signed')
  expect(await target.db.many(sql`select from pg_tables where schemaname = 'public'`)).toEqual([])
  // While the key is being replaced, both are known.
  target.env = { SECRET_KEY: 'the key of somebody else, long enough', SECRET_KEY_PREVIOUS: KEY }
  expect((await target.restore(backups.file())).hasKey).toBe(true)
})

const triesToLock = sql`
  select from pg_stat_activity
  where datname = current_database() and query like '%pg_try_advisory_lock%' and pid <> pg_backend_pid()`

// R-2133
test('a file that is replaced after it was checked is not restored', async () => {
  const source = await filled()
  await source.backUp(backups.file())
  const foreign = await backups.open('tpl')
  foreign.env = { SECRET_KEY: 'the key of somebody else, long enough' }
  await foreign.openSecrets()
  await foreign.backUp(backups.file('foreign'))
  const target = await backups.open('template0')
  target.env = { SECRET_KEY: KEY }
  let restoring: Promise<unknown> = Promise.resolve()
  // The restore waits for the schema between the check and the second reading.
  await target.db.begin(async (tx) => {
    await tx.run(sql`select pg_advisory_xact_lock(${LOCKS.migrations})`)
    restoring = target.restore(backups.file()).catch((error: unknown) => error)
    await until('the restore waits', async () => (await target.db.run(triesToLock)) > 0)
    await copyFile(backups.file('foreign'), backups.file())
  })
  expect(String(await restoring)).toContain('it was changed while it was read')
  expect(await target.db.many(sql`select from pg_tables where schemaname = 'public'`)).toEqual([])
})

// R-2123
test('a file without a signature is restored only on request, and one without a key to check it says so', async () => {
  const source = await filled()
  source.env = {}
  await source.backUp(backups.file())
  expect(source.said.join(' ')).toContain('so the file is not signed')
  const target = await backups.open('template0')
  target.env = { SECRET_KEY: KEY }
  await expect(target.restore(backups.file())).rejects.toThrow('add --unsigned')
  await target.restore(backups.file(), { allowsUnsigned: true })

  const other = await backups.open('template0')
  await other.restore(backups.file())
  expect(other.said.join(' ')).toContain('can only be checked with the encryption key')
})
