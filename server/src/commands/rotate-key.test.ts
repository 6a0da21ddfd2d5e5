import { expect, test } from 'vitest'
import { useContext } from '../../test/context.ts'
import { makeTemporaryFolder } from '../../test/temporary-folder.ts'
import { connect } from '../platform/database/connection.ts'
import { identifier, sql } from '../platform/database/sql.ts'
import { encryptedColumns } from '../platform/encrypted-columns.ts'
import { openSecrets, requireKey, secretsOf } from '../platform/secrets.ts'
import { rotateKey } from './rotate-key.ts'

const context = useContext()
const FORMER = 'the key that an installation was set up with'
const NEW = 'the key that replaces it, as long as the other'
const OTHER = 'a key that this database has never known'
const dataDir = await makeTemporaryFolder('secrets')

const place = (secretKey: string, previousKey?: string) => ({ secretKey, previousKey, dataDir })
const open = (secretKey: string, previousKey?: string) =>
  openSecrets(context.db, place(secretKey, previousKey))
const rotate = () => rotateKey(context.db, place(NEW, FORMER))

// R-2050
test('with two keys everything is encrypted with the new one, and what either has encrypted is read', () => {
  const [former, both] = [secretsOf(FORMER), secretsOf(NEW, FORMER)]
  expect(both.decrypt(former.encrypt('token'))).toBe('token')
  const sealed = both.encrypt('token')
  expect(secretsOf(NEW).decrypt(sealed)).toBe('token')
  expect(both.decrypt(sealed)).toBe('token')
  expect(() => former.decrypt(sealed)).toThrow()
  expect(both.hash('x')).toEqual(secretsOf(NEW).hash('x'))
  expect(() => both.decrypt(secretsOf(OTHER).encrypt('token'))).toThrow()
})

// R-2053
test('a new key needs the one that the database knows, until everything is encrypted anew', async () => {
  await open(FORMER)
  await expect(open(NEW)).rejects.toThrow('SECRET_KEY_PREVIOUS')
  await expect(open(NEW, OTHER)).rejects.toThrow('does not match')
  // Processes may get both before one of them encrypts with the new key.
  await open(FORMER, NEW)
  await open(FORMER)

  await open(NEW, FORMER)
  await expect(open(FORMER)).rejects.toThrow('does not match')
  await expect(open(NEW)).rejects.toThrow('does not match')
  await expect(requireKey(context.db, place(NEW, FORMER))).rejects.toThrow('rotate-key')

  await rotate()
  await open(NEW)
  expect(await requireKey(context.db, place(NEW))).toBe(NEW)
  await expect(open(FORMER)).rejects.toThrow('does not match')
})

// R-2051
test('every encrypted column is encrypted anew, and running the command again changes nothing', async () => {
  const stored = await context.db.many<{ table: string; cipher: string }>(sql`
    select table_name::text as table, column_name::text as cipher from information_schema.columns
    where table_schema = 'public' and column_name like '%cipher'`)
  const named = encryptedColumns.map(({ table, cipher }) => ({ table, cipher }))
  expect(new Set(named)).toEqual(new Set(stored))

  const former = await open(FORMER)
  const sealed = former.encrypt('text')
  const { id } = await context.add.instance({ tokenCipher: sealed, tokenHash: former.hash('text') })
  await context.db.run(sql`
    insert into webhook_receivers (name, url, url_cipher, secret_cipher, topics, is_active, allows_own_network)
    values ('a', '', ${sealed}, ${sealed}, '{}', true, false)`)
  await context.db.run(sql`
    insert into factors (user_id, secret_cipher, next_cipher)
    values (${(await context.add.user()).id}, ${sealed}, ${sealed})`)
  const numberKey = await storedText('installation', 'number_key_cipher', former)

  expect(await rotate()).toEqual({ count: 6, unreadable: [], taken: [] })

  const current = secretsOf(NEW)
  for (const { table, cipher } of named.filter(({ table }) => table !== 'installation'))
    expect(await storedText(table, cipher, current)).toBe('text')
  expect(await storedText('installation', 'number_key_cipher', current)).toBe(numberKey)
  const { tokenHash } = await context.db.one<{ tokenHash: Buffer }>(
    sql`select token_hash from instances where id = ${id}`,
  )
  expect(tokenHash).toEqual(current.hash('text'))
  expect(await rotate()).toEqual({ count: 0, unreadable: [], taken: [] })
})

