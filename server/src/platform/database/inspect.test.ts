import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../../test/database.ts'
import { parseDatabaseUrl } from '../../database-url.ts'
import { StartupError } from '../../startup-error.ts'
import { connect } from './connection.ts'
import { inspectDatabase } from './inspect.ts'
import { identifier, sql } from './sql.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase('template0')
})
afterAll(() => database.drop())

async function inspect(url: string) {
  const db = connect(parseDatabaseUrl(url), { max: 1, applicationName: 'sendroom test' })
  await inspectDatabase(db, 'DATABASE_URL', 0).finally(() => db.end(0))
}

/** Returns a URL of the test database. Its host is the folder of the socket, percent-encoded. */
const urlOf = (name: string, user = 'sendroom') =>
  `postgres://${user}:hunter2@${encodeURIComponent(database.address.host)}/${name}`

test('the URL of a server that answers is accepted', async () => {
  await expect(inspect(urlOf(database.address.database))).resolves.toBeUndefined()
})

test.each([
  [
    'nobody listens',
    () => 'postgres://u:hunter2@127.0.0.1:1/x',
    /cannot be reached at 127\.0\.0\.1:1 \(.*ECONNREFUSED/,
  ],
  ['its name is unknown', () => 'postgres://u:hunter2@db.invalid/x', /cannot be reached at db\.invalid:5432/],
  [
    'the database is missing',
    () => urlOf('missing'),
    /refused the connection at .* \(database "missing" does not exist\)/,
  ],
])('one sentence tells when %s, without the password', async (_, url, sentence) => {
  const error = await inspect(url()).catch((error: unknown) => error)
  expect(error).toBeInstanceOf(StartupError)
  expect(String(error)).toMatch(sentence)
  expect(String(error)).not.toContain('hunter2')
})

test('a user without the right to create tables is refused in one sentence', async () => {
  const name = database.address.database
  const user = `guest_of_${name}`
  await database.db.run(sql`create role ${identifier(user)} login`)
  await expect(inspect(urlOf(name, user))).rejects.toThrow(
    `The user ${user} in DATABASE_URL may not create tables and schemas`,
  )
  await database.db.run(sql`alter database ${identifier(name)} owner to ${identifier(user)}`)
  await expect(inspect(urlOf(name, user))).resolves.toBeUndefined()
  await database.db.run(sql`reassign owned by ${identifier(user)} to current_user`)
  await database.db.run(sql`drop role ${identifier(user)}`)
})

test('a database with another encoding than UTF8 is refused in one sentence', async () => {
  const name = `bytes_${database.address.database}`
  await database.db.run(
    sql`create database ${identifier(name)} template template0 encoding 'SQL_ASCII' locale_provider libc locale 'C'`,
  )
  await expect(inspect(urlOf(name))).rejects.toThrow(`The database ${name} in DATABASE_URL has the encoding`)
  await database.db.run(sql`drop database ${identifier(name)}`)
})
