import { expect, test } from 'vitest'
import { searches } from '../../../contract/test/searches.ts'
import { createTestDatabase } from '../../test/database.ts'
import { sql } from './database/sql.ts'
import { isFound, rarePart } from './search.ts'

/** Texts that all begin alike: the letters of 'don hang' are common. */
const texts = Array.from({ length: 300 }, (_, n) => `don hang ${1000 + n} cua khach`)

test.each([
  ['đơn hàng 98765', 'g 98765'],
  ['98765', null],
  ['don hang', null],
  ['don hang 1234', '1234'], // a part of one text
  ['don hang 10', null],
  ['98765 đơn hàng 12', '98765 do'],
  ['đơn hàng 98☕765', null],
  ['đơn hàng ×98765', '98765'],
  [`98765 ${'don hang '.repeat(20)}43210 43210`, '98765 do'], // the end would take too long
])('of %j the index gets %j', (typed, part) => {
  expect(rarePart(typed, texts)?.part ?? null).toBe(part)
  expect(rarePart(typed, texts.slice(1))).toBeNull() // too few to tell
})

// R-176
test('a search by the rare part finds what a search by all of it finds', async () => {
  const { db, drop } = await createTestDatabase()
  await using _ = { [Symbol.asyncDispose]: drop }
  const stored = searches.map(([, text]) => text)
  await db.run(
    sql`insert into instances (name, token_cipher, token_hash, is_test) values ('Shop', '', '', true)`,
  )
  await db.run(sql`
    insert into groups (instance_id, chat_id, name)
    select (select id from instances), n || '@g.us', 'zzzz ' || text
    from unnest(${stored}::text[]) with ordinality as stored (text, n)`)
  await db.run(sql`
    insert into groups (instance_id, chat_id, name)
    select (select id from instances), 'x' || n || '@g.us', 'zzzz' from generate_series(1, 300) n`)
  let parts = 0
  for (const [typed] of searches) {
    const found = await isFound(db, 'groups', 'g', `zzzz ${typed}`)
    if (found.text.includes('is false')) parts++
    const different = await db.many(sql`
      select name from groups g
      where ${found} is distinct from (g.search_text like like_pattern(${`zzzz ${typed}`}))`)
    expect(different).toEqual([])
  }
  expect(parts).toBeGreaterThan(5)
})
