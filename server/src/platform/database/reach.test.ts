import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../../test/database.ts'
import { StartupError } from '../../startup-error.ts'
import { connect } from './connection.ts'
import { reachDatabase } from './reach.ts'

let db: TestDatabase
beforeAll(async () => {
  db = await createTestDatabase('template0')
})
afterAll(() => db.drop())

async function reach(url: string) {
  const sql = connect(url, { max: 1, applicationName: 'sendroom test' })
  await reachDatabase(sql, 0).finally(() => sql.end({ timeout: 0 }))
}

/** A URL may name a socket's folder as its host, percent-encoded. */
const urlOf = (database: string, user = 'sendroom') =>
  `postgres://${user}:hunter2@${encodeURIComponent(db.address.host)}/${database}`

test('a URL of a server that answers is accepted', async () => {
  await expect(reach(urlOf(db.address.database))).resolves.toBeUndefined()
})

test.each([
  [
    'nobody listens',
    () => 'postgres://u:hunter2@127.0.0.1:1/x',
    /can't be reached at 127\.0\.0\.1:1 \(.*ECONNREFUSED/,
  ],
  ['its name is unknown', () => 'postgres://u:hunter2@db.invalid/x', /can't be reached at db\.invalid:5432/],
  ['the database is missing', () => urlOf('missing'), /refuses us \(database "missing" does not exist\)/],
  [
    'what follows the name is nothing PostgreSQL knows',
    () => `${urlOf(db.address.database)}?channel_binding=require`,
    /refuses us \(unrecognized configuration parameter "channel_binding"\)/,
  ],
])('one sentence tells when %s, without the password', async (_, url, sentence) => {
  const error = await reach(url()).catch((error: unknown) => error)
  expect(error).toBeInstanceOf(StartupError)
  expect(String(error)).toMatch(sentence)
  expect(String(error)).not.toContain('hunter2')
})

test('one sentence tells when the user may not create what Sendroom needs', async () => {
  const { database } = db.address
  const user = `guest_of_${database}`
  await db.sql`create role ${db.sql(user)} login`
  const reached = reach(urlOf(database, user))
  await expect(reached).rejects.toThrow(`The user ${user} of DATABASE_URL may not create tables and schemas`)
  await db.sql`alter database ${db.sql(database)} owner to ${db.sql(user)}`
  await expect(reach(urlOf(database, user))).resolves.toBeUndefined()
  await db.sql`reassign owned by ${db.sql(user)} to current_user`
  await db.sql`drop role ${db.sql(user)}`
})

test('one sentence tells when the database keeps bytes instead of characters', async () => {
  const database = `bytes_${db.address.database}`
  const name = db.sql(database)
  await db.sql`create database ${name} template template0 encoding 'SQL_ASCII' locale_provider libc locale 'C'`
  await expect(reach(urlOf(database))).rejects.toThrow(
    `The database ${database} of DATABASE_URL keeps texts as`,
  )
  await db.sql`drop database ${name}`
})
