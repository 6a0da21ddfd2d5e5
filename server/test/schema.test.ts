import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from './database.ts'
import { dumpSchema } from './schema-dump.ts'

const readText = (name: string) =>
  readFileSync(join(import.meta.dirname, name), 'utf8').replaceAll('\r\n', '\n')

const OUTDATED = 'server/schema.sql is not the schema that the migrations make: run npm run schema'

const databases: TestDatabase[] = []
afterEach(async () => {
  for (const database of databases.splice(0)) await database.drop()
})

async function open() {
  const database = await createTestDatabase()
  databases.push(database)
  return database.db
}

test('server/schema.sql is the schema that the migrations make', async () => {
  expect(await dumpSchema(await open()), OUTDATED).toBe(readText('../schema.sql'))
})

test('the dump does not leave out a kind of object that it does not know', async () => {
  const db = await open()
  await db.script('create view live_jobs as select from jobs')
  await expect(dumpSchema(db)).rejects.toThrow('live_jobs')
})
