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
const urlOf = (database: string) =>
  `postgres://sendroom:hunter2@${encodeURIComponent(db.address.host)}/${database}`

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
])('one sentence tells when %s, without the password', async (_, url, sentence) => {
  const error = await reach(url()).catch((error: unknown) => error)
  expect(error).toBeInstanceOf(StartupError)
  expect(String(error)).toMatch(sentence)
  expect(String(error)).not.toContain('hunter2')
})
