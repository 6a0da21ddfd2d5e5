import { afterAll, beforeAll, expect, test } from 'vitest'
import { searches } from '../../../../contract/test/searches.ts'
import { createTestDatabase, type TestDatabase } from '../../../test/database.ts'
import { sql } from './sql.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.drop())

//
test.each(searches)('%j typed, %j stored: %s', async (typed, stored, found) => {
  const row = await database.db.maybeOne(
    sql`select unaccent_lower(${stored}) like like_pattern(${typed}) as found`,
  )
  expect(row).toEqual({ found })
})

//
test('every character matches itself', async () => {
  const unmatched = await database.db.many(sql`
    select chr(n) from generate_series(1, 65535) n
    where n not between 55296 and 57343 and unaccent_lower(chr(n)) not like like_pattern(chr(n))`)
  expect(unmatched).toEqual([])
})
