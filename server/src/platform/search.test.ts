import { expect, test } from 'vitest'
import { searches } from '../../../contract/test/searches.ts'
import { createTestDatabase } from '../../test/database.ts'
import { sql } from './database/sql.ts'
import { rarePart, searchCondition } from './search.ts'

/** Texts that all begin alike: the letters of 'don hang' are common. */
const texts = Array.from({ length: 300 }, (_, n) => `don hang ${1000 + n} cua khach`)

test.each([
  ['đơn hàng 98765', 'g 98765'],
  ['98765', null],
  ['don hang', null],
  ['don hang 1234', '234'], // '123' is in ten texts
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
  // The newest texts. They have the rare part of every second search, but nowhere all of it.
  const newest = Array.from({ length: 300 }, (_, n) =>
    n % 2 === 0 && stored[n] ? `yzz ${stored[n]}` : 'zzzz',
  )
  await db.run(sql`
    insert into groups (instance_id, chat_id, name)
    select (select id from instances), 'x' || n || '@g.us', text
    from unnest(${newest}::text[]) with ordinality as newest (text, n)`)
  const forms = { fewExpected: 0, asManyAsThePart: 0 }
  for (const [typed] of searches) {
    const found = await searchCondition(db, 'groups', 'g', `zzzz ${typed}`)
    if (found.text.includes('is false')) forms.fewExpected++
    if (found.text.includes('position')) forms.asManyAsThePart++
    const different = await db.many(sql`
      select name from groups g
      where ${found} is distinct from (g.search_text like like_pattern(${`zzzz ${typed}`}))`)
    expect(different).toEqual([])
  }
  expect(Math.min(...Object.values(forms))).toBeGreaterThan(2)
})