// R-2054
test('a value that neither key can read is named, and the former key stays needed', async () => {
  await open(FORMER)
  const { id } = await context.add.instance({ tokenCipher: secretsOf(OTHER).encrypt('token') })
  expect(await rotate()).toEqual({ count: 1, unreadable: [`instances ${id}`], taken: [] })
  await expect(open(NEW)).rejects.toThrow('does not match')
})

// R-2241
test('a token that two accounts have, each by another key, is named, and the rest is encrypted anew', async () => {
  const [former, both] = [await open(FORMER), await open(NEW, FORMER)]
  const stored = (secrets: typeof former, text: string) =>
    context.add.instance({ tokenCipher: secrets.encrypt(text), tokenHash: secrets.hash(text) })
  await stored(both, 'token')
  // A process that has not been started with both keys does not know the hash of the new one.
  const { id } = await stored(former, 'token')
  await stored(former, 'another')

  expect(await rotate()).toEqual({ count: 2, unreadable: [], taken: [`instances ${id}`] })
  await expect(open(NEW)).rejects.toThrow('does not match')

  await context.db.run(sql`delete from instances where id = ${id}`)
  expect(await rotate()).toEqual({ count: 0, unreadable: [], taken: [] })
  await open(NEW)
})

// R-2131
test('every opt-out of a forgotten number holds during and after the replacement, also if it is killed', async () => {
  const chat = '84912345678@s.whatsapp.net'
  const isOut = async (key: string, previousKey?: string) => {
    const db = connect(context.database.address, { max: 1, applicationName: 'sendroom test rotation' })
    await openSecrets(db, place(key, previousKey))
    const { isOut } = await db.begin((tx) =>
      tx.one<{ isOut: boolean | null }>(sql`select is_opted_out(${chat}, 0) as is_out`),
    )
    await db.end()
    return isOut
  }
  const former = await open(FORMER)
  await context.db.begin((tx) =>
    tx.run(sql`insert into forgotten_opt_outs values (number_hash('phone', '84912345678'), 0, now())`),
  )
  expect(await isOut(FORMER)).toBe(true)
  const both = await open(NEW, FORMER)
  expect(await isOut(NEW, FORMER)).toBe(true)

  // The key of forgotten numbers has the new key, and the rest does not. The other way round, too.
  const { sealed } = await context.db.one<{ sealed: Buffer }>(sql`
    select number_key_cipher as sealed from installation`)
  await context.db.run(sql`update installation set number_key_cipher = ${both.encrypt(both.decrypt(sealed))}`)
  const { id } = await context.add.instance({ tokenCipher: former.encrypt('token') })
  expect(await isOut(NEW, FORMER)).toBe(true)
  await context.db.run(sql`update installation set number_key_cipher = ${sealed}`)
  await context.db.run(sql`update instances set token_cipher = ${both.encrypt('token')} where id = ${id}`)
  expect(await isOut(NEW, FORMER)).toBe(true)

  expect(await rotate()).toEqual({ count: 1, unreadable: [], taken: [] })
  expect(await isOut(NEW)).toBe(true)
  expect(await isOut(NEW, FORMER)).toBe(true)
})

async function storedText(table: string, cipher: string, { decrypt }: ReturnType<typeof secretsOf>) {
  const { sealed } = await context.db.one<{ sealed: Buffer }>(
    sql`select ${identifier(cipher)} as sealed from ${identifier(table)}`,
  )
  return decrypt(sealed)
}
